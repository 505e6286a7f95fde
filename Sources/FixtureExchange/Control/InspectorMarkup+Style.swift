extension InspectorMarkup {
  static let style = #"""
    :root {
      color-scheme: light dark;
      --back: #fff; --front: #1c2128; --faint: #5b6570; --line: #d8dee4; --raised: #f5f7f9;
      --accent: #0860c4; --good: #1a7f37; --warn: #9a5b00; --bad: #c4232b; --plan: #b3c7e0;
    }
    @media (prefers-color-scheme: dark) {
      :root:not([data-theme=light]) {
        --back: #14181d; --front: #e3e8ee; --faint: #9aa5b1; --line: #30373f; --raised: #1c2229;
        --accent: #6cb0ff; --good: #56c271; --warn: #e0a84e; --bad: #ff7b78; --plan: #34506f;
      }
    }
    :root[data-theme=light] { color-scheme: light; }
    :root[data-theme=dark] {
      color-scheme: dark;
      --back: #14181d; --front: #e3e8ee; --faint: #9aa5b1; --line: #30373f; --raised: #1c2229;
      --accent: #6cb0ff; --good: #56c271; --warn: #e0a84e; --bad: #ff7b78; --plan: #34506f;
    }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    html, body { height: 100%; margin: 0; }
    body {
      display: flex; flex-direction: column; background: var(--back); color: var(--front);
      font: 14px/1.45 system-ui, sans-serif;
    }
    header, nav {
      display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; padding: .45rem 1rem;
    }
    header { border-bottom: 1px solid var(--line); background: var(--raised); }
    h1 { font-size: 1rem; margin: 0 .5rem 0 0; }
    h2 { font-size: 1rem; margin: 1.1rem 0 .3rem; }
    h3 { font-size: .9rem; margin: .8rem 0 .2rem; color: var(--faint); }
    .grow { flex: 1; }
    .faint { color: var(--faint); }
    .good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
    .open { color: var(--accent); font-weight: 600; }
    button, select, input {
      font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line);
      border-radius: 5px; padding: .25rem .6rem;
    }
    button { cursor: pointer; }
    button:disabled { color: var(--faint); cursor: default; }
    button.link {
      border: 0; background: none; padding: 0; color: var(--accent); text-decoration: underline;
    }
    #filter { width: 17rem; }
    input[type=number] { width: 5rem; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    [role=tab][aria-selected=true] {
      border-color: var(--accent); color: var(--accent); font-weight: 600;
    }
    #access {
      margin: 0; padding: 1.2rem 1rem; border-bottom: 1px solid var(--line);
      display: flex; flex-wrap: wrap; gap: .6rem; align-items: center;
    }
    #access p { margin: 0; flex-basis: 100%; }
    main { flex: 1; min-height: 0; display: flex; }
    section { flex: 1; min-width: 0; overflow: auto; padding: 0 1rem 1rem; }
    #exchanges { display: flex; padding: 0; overflow: hidden; }
    .list { flex: 1; min-width: 0; overflow: auto; }
    .list > p { padding: 0 .5rem; margin: .5rem 0; }
    #exchanges:not(.has-details) .details { display: none; }
    .has-details .extra { display: none; }
    h2.bar { display: flex; align-items: center; }
    .details {
      flex: 0 0 34%; min-width: 22rem; overflow: auto; padding: 0 1rem 1rem;
      border-left: 1px solid var(--line);
    }
    table { border-collapse: collapse; width: 100%; }
    th, td {
      text-align: left; padding: .2rem .45rem; border-bottom: 1px solid var(--line);
      white-space: nowrap; vertical-align: top;
    }
    th { position: sticky; top: 0; background: var(--raised); font-weight: 600; z-index: 1; }
    td.target { max-width: 18rem; overflow: hidden; text-overflow: ellipsis; }
    td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
    .wrap { white-space: normal; overflow-wrap: anywhere; }
    #rows tr { cursor: pointer; }
    #rows tr:hover { background: var(--raised); }
    #rows tr.is-open { background: color-mix(in srgb, var(--accent) 6%, transparent); }
    #rows tr[aria-selected=true] {
      background: color-mix(in srgb, var(--accent) 18%, transparent);
    }
    .chip {
      font-size: .85em; padding: 0 .35rem; border-radius: 8px; border: 1px solid var(--line);
      color: var(--faint); margin-left: .3rem;
    }
    .verdict tr.check td { border-top: 2px solid var(--line); padding-top: .4rem; }
    .details td:first-child, #rules td { white-space: normal; overflow-wrap: anywhere; }
    .details td { font-variant-numeric: tabular-nums; }
    .details th, .details td { position: static; }
    ul.plain { list-style: none; margin: .3rem 0; padding: 0; }
    pre, code, .mono { font: 12.5px/1.5 ui-monospace, monospace; }
    pre {
      white-space: pre-wrap; overflow-wrap: anywhere; background: var(--raised);
      padding: .5rem; border-radius: 5px; margin: .3rem 0; max-height: 24rem; overflow: auto;
    }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem; margin: .4rem 0; }
    dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
    svg { display: block; width: 100%; }
    svg text { fill: var(--faint); font: 11px system-ui, sans-serif; }
    .act { cursor: pointer; }
    .lanes rect { stroke: var(--back); stroke-width: .6; }
    h2.bar button { font-size: .85rem; font-weight: 400; }
    .plan { fill: var(--plan); } .wait { fill: var(--accent); opacity: .45; }
    .body { fill: var(--accent); } .failed { fill: var(--bad); }
    .running { fill: var(--warn); opacity: .8; }
    .axis { stroke: var(--line); }
    .first { stroke: var(--accent); fill: none; stroke-width: 1.6; }
    .second { stroke: var(--warn); fill: none; stroke-width: 1.6; stroke-dasharray: 5 3; }
    .bar-1 { fill: var(--accent); } .bar-2 { fill: var(--good); } .bar-3 { fill: var(--warn); }
    .plots {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr));
      gap: 1rem; margin-top: 1rem; align-items: start;
    }
    figure { margin: 0; border: 1px solid var(--line); border-radius: 6px; padding: .7rem; }
    figcaption { font-weight: 600; margin-bottom: .3rem; }
    figure p { margin: .3rem 0 0; }
    .reading { min-height: 1.45em; }
    figure details { margin-top: .4rem; max-height: 16rem; overflow: auto; }
    figure th { top: 0; }
    .trace { width: 30%; min-width: 7rem; }
    .has-details td.target { max-width: 12rem; }
    .has-details .trace { width: 15%; min-width: 5rem; }
    td.by { max-width: 16rem; overflow: hidden; text-overflow: ellipsis; }
    td.trace { padding: .35rem .5rem; }
    .trace svg { height: 14px; }
    @media (max-width: 64rem) {
      #exchanges { flex-direction: column; }
      .list { flex: 1 1 55%; }
      .details { border-left: 0; border-top: 2px solid var(--line); flex: 1 1 45%; min-width: 0; }
      .keys { display: none; }
    }
    @media (max-width: 40rem) {
      header, nav, section { padding-left: .5rem; padding-right: .5rem; }
      #filter { width: 100%; }
      .trace, .extra { display: none; }
    }

    """#
}
