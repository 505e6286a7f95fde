/// The script of the inspector, in parts that belong together.
enum InspectorScript {
  static let all = list + views + source

  /// The script of the inspector: what an exchange is and how the journal is shown.
  static let list = #"""
    "use strict";
    // Text from outside only ever becomes a text node; nothing is parsed as markup.
    const $ = (id) => document.getElementById(id);
    const SVG = "http://www.w3.org/2000/svg";

    function element(name, attributes = {}, ...children) {
      const isDrawn = DRAWN.has(name);
      const made = isDrawn ? document.createElementNS(SVG, name) : document.createElement(name);
      for (const [key, value] of Object.entries(attributes)) {
        if (key === "on") for (const [event, call] of Object.entries(value)) {
          made.addEventListener(event, call);
        } else if (value !== undefined && value !== null) made.setAttribute(key, String(value));
      }
      fill(made, children);
      return made;
    }

    function fill(box, ...children) {
      const nodes = children.flat(Infinity).filter((one) => one !== null && one !== undefined);
      box.replaceChildren(...nodes.map((child) =>
        child instanceof Node ? child : document.createTextNode(String(child))));
    }
    const DRAWN = new Set(["svg", "rect", "line", "path", "text", "circle", "g", "title"]);

    // What is looked at. `all` holds exchanges by number, in the order in which they came.
    const state = {
      sessions: [], id: null, all: new Map(), filter: "", selected: null, page: 0, dropped: 0,
      tab: "exchanges", token: "", isLive: true, reader: null, details: new Map(), isLast: true,
    };
    const PAGE = 200;

    // --- Numbers as text

    const ms = (value) => value === null || value === undefined ? "–"
      : value >= 10000 ? (value / 1000).toFixed(1) + " s"
      : value >= 100 ? value.toFixed(0) + " ms" : value.toFixed(2) + " ms";
    function size(bytes) {
      for (const [unit, by] of [["GB", 1e9], ["MB", 1e6], ["KB", 1e3]]) {
        if (bytes >= by) return (bytes / by).toFixed(1) + " " + unit;
      }
      return bytes + " B";
    }
    const length = (x) => x.end_ms === null ? null : x.end_ms - x.received_ms;
    const wait = (x) => x.head ? x.head.done_ms - x.received_ms : null;
    const late = (x) => x.last ? x.last.done_ms - x.last.due_ms : null;
    function tone(x) {
      if (x.outcome === "reset" || x.outcome === "aborted") return "bad";
      if (x.outcome === "open") return "faint";
      if (!x.response) return "bad";
      return x.response.status >= 500 ? "bad" : x.response.status >= 400 ? "warn" : "good";
    }
    function answeredBy(x) {
      const s = x.source;
      if (s.kind === "interaction") {
        return `recording ${s.interaction}` + (s.count > 1 ? `, ${s.ordinal} of ${s.count}` : "");
      }
      return s.kind === "rules" ? "rules" : s.kind === "miss" ? "no recording" : "–";
    }

    // --- The journal

    function shown() {
      const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
      const found = [];
      for (const x of state.all.values()) {
        if (!words.length) { found.push(x); continue; }
        const text = `${x.number} ${x.request.method} ${x.request.target} `
          + `${x.response ? x.response.status : ""} ${x.outcome} ${answeredBy(x)}`.toLowerCase();
        if (words.every((word) => text.toLowerCase().includes(word))) found.push(x);
      }
      return found;
    }

    function trace(x, end) {
      const scale = (at) => Math.max(0, Math.min(160, at / end * 160));
      const from = x.received_ms;
      const svg = element("svg", {viewBox: "0 0 160 14", preserveAspectRatio: "none",
        role: "img", "aria-label": `planned and actual: ${ms(wait(x))} until the head`});
      const bar = (kind, a, b, y, h) => svg.append(element("rect", {
        class: kind, x: scale(a), y, width: Math.max(1, scale(b) - scale(a)), height: h}));
      if (x.last) bar("plan", 0, x.last.due_ms - from, 1, 5);
      const head = wait(x), whole = length(x);
      const isFailed = ["bad"].includes(tone(x));
      if (head !== null) bar("wait", 0, head, 8, 5);
      if (whole !== null) bar(isFailed ? "failed" : "body", head ?? 0, whole, 8, 5);
      return svg;
    }

