extension InspectorScript {
  /// Connections, recordings, rules.
  static let views = #"""
    // --- Connections

    function renderLanes() {
      const all = shown().slice(-2000);
      const lanes = [...new Set(all.map((x) => x.connection))].sort((a, b) => a - b);
      const box = $("lanes");
      if (!all.length) return fill(box, element("p", {class: "faint"}, empty()));
      const kept = lanes.slice(-100);
      const drawn = all.filter((x) => x.connection >= kept[0]);
      const start = Math.min(...drawn.map((x) => x.received_ms));
      const end = Math.max(...drawn.map(ended), start + 1);
      const width = 1000, top = 22, step = 18, left = 104;
      const place = (value) => left + (value - start) / (end - start) * (width - left - 10);
      const svg = element("svg", {class: "lanes", role: "img",
        viewBox: `0 0 ${width} ${top + kept.length * step + 6}`,
         "aria-label": `${count(kept.length, "connection")} over time`});
      for (const tick of ticks(start / 1000, end / 1000, 6)) {
        const x = place(tick * 1000);
        if (x < left || x > width - 8) continue;
        svg.append(element("line", {class: "axis", x1: x, x2: x, y1: top - 4,
          y2: top + kept.length * step}),
        element("text", {x, y: 12, "text-anchor": "middle"}, number(tick) + " s"));
      }
      const places = new Map(kept.map((lane, index) => [lane, top + index * step]));
      for (const [lane, y] of places) svg.append(element("text", {x: left - 8, y: y + 11,
        class: "act", "text-anchor": "end", on: {click: () => filterBy(`connection:${lane}`)}},
      `connection ${lane}`));
      for (const x of drawn) {
        const from = place(x.received_ms), to = place(ended(x));
        const kind = isOpen(x) ? "running" : tone(x) === "bad" ? "failed" : "body";
        svg.append(element("rect", {class: kind + " act", x: from, y: places.get(x.connection),
          width: Math.max(1.5, to - from), height: 13, "data-number": x.number,
          on: {click: () => goTo(x.number)}},
        element("title", {}, `${x.number} ${x.request.method} ${x.request.target.slice(0, 200)}: `
          + summary(x))));
      }
      fill(box, element("p", {class: "faint"}, count(lanes.length, "connection")
        + (kept.length < lanes.length ? `, the last ${kept.length} are shown` : "")
        + " by seconds since the session began. A bar is an exchange from its request to its end: "
        + "blue answered, red failed, amber still open; choose one to see it."), svg);
    }

    // --- Recordings

    let lastSearch = 0;
    async function renderRecordings(isMore = false) {
      const turnOf = ++lastSearch;
      const search = $("search").value;
      const after = isMore ? state.recordings.at(-1)?.id ?? 0 : 0;
      const found = await source.interactions(search, after);
      if (turnOf !== lastSearch) return;
      state.recordings = isMore ? state.recordings.concat(found) : found;
      const uses = new Map();
      for (const x of state.all.values()) if (x.source.kind === "interaction") {
        uses.set(x.source.interaction, (uses.get(x.source.interaction) ?? 0) + 1);
      }
      $("recordings-rows").replaceChildren(...state.recordings.map((one) => element("tr", {},
        element("td", {class: "number"}, one.id), element("td", {}, one.upstream ?? ""),
        element("td", {}, one.method), element("td", {class: "target mono",
          title: one.target.slice(0, 2000)}, one.target.slice(0, 400)),
        element("td", {class: "number"}, one.status ?? "–"),
        element("td", {class: "number"}, one.content_size === null ? "" : size(one.content_size)),
        element("td", {}, one.outcome), element("td", {}, one.notes),
        element("td", {class: one.used ? "good" : "faint"}, uses.has(one.id)
          ? link(count(uses.get(one.id), "exchange"), "show what it answered",
            () => filterBy(`recording:${one.id}`)) : one.used ? "used" : "unused"))));
      const unused = state.recordings.filter((one) => !one.used).length;
      $("recordings-count").textContent = found.length === 0 && !isMore
        ? (search ? "nothing in the cassette has this text" : "the cassette is empty")
        : `${count(state.recordings.length, "recording")}, ${unused} unused`;
      $("recordings-more").hidden = found.length < 500;
    }

    // --- Rules and gates

    function renderRulesView() {
      const session = sessionShown();
      const box = $("rules");
      if (!session) return fill(box, element("p", {class: "faint"}, "no session"));
      const counts = new Map();
      const set = session.rule_set ?? session.rule_sets?.at(-1)?.number;
      for (const x of state.all.values()) if (x.rule_set === set) for (const n of x.rules) {
        counts.set(n, (counts.get(n) ?? 0) + 1);
      }
      const list = rulesOf(session);
      const gates = (session.gates ?? []).filter((gate) => gate.waiting > 0 || gate.released);
      fill(box,
        pairs([
          ["session", session.name ?? session.id],
          session.urls ? ["serves", session.urls.map((one) =>
            (one.upstream ? `${one.upstream}: ` : "") + one.url).join(", ")] : null,
          session.cassette ? ["cassette", session.cassette] : null,
          ["seed", session.seed ?? "none"],
          session.flags ? ["flags raised", session.flags.join(", ") || "none"] : null,
        ]),
        gates.length ? [element("h2", {}, "Gates"), table(["name", "waiting", ""],
          gates.map((gate) => [gate.name, gate.waiting, gate.released ? "open"
            : element("button", {type: "button",
              on: {click: () => report(source.release(gate.name))}}, "release")]))] : null,
        element("h2", {}, "Rules"),
        list.length ? table(["#", "rule", "written in", "exchanges"], list.map((one) => [
          one.number, element("span", {class: "mono wrap"}, one.text), one.origin ?? "",
          counts.has(one.number) ? link(counts.get(one.number), "show them",
            () => filterBy(`rule:${one.number}`)) : "none"]))
          : element("p", {class: "faint"}, "None: everything is answered as it was recorded."),
        set > 1 ? element("p", {class: "faint"}, `Rules changed ${count(set - 1, "time")}; these `
          + "are the last, and only exchanges that they met are counted.") : null);
    }

    function rulesOf(session) {
      if (session.rule_sets) return session.rule_sets.at(-1)?.rules ?? [];
      return session.rules ?? [];
    }

    """#
}
