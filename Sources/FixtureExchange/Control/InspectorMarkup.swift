/// What the inspector looks like.
enum InspectorMarkup {
  static let body = #"""
    <header>
    <h1>fixtured</h1>
    <label>session <select id="session" aria-label="session"></select></label>
    <input id="filter" type="search" placeholder="filter ( / )" aria-label="filter exchanges"
    title="words, or connection:N rule:N recording:N status:N is:open is:aborted is:miss">
    <span id="count" class="faint"></span>
    <span class="grow"></span>
    <span id="status" role="status"></span>
    <button id="theme" type="button">dark / light</button>
    </header>
    <form id="access" hidden>
    <p id="access-word" role="alert"></p>
    <label>token <input id="token" type="password" autocomplete="off"></label>
    <button type="submit">Continue</button>
    </form>
    <nav role="tablist" aria-label="views">
    <button type="button" role="tab" data-tab="exchanges">1 Exchanges</button>
    <button type="button" role="tab" data-tab="connections">2 Connections</button>
    <button type="button" role="tab" data-tab="plots-tab">3 Plots</button>
    <button type="button" role="tab" data-tab="verdict-tab">4 Verdict</button>
    <button type="button" role="tab" data-tab="rules-tab">5 Rules</button>
    <button type="button" role="tab" data-tab="recordings" data-live>6 Recordings</button>
    <span class="grow"></span>
    <span class="faint keys">↑ ↓ choose, ← → views, [ ] pages, w clock, / filter, Esc back</span>
    </nav>
    <main>
    <section id="exchanges" aria-label="exchanges">
    <div class="list" tabindex="0">
    <table>
    <thead><tr><th class="number">#</th><th class="number">at</th><th>method</th><th>target</th>
    <th class="number">status</th><th>outcome</th>
    <th class="trace" title="above what was planned, below what happened">planned / actual</th>
    <th class="number" title="from the request's head to the end">whole</th>
    <th class="number extra" title="from the request's head to that of the answer">head</th>
    <th class="number extra" title="bytes of heads and body">sent</th>
    <th>answered by</th></tr></thead>
    <tbody id="rows"></tbody>
    </table>
    <p id="empty" class="faint" hidden></p>
    <p><span id="pages"><button id="older" type="button">[ older</button> <span id="page"></span>
    <button id="newer" type="button">newer ]</button></span>
    <button id="aligned" type="button" title="w"></button>
    <span id="scale" class="faint"></span></p>
    </div>
    <div class="details" id="details" aria-live="polite"></div>
    </section>
    <section id="connections" aria-label="connections" hidden><div id="lanes"></div></section>
    <section id="plots-tab" aria-label="plots" hidden><div id="plots"></div></section>
    <section id="verdict-tab" aria-label="verdict" hidden>
    <p data-live>
    <label>connections at most <input id="connections-max" type="number" min="1"></label>
    <label>attempts at most <input id="attempts-max" type="number" min="1"></label></p>
    <div id="verdict"></div>
    </section>
    <section id="rules-tab" aria-label="rules" hidden><div id="rules"></div></section>
    <section id="recordings" aria-label="recordings" hidden>
    <p><input id="search" type="search" placeholder="search ( / )" aria-label="search recordings">
    <span id="recordings-count" class="faint" role="status"></span></p>
    <table><thead><tr><th class="number">#</th><th>upstream</th><th>method</th><th>target</th>
    <th class="number">status</th><th class="number">content</th><th>outcome</th><th>notes</th>
    <th>asked for</th></tr></thead><tbody id="recordings-rows"></tbody></table>
    <p><button id="recordings-more" type="button" hidden>more</button></p>
    </section>
    </main>

    """#
}
