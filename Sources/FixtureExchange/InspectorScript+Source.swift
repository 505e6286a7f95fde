extension InspectorScript {
  /// Where exchanges come from, and what keys and buttons do.
  static let source = #"""
    // --- Where it comes from

    function embedded(data) {
      const heads = (list) => new Map(list.map((head) => [head.id, {...head,
        fields: head.lines.split("\r\n").filter(Boolean).map((line) => {
          const at = line.indexOf(": ");
          return [line.slice(0, at), line.slice(at + 2)];
        })}]));
      const requests = heads(data.requests), responses = heads(data.responses);
      const time = (us) => us === null ? null : us / 1000;
      const moment = (due, done) => due === null ? null
        : {due_ms: due / 1000, done_ms: done / 1000};
      const whole = (x) => ({...x,
        request: {...requests.get(x.request_id), content_size: x.content_size, sha256: x.sha256},
        response: responses.get(x.response_id) ?? null,
        rules: x.rules.split(" ").filter(Boolean), overruled: x.overruled ? [x.overruled] : [],
        received_ms: time(x.received_us), request_end_ms: time(x.request_end_us),
        end_ms: time(x.end_us), head: moment(x.head_due_us, x.head_done_us),
        last: moment(x.last_due_us, x.last_done_us)});
      return {
        async sessions() {
          return data.sessions.map((s) => ({...s, exchanges: s.list.length, scenario: ""}));
        },
        follow(id) {
          const session = data.sessions.find((s) => s.id === id);
          state.dropped = session.dropped + (session.count - session.list.length);
          for (const x of session.list) state.all.set(x.number, whole(x));
          schedule();
        },
        async whole(number) { return state.all.get(number); },
        async verdict() { return null; },
        async interactions() { return []; },
      };
    }

    function live() {
      const ask = async (path, options = {}) => {
        const headers = {...options.headers};
        if (state.token) headers.Authorization = "Bearer " + state.token;
        const answer = await fetch(path, {...options, headers, cache: "no-store"});
        if (answer.status === 401) {
          $("token").hidden = false;
          $("token").focus();
        }
        if (!answer.ok) throw new Error((await answer.json()).detail ?? answer.status);
        return answer;
      };
      const json = async (path) => (await ask(path)).json();
      const base = () => "v1/sessions/" + encodeURIComponent(state.id);
      return {
        async sessions() { return (await json("v1/sessions")).sessions; },
        follow(id) {
          if (state.reader) state.reader.abort();
          const reader = new AbortController();
          state.reader = reader;
          follow(id, reader, ask);
        },
        async whole(number) { return json(`${base()}/exchanges/${number}`); },
        async verdict() { return json(`${base()}/verdict`); },
        async interactions(search) {
          const found = await json(`${base()}/interactions?search=${encodeURIComponent(search)}`);
          return found.interactions;
        },
      };
    }

    // Server-sent events by fetch, which unlike EventSource can send a token.
    async function follow(id, reader, ask) {
      let last = null;
      while (!reader.signal.aborted) {
        try {
          const answer = await ask(`v1/sessions/${encodeURIComponent(id)}/events`, {
            signal: reader.signal, headers: last === null ? {} : {"Last-Event-ID": last}});
          status("live", "good");
          const stream = answer.body.pipeThrough(new TextDecoderStream()).getReader();
          let text = "";
          while (true) {
            const {value, done} = await stream.read();
            if (done || reader.signal.aborted) break;
            text += value;
            const events = text.split("\n\n");
            text = events.pop();
            for (const event of events) last = take(event, id) ?? last;
          }
        } catch (error) {
          if (reader.signal.aborted) return;
          status(error.message, "warn");
        }
        if (reader.signal.aborted || state.id !== id) return;
        if (state.ended === id) return status("the session has ended", "warn");
        await new Promise((done) => setTimeout(done, 1000));
      }
    }

    function take(event, id) {
      let name = "message", data = "", last = null;
      for (const line of event.split("\n")) {
        if (line.startsWith("event: ")) name = line.slice(7);
        if (line.startsWith("data: ")) data += line.slice(6);
        if (line.startsWith("id: ")) last = line.slice(4);
      }
      if (state.id !== id || !data) return last;
      const value = JSON.parse(data);
      if (name === "dropped") state.dropped += value.dropped;
      else if (name === "end") state.ended = id;
      else state.all.set(value.number, value);
      schedule();
      return last;
    }

    function status(text, kind) {
      $("status").textContent = text;
      $("status").className = kind;
    }

    // --- What is shown

    let isScheduled = false;
    function schedule() {
      if (isScheduled) return;
      isScheduled = true;
      setTimeout(() => { isScheduled = false; render(); }, 120);
    }

    function render() {
      switch (state.tab) {
        case "exchanges": return renderList();
        case "connections": return renderLanes();
        case "verdict-tab": return report(renderVerdict());
        case "recordings": return report(renderRecordings());
        case "plots-tab": return renderPlots();
      }
    }
    function report(work) { Promise.resolve(work).catch((error) => status(error.message, "warn")); }

    function show(tab) {
      state.tab = tab;
      for (const button of document.querySelectorAll("[role=tab]")) {
        const isIt = button.dataset.tab === tab;
        button.setAttribute("aria-selected", isIt);
        button.tabIndex = isIt ? 0 : -1;
      }
      for (const section of document.querySelectorAll("section")) {
        section.hidden = section.id !== tab;
      }
      render();
    }

    function choose(id) {
      Object.assign(state, {id, all: new Map(), selected: null, dropped: 0, isLast: true});
      $("details").replaceChildren(element("p", {class: "faint"}, "Choose an exchange: ↑ ↓."));
      source.follow(id);
      render();
    }

    async function refreshSessions() {
      state.sessions = await source.sessions();
      const box = $("session");
      const ids = state.sessions.map((s) => s.id);
      if ([...box.options].map((o) => o.value).join() !== ids.join()) {
        box.replaceChildren(...state.sessions.map((s) => element("option", {value: s.id},
          s.name ?? s.id)));
        if (ids.includes(state.id)) box.value = state.id;
      }
      if (state.id === null && ids.length) choose(ids[0]);
    }

    function move(by) {
      const rows = [...$("rows").children];
      if (!rows.length) return;
      const at = rows.findIndex((row) => Number(row.dataset.number) === state.selected);
      const next = at < 0 ? (by > 0 ? 0 : rows.length - 1)
        : Math.max(0, Math.min(rows.length - 1, at + by));
      report(select(Number(rows[next].dataset.number)));
    }

    function key(event) {
      const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.key === "Escape") return event.target.blur();
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const tabs = [...document.querySelectorAll("[role=tab]")].filter((tab) => !tab.hidden);
      const calls = {
        "/": () => (state.tab === "recordings" ? $("search") : $("filter")).focus(),
        ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1), k: () => move(-1),
        "[": () => turn(-1), "]": () => turn(1),
        ArrowLeft: () => step(tabs, -1), ArrowRight: () => step(tabs, 1),
      };
      if (/^[1-5]$/.test(event.key) && tabs[event.key - 1]) {
        calls[event.key] = () => show(tabs[event.key - 1].dataset.tab);
      }
      if (!calls[event.key]) return;
      event.preventDefault();
      calls[event.key]();
    }
    function step(tabs, by) {
      const at = tabs.findIndex((tab) => tab.dataset.tab === state.tab);
      const next = tabs[(at + by + tabs.length) % tabs.length];
      show(next.dataset.tab);
      next.focus();
    }

    const data = $("data");
    const source = data ? embedded(JSON.parse(data.textContent)) : live();
    for (const button of document.querySelectorAll("[role=tab]")) {
      button.addEventListener("click", () => show(button.dataset.tab));
      if (data && button.dataset.live !== undefined) button.hidden = true;
    }
    $("session").addEventListener("change", (event) => choose(event.target.value));
    $("filter").addEventListener("input", (event) => {
      state.filter = event.target.value;
      show("exchanges");
    });
    $("search").addEventListener("input", () => report(renderRecordings()));
    $("older").addEventListener("click", () => turn(-1));
    $("newer").addEventListener("click", () => turn(1));
    $("theme").addEventListener("click", () => {
      const root = document.documentElement;
      const isDark = root.dataset.theme ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = isDark ? "light" : "dark";
    });
    $("token").addEventListener("change", (event) => {
      state.token = event.target.value;
      report(refreshSessions());
    });
    document.addEventListener("keydown", key);
    show("exchanges");
    report(refreshSessions());
    if (data) status("a file", "faint");
    else setInterval(() => report(refreshSessions()), 3000);

    """#
}
