extension InspectorScript {
  /// What keys and buttons do; it begins here.
  static let page = #"""
    // --- What is shown

    function status(text, kind) {
      $("status").textContent = text;
      $("status").className = kind;
    }

    let isScheduled = false;
    function schedule() {
      if (isScheduled) return;
      isScheduled = true;
      // What asks the server, or draws much, less often.
      const pause = state.tab === "exchanges" ? 120 : 1500;
      setTimeout(() => { isScheduled = false; render(); }, pause);
    }

    function render() {
      switch (state.tab) {
        case "exchanges": return renderList();
        case "connections": return renderLanes();
        case "rules-tab": return renderRulesView();
        case "verdict-tab": return report(renderVerdict());
        case "recordings": return report(renderRecordings());
        case "plots-tab": return renderPlots();
      }
    }
    // What waits moves on while nothing is told of it.
    function tick() {
      if (state.tab !== "exchanges" && state.tab !== "connections" || state.clock === null) return;
      if ([...state.all.values()].some(isOpen)) schedule();
    }
    function report(work) {
      Promise.resolve(work).catch((error) => {
        // Who follows the session says that the server is gone.
        if (error instanceof Gone || error.name === "AbortError") return;
        if (!(error instanceof Refused)) {
          status(`this page failed: ${error.message}`, "bad");
          throw error;
        }
        if (!state.isLocked) status(error.message, "warn");
      });
    }

    function show(tab) {
      state.tab = tab;
      lastVerdict = "";
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

    function unselect() {
      state.selected = null;
      $("exchanges").classList.remove("has-details");
      $("details").replaceChildren();
    }

    function choose(id) {
      Object.assign(state, {id, all: new Map(), plans: new Map(), dropped: 0, forgotten: 0,
        lastForgotten: 0, isLast: true, began: null, clock: null});
      rowsShown.clear();
      unselect();
      source.follow(id);
      render();
    }

    const sessionShown = () => state.sessions.find((s) => s.id === state.id);

    async function refreshSessions() {
      if (state.isLocked) return;
      state.sessions = await source.sessions();
      const box = $("session");
      const names = state.sessions.map((s) => [s.id, s.name ?? s.id]);
      const isGone = state.id !== null && !names.some(([id]) => id === state.id);
      if (isGone) names.push([state.id, `${state.id} (ended)`]);
      if ([...box.options].map((o) => o.value + o.text).join() !== names.flat().join()
        && [...box.options].map((o) => `${o.value},${o.text}`).join() !== names.join()) {
        box.replaceChildren(...names.map(([id, name]) => element("option", {value: id}, name)));
        if (state.id !== null) box.value = state.id;
      }
      if (state.id === null && names.length) choose(names[0][0]);
      if (state.tab === "rules-tab" && !document.activeElement.closest("#rules")) render();
    }

    function move(by) {
      const rows = [...$("rows").children];
      if (state.tab !== "exchanges" || !rows.length) return;
      const place = rows.findIndex((one) => Number(one.dataset.number) === state.selected);
      const next = place < 0 ? (by > 0 ? 0 : rows.length - 1)
        : Math.max(0, Math.min(rows.length - 1, place + by));
      report(select(Number(rows[next].dataset.number)));
    }

    function key(event) {
      const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.key === "Escape") {
        if (isTyping) return event.target.blur();
        if (state.selected === null) return;
        unselect();
        state.isLast = true;
        return render();
      }
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const tabs = [...document.querySelectorAll("[role=tab]")].filter((tab) => !tab.hidden);
      const calls = {
        "/": () => (state.tab === "recordings" ? $("search") : $("filter")).focus(),
        ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1), k: () => move(-1),
        "[": () => turn(-1), "]": () => turn(1), w: () => align(),
        ArrowLeft: () => step(tabs, -1), ArrowRight: () => step(tabs, 1),
      };
      const tab = /^[1-6]$/.test(event.key)
        && tabs.find((one) => one.textContent.startsWith(event.key));
      if (tab) calls[event.key] = () => show(tab.dataset.tab);
      if (!calls[event.key]) return;
      event.preventDefault();
      calls[event.key]();
    }
    function step(tabs, by) {
      const place = tabs.findIndex((tab) => tab.dataset.tab === state.tab);
      const next = tabs[(place + by + tabs.length) % tabs.length];
      show(next.dataset.tab);
      next.focus();
    }
    function align() {
      state.isAligned = !state.isAligned;
      render();
    }

    const data = $("data");
    const source = data ? embedded(JSON.parse(data.textContent)) : live();
    for (const button of document.querySelectorAll("[role=tab]")) {
      button.addEventListener("click", () => show(button.dataset.tab));
    }
    if (data) for (const one of document.querySelectorAll("[data-live]")) one.hidden = true;
    $("session").addEventListener("change", (event) => choose(event.target.value));
    $("filter").addEventListener("input", (event) => {
      state.filter = event.target.value;
      if (state.tab === "recordings" || state.tab === "verdict-tab") show("exchanges");
      else render();
    });
    let searching = null;
    $("search").addEventListener("input", () => {
      clearTimeout(searching);
      searching = setTimeout(() => report(renderRecordings()), 150);
    });
    $("recordings-more").addEventListener("click", () => report(renderRecordings(true)));
    for (const name of ["connections-max", "attempts-max"]) {
      $(name).addEventListener("input", (event) => {
        state.limits[name] = event.target.validity.valid ? event.target.value : "";
        report(renderVerdict());
      });
    }
    $("older").addEventListener("click", () => turn(-1));
    $("newer").addEventListener("click", () => turn(1));
    $("aligned").addEventListener("click", align);
    $("theme").addEventListener("click", () => {
      const root = document.documentElement;
      const isDark = root.dataset.theme ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = isDark ? "light" : "dark";
    });
    $("access").addEventListener("submit", (event) => {
      event.preventDefault();
      if ($("token").value === "") return;
      state.token = $("token").value;
      $("token").value = "";
      state.isLocked = false;
      $("access").hidden = true;
      status("asking", "faint");
      report(refreshSessions().then(() => { if (!state.isLocked) choose(state.id); }));
    });
    document.addEventListener("keydown", key);
    unselect();
    show("exchanges");
    report(refreshSessions());
    if (data) status("a file", "faint");
    else {
      setInterval(() => report(refreshSessions()), 3000);
      setInterval(tick, 250);
    }

    """#
}
