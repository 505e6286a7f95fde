extension InspectorScript {
  /// The journal as it goes on.
  static let list = #"""
    // --- The list. Rows are kept and changed in place, so that what is clicked stays where it is.

    const rowsShown = new Map();

    function trace(x, window) {
      const scale = (value) => Math.max(0, Math.min(160, (value - from) / window.width * 160));
      const from = state.isAligned ? x.received_ms : window.start;
      const svg = element("svg", {viewBox: "0 0 160 14", preserveAspectRatio: "none",
        "aria-hidden": "true"});
      const bar = (kind, a, b, y, h) => svg.append(element("rect", {
        class: kind, x: scale(a), y, width: Math.max(1, scale(b) - scale(a)), height: h}));
      const due = dueEnd(x);
      if (due !== null) bar("plan", x.received_ms, due, 1, 5);
      const head = x.head ? x.head.done_ms : null;
      bar(isOpen(x) ? "wait running" : "wait", x.received_ms, head ?? ended(x), 8, 5);
      if (head !== null) {
        bar(isOpen(x) ? "running" : tone(x) === "bad" ? "failed" : "body", head, ended(x), 8, 5);
      }
      return svg;
    }

    // When the last planned step is due, as far as that is known.
    function dueEnd(x) {
      const plan = state.plans.get(x.number);
      const known = plan ? plan.map((step) => step.until_ms).filter((value) => value !== null) : [];
      if (known.length) return Math.max(...known, x.last && !isOpen(x) ? x.last.due_ms : 0);
      return x.last ? x.last.due_ms : null;
    }

    function windowOf(part) {
      const ends = part.map((x) => Math.max(ended(x), isOpen(x) ? 0 : dueEnd(x) ?? 0));
      if (state.isAligned) {
        // One that hangs for an hour leaves the others their room.
        const lengths = (wanted) => part.map((x, i) =>
          isOpen(x) === wanted ? ends[i] - x.received_ms : 0);
        const settled = Math.max(0, ...lengths(false)), open = Math.max(0, ...lengths(true));
        const most = settled ? Math.max(settled, Math.min(open, settled * 2)) : open;
        return {start: 0, width: Math.max(1, most)};
      }
      const start = Math.min(...part.map((x) => x.received_ms));
      return {start, width: Math.max(1, Math.max(...ends) - start)};
    }

    function cells(x, window) {
      const isWaiting = isOpen(x);
      return [
        element("td", {class: "number"}, x.number),
        element("td", {class: "number", title: date(x.received_ms)}, at(x.received_ms)),
        element("td", {}, x.request.method),
        element("td", {class: "target mono", title: x.request.target.slice(0, 2000)},
          x.request.target.slice(0, 400)),
        element("td", {class: "number " + tone(x)}, x.response ? x.response.status : "–"),
        element("td", {class: tone(x)}, outcome(x)),
        element("td", {class: "trace"}, trace(x, window)),
        element("td", {class: "number" + (isWaiting ? " open" : "")},
          isWaiting ? ms(ended(x) - x.received_ms) : ms(length(x))),
        element("td", {class: "number extra"}, ms(wait(x))),
        element("td", {class: "number extra"}, size(x.head_bytes + x.body_bytes)),
        element("td", {class: "by"}, answeredBy(x),
          x.rules.length ? element("span", {class: "chip"}, ruled(x)) : null),
      ];
    }

    function row(x, window) {
      const key = isOpen(x) ? null : JSON.stringify([window, state.isAligned]);
      let known = rowsShown.get(x.number);
      if (!known) {
        known = {row: element("tr", {"data-number": x.number,
          on: {click: () => report(select(x.number))}})};
      }
      if (known.x !== x || known.key !== key || key === null) {
        known.row.replaceChildren(...cells(x, window));
        known.row.className = isOpen(x) ? "is-open" : "";
        Object.assign(known, {x, key});
      }
      known.row.setAttribute("aria-selected", x.number === state.selected);
      return known;
    }

    function renderList() {
      const found = shown();
      const pages = Math.max(1, Math.ceil(found.length / PAGE));
      if (state.isLast) state.page = pages - 1;
      state.page = Math.min(state.page, pages - 1);
      const part = found.slice(state.page * PAGE, (state.page + 1) * PAGE);
      const window = part.length ? windowOf(part) : {start: 0, width: 1};
      const list = document.querySelector(".list");
      const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 4;
      const rows = part.map((x) => [x.number, row(x, window)]);
      rowsShown.clear();
      for (const [number, known] of rows) rowsShown.set(number, known);
      const body = $("rows");
      const wanted = rows.map(([, known]) => known.row);
      if (wanted.length !== body.children.length
        || wanted.some((one, i) => body.children[i] !== one)) body.replaceChildren(...wanted);
      if (isAtEnd && state.isLast && state.selected === null) list.scrollTop = list.scrollHeight;
      $("empty").hidden = part.length > 0;
      if (!part.length) fill($("empty"), empty());
      const open = [...state.all.values()].filter(isOpen).length;
      const dropped = state.dropped + state.forgotten;
      $("count").textContent = (state.filter ? `${found.length.toLocaleString("en")} of ` : "")
        + count(state.all.size, "exchange") + (open ? `, ${open} open` : "")
        + (dropped ? `, ${dropped.toLocaleString("en")} earlier ones not shown` : "");
      $("pages").hidden = pages < 2;
      $("page").textContent = `${state.page + 1} of ${pages}`;
      $("older").disabled = state.page === 0;
      $("newer").disabled = state.page >= pages - 1;
      $("aligned").textContent = state.isAligned ? "each from its request" : "on one clock";
      $("scale").textContent = part.length ? `0 – ${ms(window.width)}` : "";
    }

    function empty() {
      if (state.filter) return ["Nothing matches the filter. ",
        link("Show all", "without the filter", () => filterBy(""))];
      const session = sessionShown();
      if (!session) return "";
      const urls = (session && session.urls ? session.urls : []).map((one) => one.url);
      return urls.length ? ["Nothing was asked yet. Point the client at ",
        element("code", {}, urls.join(", ")), "."] : "Nothing was asked.";
    }

    function turn(by) {
      const pages = Math.max(1, Math.ceil(shown().length / PAGE));
      state.page = Math.max(0, Math.min(pages - 1, state.page + by));
      state.isLast = state.page >= pages - 1;
      renderList();
    }

    // Shows the page of the list that an exchange is on.
    function goTo(number) {
      if (!state.all.has(number)) return status(`exchange ${number} is not kept any more`, "warn");
      if (!shown().some((x) => x.number === number)) filterBy("");
      const index = shown().findIndex((x) => x.number === number);
      const pages = Math.ceil(shown().length / PAGE);
      state.page = Math.floor(index / PAGE);
      state.isLast = state.page >= pages - 1 && state.selected === null;
      show("exchanges");
      report(select(number));
    }

    """#
}
