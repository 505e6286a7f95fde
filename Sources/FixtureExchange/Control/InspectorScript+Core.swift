extension InspectorScript {
  /// What an exchange is, and what is looked for among them.
  static let core = #"""
    "use strict";
    // Text from outside only ever becomes a text node; nothing is parsed as markup.
    const $ = (id) => document.getElementById(id);
    const SVG = "http://www.w3.org/2000/svg";
    const DRAWN = new Set(["svg", "rect", "line", "path", "text", "circle", "g", "title"]);

    function element(name, attributes = {}, ...children) {
      const made = DRAWN.has(name) ? document.createElementNS(SVG, name)
        : document.createElement(name);
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

    // A button that reads as a link, for what leads to another place of the page.
    const link = (text, title, call) =>
      element("button", {type: "button", class: "link", title, on: {click: call}}, text);

    // What is looked at. `all` holds the last exchanges by number; beyond KEPT the oldest go.
    const state = {
      sessions: [], id: null, all: new Map(), filter: "", selected: null, page: 0, isLast: true,
      dropped: 0, forgotten: 0, lastForgotten: 0, tab: "exchanges", token: "", reader: null,
      isAligned: true, began: null, ended: null, clock: null, plans: new Map(), limits: {},
    };
    const PAGE = 200, KEPT = 20000;

    function keep(x) {
      const before = state.all.get(x.number);
      // It was open when it was forgotten, and counted then.
      if (!before && x.number <= state.lastForgotten) return;
      // What was planned is told while an exchange waits.
      if (x.plan) state.plans.set(x.number, x.plan);
      state.all.set(x.number, x);
      if (before || state.all.size <= KEPT) return;
      const oldest = state.all.keys().next().value;
      state.all.delete(oldest);
      state.plans.delete(oldest);
      state.forgotten += 1;
      state.lastForgotten = oldest;
    }

    // --- Numbers as text

    function ms(value) {
      if (value === null || value === undefined) return "–";
      const size = Math.abs(value);
      if (size >= 3600000) return (value / 3600000).toFixed(2) + " h";
      if (size >= 10000) return (value / 1000).toFixed(size >= 100000 ? 0 : 1) + " s";
      return value.toFixed(size >= 100 || value === 0 ? 0 : size >= 10 ? 1 : 2) + " ms";
    }
    // An instant of the session.
    const at = (value) => (value / 1000).toFixed(3) + " s";
    function date(value) {
      const made = new Date((state.began ?? NaN) / 1000 + value);
      return isNaN(made) ? "" : made.toISOString().replace("T", " ");
    }
    function size(bytes) {
      for (const [unit, by] of [["GB", 1e9], ["MB", 1e6], ["KB", 1e3]]) {
        if (bytes >= by) return (bytes / by).toFixed(1) + " " + unit;
      }
      return bytes + " B";
    }
    const count = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

    // --- What an exchange is

    const isOpen = (x) => x.outcome === "open" || x.end_ms === null;
    // Milliseconds since the session began; what happens now is known by the server's clock alone.
    const now = () => state.clock === null ? null : performance.now() - state.clock;
    const ended = (x) => x.end_ms ?? Math.max(now() ?? 0, x.received_ms);
    const length = (x) => x.end_ms === null ? null : x.end_ms - x.received_ms;
    const wait = (x) => x.head ? x.head.done_ms - x.received_ms : null;
    const late = (x) => x.last ? x.last.done_ms - x.last.due_ms : null;
    function tone(x) {
      if (isOpen(x)) return "open";
      if (x.outcome !== "completed" || !x.response) return "bad";
      return x.response.status >= 500 ? "bad" : x.response.status >= 400 ? "warn" : "good";
    }
    const OUTCOMES = {
      completed: "completed", closed: "closed early", reset: "reset", aborted: "client left",
      stopped: "server stopped",
    };
    function outcome(x) {
      if (x.left) return x.left === "reset" ? "client reset" : "client closed";
      if (!isOpen(x)) return OUTCOMES[x.outcome] ?? x.outcome;
      const plan = state.plans.get(x.number) ?? [];
      if (x.request_end_ms === null) return "reading request";
      const next = x.head ? null : plan.find((step) => step.step.startsWith("wait"));
      if (next) return next.step.replace("wait for", "held at");
      const dues = plan.map((step) => step.until_ms).filter((value) => value !== null);
      const left = Math.max(0, ...dues) - (now() ?? Infinity);
      return (x.head ? "sending" : "waiting") + (left > 0 ? `, ${ms(left)} left` : "");
    }
    function answeredBy(x) {
      const s = x.source;
      if (s.kind === "interaction") {
        return `recording ${s.interaction}` + (s.count > 1 ? `, ${s.ordinal} of ${s.count}` : "");
      }
      return s.kind === "rules" ? "rules alone" : s.kind === "miss" ? "no recording" : "–";
    }
    const ruled = (x) => x.rules.length
      ? (x.rules.length > 1 ? "rules " : "rule ") + x.rules.join(", ") : "";

    // --- The filter: words, and NAME:VALUE for what is exact

    const EXACT = {
      connection: (x, value) => String(x.connection) === value,
      rule: (x, value) => x.rules.map(String).includes(value),
      recording: (x, value) => String(x.source.interaction) === value,
      status: (x, value) => String(x.response ? x.response.status : "").startsWith(value),
      is: (x, value) => value === (isOpen(x) ? "open" : x.outcome)
        || value === (x.source.kind === "miss" ? "miss" : ""),
    };
    function shown() {
      const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
      if (!words.length) return [...state.all.values()];
      const tests = words.map((word) => {
        const [name, value] = word.split(/:(.*)/);
        if (value !== undefined && EXACT[name]) return (x) => EXACT[name](x, value);
        return (x, text) => text.includes(word);
      });
      const found = [];
      for (const x of state.all.values()) {
        const text = `${x.number} ${x.request.method} ${x.request.target} `
          + `${x.response ? x.response.status : ""} ${outcome(x)} ${answeredBy(x)} ${ruled(x)}`;
        const lower = text.toLowerCase();
        if (tests.every((test) => test(x, lower))) found.push(x);
      }
      return found;
    }
    function filterBy(text) {
      state.filter = text;
      $("filter").value = text;
      state.isLast = true;
      show("exchanges");
    }

    """#
}
