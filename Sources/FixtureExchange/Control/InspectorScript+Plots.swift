extension InspectorScript {
  /// What many exchanges amount to.
  static let plots = #"""
    // --- Plots

    // Round numbers from `low` to `high`, about so many.
    function ticks(low, high, about) {
      const raw = (high - low) / about || 1;
      const power = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw * .999);
      const found = [];
      for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-6; i++) {
        found.push(i * step);
      }
      return found;
    }
    const number = (value) => String(Number(value.toPrecision(6)));

    // `lines`: each with a name, points and whether it steps. `x`, `y`: the axes, with their units.
    function plot(title, note, lines, x, y) {
      const width = 560, left = 58, right = 12, top = 26, base = 186;
      const height = lines.length > 1 ? 240 : 222;
      const points = lines.flatMap((line) => line.points);
      const figure = element("figure", {}, element("figcaption", {}, title));
      if (points.length < 2) {
        figure.append(element("p", {class: "faint"}, "too few exchanges"));
        return figure;
      }
      const low = x.low ?? Math.min(...points.map((p) => p[0]));
      const high = Math.max(...points.map((p) => p[0]), low + 1e-9);
      const most = Math.max(...points.map((p) => p[1]));
      const up = ticks(0, most > 0 ? most : 1, 4);
      if (up.at(-1) < most) up.push(up.at(-1) + (up[1] - up[0]));
      const placeX = (value) => left + (value - low) / (high - low) * (width - left - right);
      const placeY = (value) => base - value / up.at(-1) * (base - top);
      const svg = element("svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
        "aria-label": `${title}. ${note}`});
      for (const tick of up) svg.append(
        element("line", {class: "axis", x1: left, x2: width - right, y1: placeY(tick),
          y2: placeY(tick)}),
        element("text", {x: left - 6, y: placeY(tick) + 4, "text-anchor": "end"},
          number(tick)));
      for (const tick of ticks(low, high, 6)) svg.append(
        element("line", {class: "axis", x1: placeX(tick), x2: placeX(tick), y1: base,
          y2: base + 4}),
        element("text", {x: placeX(tick), y: base + 17, "text-anchor": "middle"}, number(tick)));
      svg.append(element("text", {x: 4, y: 13}, y.name),
        element("text", {x: width - right, y: base + 33, "text-anchor": "end"}, x.name));
      lines.forEach((line, index) => {
        const kind = index ? "second" : "first";
        let path = "", before = null;
        for (const p of line.points) {
          const px = placeX(p[0]).toFixed(1), py = placeY(p[1]).toFixed(1);
          path += before === null ? `M${px} ${py}` : line.isStep ? `H${px}V${py}` : `L${px} ${py}`;
          before = p;
        }
        svg.append(element("path", {class: kind, d: path}));
        if (lines.length > 1) svg.append(
          element("line", {class: kind, x1: left + index * 200, x2: left + 22 + index * 200,
            y1: height - 8, y2: height - 8}),
          element("text", {x: left + 28 + index * 200, y: height - 4}, line.name));
      });
      const reading = element("p", {class: "reading faint", "aria-hidden": "true"}, " ");
      svg.addEventListener("mousemove", (event) => {
        const box = svg.getBoundingClientRect();
        const want = low + ((event.clientX - box.left) / box.width * width - left)
          / (width - left - right) * (high - low);
        const values = lines.map((line) => [line, nearest(line, want)]).filter((one) => one[1]);
        if (!values.length) return;
        reading.textContent = `${x.text(values[0][1][0])}: ` + values.map(([line, p]) =>
          `${line.name} ${y.text(p[1])}`).join(", ");
      });
      svg.addEventListener("mouseleave", () => { reading.textContent = " "; });
      figure.append(svg, reading, element("p", {class: "faint"}, note), values(lines, x, y));
      return figure;
    }

    function nearest(line, want) {
      if (line.isStep) return line.points.findLast((p) => p[0] <= want);
      return line.points.reduce((a, b) =>
        a && Math.abs(a[0] - want) <= Math.abs(b[0] - want) ? a : b, null);
    }

    // The exact values behind a plot, at most 200 of them.
    function values(lines, x, y) {
      const rows = lines.flatMap((line) => line.points.map((p) => [p[0], line.name, p[1]]))
        .sort((a, b) => a[0] - b[0]);
      const step = Math.ceil(rows.length / 200);
      const kept = rows.filter((_, i) => i % step === 0);
      return element("details", {}, element("summary", {}, "values"),
        table([x.name, "", y.name], kept.map((row) => [x.text(row[0]), row[1], y.text(row[2])])));
    }

    function inFlight(all) {
      const edges = all.flatMap((x) => x.end_ms === null ? [[x.received_ms, 1]]
        : [[x.received_ms, 1], [x.end_ms, -1]]).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
      const points = [];
      let open = 0, most = 0, area = 0, before = edges.length ? edges[0][0] : 0;
      for (const [instant, change] of edges) {
        area += open * (instant - before);
        before = instant;
        open += change;
        most = Math.max(most, open);
        points.push([instant / 1000, open]);
      }
      const span = edges.length ? before - edges[0][0] : 0;
      return {points: thinned(points), most, mean: span > 0 ? area / span : 0};
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

    // Per stretch of time: how long exchanges took on average (W), and how long they would take if
    // all connections that were in use then were always busy: connections / rate (L = λW).
    function little(all) {
      const ends = all.filter((x) => x.end_ms !== null);
      if (ends.length < 4) return {actual: [], law: [], most: 0};
      let start = Infinity, end = 0;
      for (const x of ends) {
        start = Math.min(start, x.received_ms);
        end = Math.max(end, x.end_ms);
      }
      const parts = Math.max(1, Math.min(40, Math.floor(ends.length / 10)));
      const width = Math.max(1e-6, (end - start) / parts);
      const part = (value) => Math.min(parts - 1, Math.floor((value - start) / width));
      const sums = Array.from({length: parts}, () => ({n: 0, sum: 0, used: new Set()}));
      for (const x of ends) {
        const first = part(x.received_ms);
        sums[first].n += 1;
        sums[first].sum += length(x);
        for (let i = first; i <= part(x.end_ms); i++) sums[i].used.add(x.connection);
      }
      const actual = [], law = [];
      sums.forEach((one, i) => {
        if (!one.n) return;
        const middle = (start + (i + .5) * width) / 1000;
        actual.push([middle, one.sum / one.n]);
        law.push([middle, one.used.size * width / one.n]);
      });
      return {actual, law, most: Math.max(...sums.map((one) => one.used.size))};
    }

    // By nearest rank: the least value that p % of all are not above.
    function percentiles(all, of) {
      const sorted = all.map(of).filter((v) => v !== null).sort((a, b) => a - b);
      const rank = (p) => sorted[Math.max(0, Math.ceil(p / 100 * sorted.length - 1e-9) - 1)];
      if (!sorted.length) return {points: [], rank: () => null, n: 0};
      const steps = Array.from({length: 100}, (_, i) => i + 1);
      return {points: steps.map((p) => [p, rank(p)]), rank, n: sorted.length};
    }

    // Bytes of bodies that were sent, that 304s spared, and that were sent again whole.
    function revalidation(all) {
      const known = new Map();
      let sent = 0, spared = 0, again = 0, answers = 0, repeats = 0;
      for (const x of all) {
        sent += x.body_bytes;
        if (!x.response || x.request.method !== "GET" || x.outcome !== "completed") continue;
        const key = x.request.target;
        if (x.response.status === 304) {
          answers += 1;
          spared += known.get(key) ?? 0;
        } else if (x.response.status === 200) {
          if (known.has(key)) {
            again += x.body_bytes;
            repeats += 1;
          }
          known.set(key, x.body_bytes);
        }
      }
      return {sent, spared, again, answers, repeats};
    }

    function bars(title, note, rows) {
      const most = Math.max(1, ...rows.map((row) => row[1]));
      const svg = element("svg", {viewBox: `0 0 560 ${rows.length * 44 + 6}`, role: "img",
        "aria-label": `${title}: ${rows.map((row) => `${row[0]} ${row[1]} bytes`).join(", ")}`});
      rows.forEach(([name, value], i) => svg.append(
        element("text", {x: 4, y: 16 + i * 44},
          `${name}: ${size(value)}`
          + (value >= 1000 ? ` (${value.toLocaleString("en")} bytes)` : "")),
        element("rect", {class: `bar-${i + 1}`, x: 4, y: 22 + i * 44,
          width: Math.max(value > 0 ? 1 : 0, value / most * 548), height: 14})));
      return element("figure", {}, element("figcaption", {}, title), svg,
        element("p", {class: "faint"}, note));
    }

    function renderPlots() {
      const all = shown();
      if (!all.length) return fill($("plots"), element("p", {class: "faint"}, empty()));
      const flight = inFlight(all), law = little(all);
      const whole = percentiles(all, length), first = percentiles(all, wait);
      const bytes = revalidation(all);
      const time = {name: "seconds since the session began", text: (v) => v.toFixed(3) + " s"};
      const took = {name: "milliseconds", text: (v) => ms(v)};
      const told = [50, 90, 95, 99, 99.9, 100];
      const latency = plot("How long answers took",
        `by nearest rank, of ${count(whole.n, "exchange")} that ended`,
        [{name: "whole answer", points: whole.points},
          {name: "until the head", points: first.points}],
        {name: "percent of exchanges, up to", low: 0, text: (v) => "p" + v}, took);
      if (whole.n) latency.querySelector("svg").before(table([""].concat(told.map((p) =>
        p === 100 ? "longest" : "p" + p)),
      [["whole"].concat(told.map((p) => ms(whole.rank(p)))),
        ["head"].concat(told.map((p) => ms(first.rank(p))))], {class: "ranks"}));
      fill($("plots"), state.filter ? element("p", {class: "warn"},
        `of the ${count(all.length, "exchange")} that the filter shows`) : null,
      element("div", {class: "plots"},
        plot("Requests in flight",
          `at most ${flight.most} at once, ${flight.mean.toFixed(2)} on average over time`,
          [{name: "in flight", points: flight.points, isStep: true}], time,
          {name: "exchanges that are open", text: (v) => String(v)}),
        plot("Duration, and what Little's law allows the connections",
          `Up to ${count(law.most, "connection")} were in use. L = λW: with all of them always `
          + "busy an exchange would take connections ÷ arrivals per second. Where the lines meet, "
          + "the client's connections were its limit and requests queued for one; where the "
          + "duration is below, connections were idle in between.",
          [{name: "mean duration", points: law.actual},
            {name: "connections ÷ rate", points: law.law}], time, took),
        latency,
        bars("Bytes of bodies, with and without revalidation",
          `${count(bytes.answers, "answer")} 304 spared the last whole body of their target; `
          + `${count(bytes.repeats, "GET")} brought a whole body again, which a 304 could have `
          + "spared where nothing had changed.",
          [["sent", bytes.sent], ["without the 304s it would have been", bytes.sent + bytes.spared],
            ["sent again whole", bytes.again]])));
    }

    """#
}
