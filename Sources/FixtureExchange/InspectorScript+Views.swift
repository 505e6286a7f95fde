extension InspectorScript {
  /// Connections, verdict, recordings and plots.
  static let views = #"""
    // --- Connections

    function renderLanes() {
      const all = [...state.all.values()].slice(-2000);
      const lanes = [...new Set(all.map((x) => x.connection))];
      const box = $("lanes");
      if (!all.length) return box.replaceChildren(element("p", {class: "faint"}, "nothing yet"));
      const kept = lanes.slice(-200);
      const start = Math.min(...all.map((x) => x.received_ms));
      const end = Math.max(...all.map((x) => x.end_ms ?? x.received_ms), start + 1);
      const width = 1000, top = 22, step = 18;
      const at = (value) => 90 + (value - start) / (end - start) * (width - 100);
      const svg = element("svg", {viewBox: `0 0 ${width} ${top + kept.length * step + 6}`,
        role: "img", "aria-label": `${kept.length} connections`});
      for (let i = 0; i <= 4; i++) {
        const x = 90 + i / 4 * (width - 100);
        svg.append(element("line", {class: "axis", x1: x, x2: x, y1: top - 4,
          y2: top + kept.length * step}),
        element("text", {x, y: 12, "text-anchor": i === 4 ? "end" : "middle"},
          ms((end - start) * i / 4)));
      }
      kept.forEach((lane, index) => {
        const y = top + index * step;
        svg.append(element("text", {x: 4, y: y + 11}, `connection ${lane}`));
        for (const x of all) if (x.connection === lane) {
          const from = at(x.received_ms), to = at(x.end_ms ?? end);
          svg.append(element("rect", {class: tone(x) === "bad" ? "failed" : "body", x: from, y,
            width: Math.max(1.5, to - from), height: 13, "data-number": x.number,
            on: {click: () => { show("exchanges"); select(x.number); }}},
          element("title", {}, `${x.number} ${x.request.method} ${x.request.target}, `
            + `${ms(length(x))}, ${x.outcome}`)));
        }
      });
      box.replaceChildren(
        element("p", {class: "faint"}, `${lanes.length} connections`
          + (kept.length < lanes.length ? `, the last ${kept.length} are shown` : "")
          + "; from the first to the last of up to 2,000 exchanges"), svg);
    }

    // --- Verdict, recordings

    async function renderVerdict() {
      const verdict = await source.verdict();
      if (!verdict) return $("verdict").replaceChildren(
        element("p", {class: "faint"}, "There is no verdict here."));
      const findings = verdict.findings.map((found) => element("tr", {on: {click: () => {
        if (found.exchanges.length) { show("exchanges"); select(found.exchanges[0]); }
      }}},
      element("td", {class: "bad"}, found.check), element("td", {}, found.text),
      element("td", {}, found.exchanges.slice(0, 12).join(", ")
        + (found.exchanges.length > 12 ? ", …" : ""))));
      fill($("verdict"),
        element("p", {class: findings.length ? "bad" : "good"}, findings.length
          ? `${findings.length} findings in ${verdict.judged} exchanges`
          : `nothing against the client in ${verdict.judged} exchanges`,
        verdict.dropped ? `; ${verdict.dropped} before these were not kept` : ""),
        findings.length ? element("table", {}, element("thead", {}, element("tr", {},
          ["check", "what", "exchanges"].map((name) => element("th", {}, name)))),
        element("tbody", {}, findings.slice(0, 1000))) : null);
    }

    async function renderRecordings() {
      const found = await source.interactions($("search").value);
      $("recordings-rows").replaceChildren(...found.map((one) => element("tr", {},
        element("td", {class: "number"}, one.id), element("td", {}, one.upstream ?? ""),
        element("td", {}, one.method), element("td", {class: "target mono", title: one.target},
          one.target),
        element("td", {class: "number"}, one.status ?? "–"),
        element("td", {class: "number"}, one.content_size === null ? "" : size(one.content_size)),
        element("td", {}, one.outcome), element("td", {}, one.notes),
        element("td", {class: one.used ? "good" : "faint"}, one.used ? "used" : "unused"))));
      $("recordings-count").textContent = `${found.length} recordings`;
    }

    // --- Plots

    function plot(title, note, lines, unit, xUnit) {
      const width = 520, height = 190, left = 56, base = 160;
      const points = lines.flatMap((line) => line.points);
      const figure = element("figure", {}, element("figcaption", {}, title));
      if (points.length < 2) {
        figure.append(element("p", {class: "faint"}, "too few exchanges"));
        return figure;
      }
      const x0 = Math.min(...points.map((p) => p[0])), x1 = Math.max(...points.map((p) => p[0]));
      const y1 = Math.max(...points.map((p) => p[1]), 1e-9);
      const x = (value) => left + (value - x0) / Math.max(1e-9, x1 - x0) * (width - left - 10);
      const y = (value) => base - value / y1 * (base - 14);
      const svg = element("svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
        "aria-label": title});
      for (let i = 0; i <= 2; i++) {
        svg.append(
          element("line", {class: "axis", x1: left, x2: width - 10, y1: y(y1 * i / 2),
            y2: y(y1 * i / 2)}),
          element("text", {x: left - 4, y: y(y1 * i / 2) + 4, "text-anchor": "end"},
            unit(y1 * i / 2)),
          element("text", {x: x(x0 + (x1 - x0) * i / 2), y: base + 16,
            "text-anchor": ["start", "middle", "end"][i]}, xUnit(x0 + (x1 - x0) * i / 2)));
      }
      lines.forEach((line, index) => {
        const path = line.points.map((p, i) => (i ? "L" : "M") + x(p[0]).toFixed(1) + " "
          + y(p[1]).toFixed(1)).join("");
        svg.append(element("path", {class: index ? "second" : "first", d: path}));
        if (line.name) svg.append(
          element("line", {class: index ? "second" : "first", x1: left + index * 230,
            x2: left + 20 + index * 230, y1: base + 26, y2: base + 26}),
          element("text", {x: left + 24 + index * 230, y: base + 30}, line.name));
      });
      figure.append(svg, element("p", {class: "faint"}, note));
      return figure;
    }

    function inFlight(all) {
      const edges = all.flatMap((x) => x.end_ms === null ? [[x.received_ms, 1]]
        : [[x.received_ms, 1], [x.end_ms, -1]]).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
      const points = [];
      let count = 0, most = 0;
      for (const [at, change] of edges) {
        points.push([at, count]);
        count += change;
        most = Math.max(most, count);
        points.push([at, count]);
      }
      return {points: thinned(points), most};
    }

    // Of many points the highest of each of 500 stretches.
    function thinned(points) {
      if (points.length <= 1000) return points;
      const step = points.length / 500, kept = [];
      for (let i = 0; i < 500; i++) {
        const part = points.slice(Math.floor(i * step), Math.floor((i + 1) * step));
        kept.push(part.reduce((a, b) => b[1] > a[1] ? b : a));
      }
      return kept;
    }

    // Per stretch of time: how long exchanges took, and how long they would if as many as there are
    // connections were always under way (L = λW).
    function little(all) {
      const ended = all.filter((x) => x.end_ms !== null);
      if (ended.length < 4) return {actual: [], law: [], connections: 0};
      const start = ended[0].received_ms;
      const end = Math.max(...ended.slice(-5000).map((x) => x.end_ms));
      const count = Math.max(2, Math.min(40, Math.floor(ended.length / 10)));
      const width = Math.max(1e-6, (end - start) / count);
      const parts = Array.from({length: count}, () => ({n: 0, sum: 0, used: new Set()}));
      for (const x of ended) {
        const part = parts[Math.min(count - 1, Math.floor((x.received_ms - start) / width))];
        part.n += 1;
        part.sum += length(x);
        part.used.add(x.connection);
      }
      const actual = [], law = [];
      let connections = 0;
      parts.forEach((part, i) => {
        if (!part.n) return;
        const at = start + (i + .5) * width;
        connections = Math.max(connections, part.used.size);
        actual.push([at, part.sum / part.n]);
        law.push([at, part.used.size / (part.n / width)]);
      });
      return {actual, law, connections};
    }

    function percentiles(all, of) {
      const sorted = all.map(of).filter((v) => v !== null).sort((a, b) => a - b);
      const at = (p) => sorted[Math.min(sorted.length - 1, Math.floor(p / 100 * sorted.length))];
      if (!sorted.length) return {points: [], text: "nothing"};
      const steps = Array.from({length: 100}, (_, i) => i).concat([99.5, 99.9, 100]);
      return {points: steps.map((p) => [p, at(p)]),
        text: `p50 ${ms(at(50))}, p90 ${ms(at(90))}, p99 ${ms(at(99))}, max ${ms(at(100))}`};
    }

    // Bytes that came, that a 304 spared, and that one could have spared.
    function revalidation(all) {
      const known = new Map();
      let sent = 0, spared = 0, again = 0, answers = 0;
      for (const x of all) {
        sent += x.body_bytes;
        if (!x.response || x.request.method !== "GET") continue;
        const key = x.request.target;
        if (x.response.status === 304) {
          answers += 1;
          spared += known.get(key) ?? 0;
        } else if (x.response.status === 200 && x.outcome === "completed") {
          if (known.has(key)) again += x.body_bytes;
          known.set(key, x.body_bytes);
        }
      }
      return {sent, spared, again, answers};
    }

    function bars(title, note, rows) {
      const most = Math.max(1, ...rows.map((row) => row[1]));
      const svg = element("svg", {viewBox: "0 0 520 150", role: "img", "aria-label": title});
      rows.forEach(([name, value], i) => svg.append(
        element("text", {x: 4, y: 22 + i * 44}, `${name}: ${size(value)}`),
        element("rect", {class: `bar-${i + 1}`, x: 4, y: 28 + i * 44,
          width: Math.max(1, value / most * 500), height: 14})));
      return element("figure", {}, element("figcaption", {}, title), svg,
        element("p", {class: "faint"}, note));
    }

    function renderPlots() {
      const all = [...state.all.values()];
      const flight = inFlight(all), law = little(all);
      const whole = percentiles(all, length), first = percentiles(all, wait);
      const bytes = revalidation(all);
      $("plots").replaceChildren(element("div", {class: "plots"},
        plot("Requests in flight", `at most ${flight.most} at once`,
          [{points: flight.points}], (v) => Number.isInteger(v) ? v : v.toFixed(1), ms),
        plot("Duration, and what Little's law allows the connections",
          `${law.connections} connections: where the lines meet, all of them were busy and `
          + "requests waited for one; below, they were idle in between",
          [{name: "mean duration", points: law.actual},
            {name: "connections / rate", points: law.law}], ms, ms),
        plot("Latency percentiles", `whole: ${whole.text}; until the head: ${first.text}`,
          [{name: "whole answer", points: whole.points}, {name: "until the head",
            points: first.points}], ms, (v) => "p" + v.toFixed(0)),
        bars("Bytes, with and without revalidation",
          `${bytes.answers} answers 304; what they spared is the last whole answer's body`,
          [["sent", bytes.sent], ["spared by 304", bytes.spared],
            ["sent again whole", bytes.again]])));
    }

    """#
}
