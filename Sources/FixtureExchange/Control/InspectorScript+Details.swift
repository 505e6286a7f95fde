extension InspectorScript {
  /// One exchange, whole.
  static let details = #"""
    // --- One exchange

    async function select(number) {
      state.selected = number;
      // Who looks at one does not want the list to run away.
      state.isLast = false;
      for (const one of $("rows").children) {
        const isIt = Number(one.dataset.number) === number;
        one.setAttribute("aria-selected", isIt);
        if (isIt) one.scrollIntoView({block: "nearest"});
      }
      const whole = await source.whole(number);
      if (state.selected !== number || !whole) return;
      $("exchanges").classList.add("has-details");
      renderDetails(whole);
    }

    function fields(list) {
      const lines = (list ?? []).map(([name, value]) => `${name}: ${value}`);
      return element("pre", {}, lines.join("\n"));
    }

    function pairs(list) {
      return element("dl", {}, list.filter(Boolean).map(([name, value, kind]) => [
        element("dt", {}, name), element("dd", {class: kind}, value)]));
    }

    function table(names, rows, attributes = {}) {
      return element("table", attributes,
        element("thead", {}, element("tr", {}, names.map((name) => element("th", {}, name)))),
        element("tbody", {}, rows.map((row) => element("tr", {},
          row.map((cell) => element("td", {}, cell))))));
    }

    // In one sentence, what happened.
    function summary(x) {
      const status = x.response ? `${isOpen(x) ? "is getting" : "got"} ${x.response.status}`
        : isOpen(x) ? "waits" : "got nothing";
      const by = x.source.kind === "interaction" ? ` from recording ${x.source.interaction}`
        : x.source.kind === "rules" ? " from rules alone"
        : x.source.kind === "miss" ? ": there is no recording" : "";
      const end = isOpen(x) ? `, for ${ms(ended(x) - x.received_ms)}` : ` after ${ms(length(x))}`;
      const how = isOpen(x) || x.outcome === "completed" ? "" : `; ${outcome(x)}`;
      return `${status}${by}${end}${how}`;
    }

    function renderRules(x) {
      const texts = new Map((x.rule_texts ?? []).map((one) => [one.number, one]));
      const line = (number) => {
        const one = texts.get(number);
        return [element("span", {class: "mono"}, one ? one.text : `rule ${number}`),
          one && one.origin ? element("span", {class: "faint"}, ` ${one.origin}`) : null, " ",
          link(`rule ${number}`, "exchanges that it had a part in",
            () => filterBy(`rule:${number}`))];
      };
      const draws = x.draws ?? [];
      return [
        x.rules.length ? element("ul", {class: "plain"},
          x.rules.map((number) => element("li", {}, line(number)))) : null,
        x.overruled && x.overruled.length
          ? pairs([["without effect", x.overruled.join(", ")]]) : null,
        draws.length ? table(["left to chance", "drawn", "rule"], draws.map((one) => [
          one.clause, one.drawn + (one.holds === undefined || one.holds === null ? ""
            : one.holds ? ", holds" : ", does not hold"), one.rule])) : null,
      ];
    }

    // The plan beside what happened, on the exchange's own clock.
    function renderTimes(x) {
      const since = (value) => value === null || value === undefined ? "–"
        : "+" + ms(value - x.received_ms);
      const rows = [["request came", "", at(x.received_ms), ""],
        ["request read", "", since(x.request_end_ms), ""]];
      const moment = (name, one) => one && rows.push([name, since(one.due_ms), since(one.done_ms),
        ms(one.done_ms - one.due_ms)]);
      moment("head sent", x.head);
      moment("last step done", x.last);
      rows.push(["ended", "", isOpen(x) ? "open" : since(x.end_ms), ""]);
      const plan = state.plans.get(x.number) ?? x.plan;
      const lateness = late(x) ?? 0;
      return [
        table(["", "planned", "happened", "late"], rows, {class: "times"}),
        lateness > 20 && !isOpen(x) ? element("p", {class: "warn"},
          `The last step was ${ms(lateness)} late: a client that reads slowly, or a busy machine.`)
          : null,
        x.rebased ? element("p", {class: "warn"}, "The client took what was sent so late that the "
          + `rest of the plan moved with it, ${count(x.rebased, "time")}.`) : null,
        plan && plan.length ? [
          element("h3", {}, isOpen(x) ? "What is planned" : "What was planned"),
          table(["step", "due", "until"], plan.map((one) => [one.step,
            one.due_ms === null ? "depends" : since(one.due_ms),
            one.until_ms === null ? "depends" : one.until_ms === one.due_ms ? ""
              : since(one.until_ms)]))] : null,
      ];
    }

    function content(request) {
      if (!request.content_size) return null;
      const isText = request.encoding !== "base64";
      const shownText = (request.content ?? "").slice(0, 65536);
      return [
        element("p", {class: "faint"}, `${size(request.content_size)} of content`
          + (request.sha256 ? `, SHA-256 ${request.sha256}` : "") + (isText ? "" : ", as base64")
          + (shownText.length < (request.content ?? "").length ? ", the first 64 KiB" : "")),
        shownText ? element("pre", {}, shownText) : null,
      ];
    }

    function renderDetails(x) {
      const others = [...state.all.values()].filter((one) => one.connection === x.connection);
      const place = others.findIndex((one) => one.number === x.number);
      const beside = (step, text) => others[place + step]
        ? link(text, `exchange ${others[place + step].number}`,
          () => goTo(others[place + step].number)) : null;
      fill($("details"),
        element("h2", {class: "bar"}, `Exchange ${x.number}`, element("span", {class: "grow"}),
          element("button", {type: "button", title: "Esc", on: {click: () => {
            unselect();
            renderList();
          }}}, "close")),
        element("p", {}, element("span", {class: "mono wrap"},
          `${x.request.method} ${x.request.target.slice(0, 300)}`), " ",
        element("span", {class: tone(x)}, summary(x))),
        x.source.kind === "miss" ? element("p", {class: "bad"}, x.source.text ?? "") : null,
        x.source.kind === "interaction" ? element("p", {}, answeredBy(x), " ",
          link("what else it answered", "exchanges of this recording",
            () => filterBy(`recording:${x.source.interaction}`))) : null,
        renderRules(x),
        element("h2", {}, "When"),
        renderTimes(x),
        pairs([
          ["date", date(x.received_ms)],
          ["connection", [link(x.connection, "exchanges of this connection",
            () => filterBy(`connection:${x.connection}`)), `, request ${x.ordinal} of it `,
          beside(-1, "← earlier"), " ", beside(1, "later →")]],
          ["others open", String(x.concurrent)],
          ["sent", `${size(x.head_bytes)} of heads, ${size(x.body_bytes)} of body`],
        ]),
        element("h2", {}, "Request"),
        element("pre", {}, `${x.request.method} ${x.request.target}`),
        fields(x.request.fields), content(x.request),
        element("h2", {}, "Response"),
        x.response ? [element("pre", {}, x.response.status), fields(x.response.fields)]
          : element("p", {class: "faint"}, isOpen(x) ? "none yet" : "none"));
    }

    """#
}
