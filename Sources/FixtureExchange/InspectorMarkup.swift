/// What the inspector looks like.
enum InspectorMarkup {
  static let style = #"""
    :root {
      color-scheme: light dark;
      --back: #fff; --front: #1c2128; --faint: #6a737d; --line: #d8dee4; --raised: #f5f7f9;
      --accent: #0860c4; --good: #1a7f37; --warn: #9a5b00; --bad: #c4232b; --plan: #b3c7e0;
    }
    @media (prefers-color-scheme: dark) {
      :root:not([data-theme=light]) {
        --back: #14181d; --front: #e3e8ee; --faint: #95a0ac; --line: #30373f; --raised: #1c2229;
        --accent: #6cb0ff; --good: #56c271; --warn: #e0a84e; --bad: #ff7b78; --plan: #34506f;
      }
    }
    :root[data-theme=light] { color-scheme: light; }
    :root[data-theme=dark] {
      color-scheme: dark;
      --back: #14181d; --front: #e3e8ee; --faint: #95a0ac; --line: #30373f; --raised: #1c2229;
      --accent: #6cb0ff; --good: #56c271; --warn: #e0a84e; --bad: #ff7b78; --plan: #34506f;
    }
    * { box-sizing: border-box; }
    html, body { height: 100%; margin: 0; }
    body {
      display: flex; flex-direction: column; background: var(--back); color: var(--front);
      font: 14px/1.45 system-ui, sans-serif;
    }
    header, nav {
      display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; padding: .5rem 1rem;
    }
    header { border-bottom: 1px solid var(--line); background: var(--raised); }
    h1 { font-size: 1rem; margin: 0 .5rem 0 0; }
    h2 { font-size: 1rem; margin: 1rem 0 .4rem; }
    #token { -webkit-text-security: disc; }
    .grow { flex: 1; }
    .faint { color: var(--faint); }
    .good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
    button, select, input {
      font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line);
      border-radius: 5px; padding: .25rem .6rem;
    }
    button { cursor: pointer; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    [role=tab][aria-selected=true] {
      border-color: var(--accent); color: var(--accent); font-weight: 600;
    }
    main { flex: 1; min-height: 0; display: flex; }
    section { flex: 1; min-width: 0; overflow: auto; padding: 0 1rem 1rem; }
    section[hidden] { display: none; }
    #exchanges { display: flex; padding: 0; overflow: hidden; }
    #exchanges[hidden] { display: none; }
    .list { flex: 1; min-width: 0; overflow: auto; }
    .details {
      flex: 0 0 30%; min-width: 20rem; overflow: auto; padding: 0 1rem 1rem;
      border-left: 1px solid var(--line);
    }
    table { border-collapse: collapse; width: 100%; }
    th, td {
      text-align: left; padding: .2rem .45rem; border-bottom: 1px solid var(--line);
      white-space: nowrap; vertical-align: top;
    }
    th { position: sticky; top: 0; background: var(--raised); font-weight: 600; z-index: 1; }
    td.target { max-width: 14rem; overflow: hidden; text-overflow: ellipsis; }
    td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
    tbody tr { cursor: pointer; }
    tbody tr:hover { background: var(--raised); }
    tr[aria-selected=true] { background: color-mix(in srgb, var(--accent) 18%, transparent); }
    pre, code, .mono { font: 12.5px/1.5 ui-monospace, monospace; }
    pre {
      white-space: pre-wrap; overflow-wrap: anywhere; background: var(--raised); padding: .5rem;
      border-radius: 5px; margin: .3rem 0; max-height: 24rem; overflow: auto;
    }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem; margin: .3rem 0; }
    dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
    svg { display: block; width: 100%; }
    svg text { fill: var(--faint); font: 11px system-ui, sans-serif; }
    .plan { fill: var(--plan); } .wait { fill: var(--accent); opacity: .45; }
    .body { fill: var(--accent); } .failed { fill: var(--bad); } .mark { stroke: var(--warn); }
    .axis { stroke: var(--line); } .first { stroke: var(--accent); fill: none; stroke-width: 1.6; }
    .second { stroke: var(--warn); fill: none; stroke-width: 1.6; stroke-dasharray: 5 3; }
    .bar-1 { fill: var(--accent); } .bar-2 { fill: var(--good); } .bar-3 { fill: var(--warn); }
    .plots {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 1rem;
    }
    figure { margin: 0; border: 1px solid var(--line); border-radius: 6px; padding: .6rem; }
    figcaption { font-weight: 600; margin-bottom: .3rem; }
    figure p { margin: .3rem 0 0; }
    .trace { width: 30%; min-width: 6rem; padding: .35rem .5rem; }
    .list p { padding: 0 .5rem; }
    .plots { margin-top: 1rem; }
    .trace svg { height: 14px; }
    @media (max-width: 60rem) {
      #exchanges { flex-direction: column; }
      .details { border-left: 0; flex: 1; }
    }

    """#

  static let body = #"""
    <header>
    <h1>fixtured</h1>
    <label>session <select id="session" aria-label="session"></select></label>
    <input id="filter" type="search" placeholder="filter ( / )" aria-label="filter exchanges">
    <input id="token" type="text" placeholder="token" aria-label="token" autocomplete="off"
    hidden>
    <span id="count" class="faint"></span>
    <span class="grow"></span>
    <span id="status" role="status"></span>
    <button id="theme" type="button">dark / light</button>
    </header>
    <nav role="tablist" aria-label="views">
    <button type="button" role="tab" data-tab="exchanges">1 Exchanges</button>
    <button type="button" role="tab" data-tab="connections">2 Connections</button>
    <button type="button" role="tab" data-tab="plots-tab">3 Plots</button>
    <button type="button" role="tab" data-tab="verdict-tab" data-live>4 Verdict</button>
    <button type="button" role="tab" data-tab="recordings" data-live>5 Recordings</button>
    <span class="grow"></span>
    <span class="faint">↑ ↓ choose, ← → views, [ ] pages, / filter</span>
    </nav>
    <main>
    <section id="exchanges" aria-label="exchanges">
    <div class="list" tabindex="0">
    <table>
    <thead><tr><th class="number">#</th><th>method</th><th>target</th><th class="number">status</th>
    <th>answered by</th><th class="number">head</th><th class="number">whole</th>
    <th class="number">sent</th><th>outcome</th><th>time</th></tr></thead>
    <tbody id="rows"></tbody>
    </table>
    <p><button id="older" type="button">older</button> <span id="page"></span>
    <button id="newer" type="button">newer</button><span id="scale" class="faint"></span></p>
    </div>
    <div class="details" id="details" aria-live="polite"></div>
    </section>
    <section id="connections" aria-label="connections" hidden><div id="lanes"></div></section>
    <section id="plots-tab" aria-label="plots" hidden><div id="plots"></div></section>
    <section id="verdict-tab" aria-label="verdict" hidden><div id="verdict"></div></section>
    <section id="recordings" aria-label="recordings" hidden>
    <p><input id="search" type="search" placeholder="search ( / )" aria-label="search recordings">
    <span id="recordings-count" class="faint"></span></p>
    <table><thead><tr><th class="number">#</th><th>upstream</th><th>method</th><th>target</th>
    <th class="number">status</th><th class="number">content</th><th>outcome</th><th>notes</th>
    <th>asked for</th></tr></thead><tbody id="recordings-rows"></tbody></table>
    </section>
    </main>

    """#
}
