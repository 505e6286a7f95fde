extension InspectorScript {
  /// What was found of the client.
  static let verdict = #"""
    // --- The verdict

    const CHECKS = [
      ["retry-after", "repeated before the time that Retry-After gave"],
      ["retry-at-once", "repeated within 10 ms after a failure"],
      ["backoff", "gaps between attempts that did not grow"],
      ["herd", "many failed requests repeated at the same time"],
      ["attempts", "more attempts of a request than the limit"],
      ["ambiguous-repeat", "a write repeated after an unknown outcome"],
      ["key-reuse", "an Idempotency-Key with another request"],
      ["revalidation", "asked again without If-None-Match or If-Modified-Since"],
      ["stale-credentials", "credentials that a 401 had refused"],
      ["credentials-elsewhere", "credentials carried to another host by a redirect"],
      ["connections", "more connections in use at once than the limit"],
      ["deadline", "stayed past the deadline that the request named"],
      ["after-end", "requests after the end of the test"],
      ["unused", "recordings that nobody asked for"],
      ["misses", "requests without a recording"],
    ];
    const FINDINGS = 50, NUMBERS = 12;

    // Findings of the same words are one, with the exchanges of all.
    function gathered(findings) {
      const by = new Map();
      for (const one of findings) {
        const known = by.get(one.text);
        if (known) {
          known.times += 1;
          known.exchanges = known.exchanges.concat(one.exchanges);
        } else by.set(one.text, {...one, times: 1});
      }
      return [...by.values()];
    }

    function exchangeLinks(all) {
      const numbers = [...new Set(all)];
      const links = numbers.slice(0, NUMBERS).flatMap((n) => {
        const x = state.all.get(n);
        return [link(n, x ? `${x.request.method} ${x.request.target.slice(0, 200)}, ${summary(x)}`
          : "not kept any more", () => goTo(n)), " "];
      });
      return numbers.length > NUMBERS ? [links, `and ${numbers.length - NUMBERS} more`] : links;
    }

    let lastVerdict = "";
    async function renderVerdict() {
      const verdict = await source.verdict(state.limits);
      if (state.tab !== "verdict-tab") return;
      const text = JSON.stringify([verdict, state.all.size > 0]);
      // What has not changed is left alone, with its focus.
      if (text === lastVerdict) return;
      lastVerdict = text;
      const unjudged = new Map((verdict.unjudged ?? []).map((one) => [one.check, one.why]));
      const rows = CHECKS.flatMap(([check, means]) => {
        const found = verdict.findings.filter((one) => one.check === check);
        const told = gathered(found);
        const result = found.length
          ? element("span", {class: "bad"}, count(found.length, "finding"))
          : unjudged.has(check) ? element("span", {class: "warn"}, "not judged")
          : element("span", {class: "good"}, "nothing");
        const head = element("tr", {class: "check", "data-check": check},
          element("td", {class: "mono"}, check), element("td", {}, result),
          element("td", {class: "faint wrap", colspan: 2}, unjudged.get(check) ?? means));
        const lines = told.slice(0, FINDINGS).map((one) => {
          const first = state.all.get(one.exchanges[0]);
          return element("tr", {},
            element("td", {}), element("td", {class: "number", title: first
              ? date(first.received_ms) : ""}, first ? at(first.received_ms) : ""),
            element("td", {class: "wrap"}, one.text, one.times > 1
              ? element("span", {class: "chip"}, `${one.times}×`) : null),
            element("td", {class: "wrap"}, exchangeLinks(one.exchanges)));
        });
        if (told.length > FINDINGS) lines.push(element("tr", {}, element("td", {}),
          element("td", {class: "faint", colspan: 3}, `and ${told.length - FINDINGS} more`)));
        return [head, ...lines];
      });
      const failed = verdict.failed.length;
      fill($("verdict"),
        element("p", {class: failed ? "bad" : "good"}, failed
          ? `${count(verdict.findings.length, "finding")} of ${count(failed, "check")} `
            + `in ${count(verdict.judged, "exchange")}`
          : `nothing against the client in ${count(verdict.judged, "exchange")}`),
        verdict.dropped ? element("p", {class: "warn"},
          `${count(verdict.dropped, "exchange")} before these were not kept and are not judged.`)
          : null,
        (verdict.notes ?? []).map((note) => element("p", {class: "warn"}, note)),
        element("table", {class: "verdict"}, element("thead", {}, element("tr", {},
          ["check", "found", "what", "exchanges"].map((name) => element("th", {}, name)))),
        element("tbody", {}, rows)));
    }

    """#
}