    function renderList() {
      const found = shown();
      const pages = Math.max(1, Math.ceil(found.length / PAGE));
      if (state.isLast) state.page = pages - 1;
      state.page = Math.min(state.page, pages - 1);
      const part = found.slice(state.page * PAGE, (state.page + 1) * PAGE);
      const end = Math.max(1, ...part.map((x) => Math.max(
        length(x) ?? 0, x.last ? x.last.due_ms - x.received_ms : 0)));
      const rows = part.map((x) => element("tr", {
        "data-number": x.number, "aria-selected": x.number === state.selected,
        on: {click: () => select(x.number)},
      },
      element("td", {class: "number"}, x.number),
      element("td", {}, x.request.method),
      element("td", {class: "target mono", title: x.request.target}, x.request.target),
      element("td", {class: "number " + tone(x)}, x.response ? x.response.status : "–"),
      element("td", {}, answeredBy(x), x.rules.length ? ` (rule ${x.rules.join(", ")})` : ""),
      element("td", {class: "number"}, ms(wait(x))),
      element("td", {class: "number"}, ms(length(x))),
      element("td", {class: "number"}, size(x.head_bytes + x.body_bytes)),
      element("td", {class: tone(x)}, x.outcome),
      element("td", {class: "trace"}, trace(x, end))));
      $("rows").replaceChildren(...rows);
      $("count").textContent = `${found.length} of ${state.all.size} exchanges`
        + (state.dropped ? `, ${state.dropped} not kept` : "");
      $("page").textContent = `${state.page + 1} / ${pages}`;
      $("older").disabled = state.page === 0;
      $("newer").disabled = state.page >= pages - 1;
      $("scale").textContent = `, times ${ms(end)} wide: above planned, below actual`;
    }

    function turn(by) {
      state.page = Math.max(0, state.page + by);
      const pages = Math.ceil(shown().length / PAGE);
      state.isLast = state.page >= pages - 1;
      renderList();
    }

    async function select(number) {
      state.selected = number;
      for (const row of $("rows").children) {
        const isIt = Number(row.dataset.number) === number;
        row.setAttribute("aria-selected", isIt);
        if (isIt) row.scrollIntoView({block: "nearest"});
      }
      const whole = await source.whole(number);
      if (state.selected === number && whole) renderDetails(whole);
    }

    function fields(list) {
      const lines = (list ?? []).map(([name, value]) => `${name}: ${value}`);
      return element("pre", {}, lines.join("\n"));
    }

    function pairs(list) {
      return element("dl", {}, list.filter(Boolean).map(([name, value, kind]) => [
        element("dt", {}, name), element("dd", {class: kind}, value)]));
    }

    function renderDetails(x) {
      const session = state.sessions.find((s) => s.id === state.id);
      const rules = session && session.scenario ? session.scenario.split("\n") : [];
      const ruleText = x.rules.map((n) => rules[n - 1] ? `${n}: ${rules[n - 1]}` : `${n}`);
      const response = x.response;
      fill($("details"),
        element("h2", {}, `Exchange ${x.number}`),
        pairs([
          ["answered by", answeredBy(x)],
          x.source.kind === "miss" ? ["why", x.source.text ?? "", "bad"] : null,
          ruleText.length ? ["rules", element("pre", {}, ruleText.join("\n"))] : null,
          x.overruled && x.overruled.length ? ["without effect", x.overruled.join(", ")] : null,
          ["connection", `${x.connection}, request ${x.ordinal} of it; `
            + `${x.concurrent} others were open`],
          ["outcome", x.outcome, tone(x)],
        ]),
        element("h2", {}, "Receipt"),
        pairs([
          ["request came", ms(x.received_ms)],
          ["read to its end", x.request_end_ms === null ? "–"
            : "+" + ms(x.request_end_ms - x.received_ms)],
          ["head due", x.head ? "+" + ms(x.head.due_ms - x.received_ms) : "–"],
          ["head sent", x.head ? "+" + ms(x.head.done_ms - x.received_ms) : "–"],
          ["last step due", x.last ? "+" + ms(x.last.due_ms - x.received_ms) : "–"],
          ["last step done", x.last ? "+" + ms(x.last.done_ms - x.received_ms) : "–"],
          ["late", ms(late(x)), (late(x) ?? 0) > 20 ? "warn" : ""],
          ["ended", x.end_ms === null ? "open" : "+" + ms(length(x))],
          ["sent", `${x.head_bytes} B of heads, ${x.body_bytes} B of body`],
        ]),
        element("h2", {}, "Request"),
        element("pre", {}, `${x.request.method} ${x.request.target}`),
        fields(x.request.fields),
        x.request.content_size ? element("p", {class: "faint"},
          `${size(x.request.content_size)} of content`
          + (x.request.sha256 ? `, SHA-256 ${x.request.sha256}` : "")) : null,
        x.request.content ? element("pre", {}, x.request.content.slice(0, 65536)) : null,
        element("h2", {}, "Response"),
        response ? [element("pre", {}, response.status), fields(response.fields)]
          : element("p", {class: "faint"}, "none"));
    }

    """#
}
