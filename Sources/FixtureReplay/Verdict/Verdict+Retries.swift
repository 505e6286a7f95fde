/// How failed requests were repeated.
extension Verdict {
  /// Clocks of clients are not that exact.
  private static let earlyGrace_ns: Int64 = 10_000_000
  /// No client waits so little on purpose.
  private static let atOnce_ns: Int64 = 10_000_000
  /// Repeats in so short a time were not spread.
  private static let herdWindow_ns: Int64 = 20_000_000
  /// With fewer it may be chance.
  private static let herdMin = 5
  /// With fewer gaps nothing can be said of their growth.
  private static let gapsMin = 3

  static func retriedTooEarly(_ run: [Attempt]) -> [Finding] {
    zip(run, run.dropFirst()).compactMap { first, next in
      guard let from_ns = first.mayBeRepeatedFrom_ns,
        next.received_ns.saturatingAdding(earlyGrace_ns) < from_ns,
        let value = first.response?.fields.first(.retryAfter)
      else { return nil }
      let text: String
      if let seconds = Attempt.seconds(value) {
        let waited_ns = next.received_ns - (first.head_ns ?? first.end_ns ?? first.received_ns)
        text =
          "\(first.name) was repeated after \(PrintableText.about(ns: waited_ns)), its "
          + "answer said after \(seconds) s"
      } else {
        let early_ns = from_ns - next.received_ns
        text =
          "\(first.name) was repeated \(PrintableText.about(ns: early_ns)) before the date "
          + "its answer gave, \(String(decoding: value, as: UTF8.self))"
      }
      return Finding(.retryAfter, [first.number, next.number], text)
    }
  }

  static func retriedAtOnce(_ run: [Attempt]) -> [Finding] {
    Attempt.repeats(in: run).compactMap { failed, retry, gap_ns in
      guard gap_ns < atOnce_ns else { return nil }
      return Finding(
        .retryAtOnce, [failed.number, retry.number],
        "\(failed.name) was repeated \(PrintableText.about(ns: gap_ns)) after it had failed")
    }
  }

  /// Waits that are drawn at random may shrink by chance, so only those are told that are all the
  /// same.
  static func withoutBackoff(_ run: [Attempt]) -> [Finding] {
    let repeats = Attempt.repeats(in: run)
    guard repeats.count >= gapsMin, let first = repeats.first, let last = repeats.last,
      let least_ns = repeats.map(\.gap_ns).min(), let most_ns = repeats.map(\.gap_ns).max(),
      most_ns <= least_ns + least_ns / 4 + atOnce_ns
    else { return [] }
    let gaps = repeats.map { PrintableText.about(ns: $0.gap_ns) }.joined(separator: ", ")
    return [
      Finding(
        .backoff, repeats.map(\.failed.number) + [last.retry.number],
        "the gaps between attempts of \(first.failed.name) did not grow: \(gaps)")
    ]
  }

  static func tooMany(_ run: [Attempt], _ attemptsMax: Int?) -> [Finding] {
    guard let attemptsMax, let first = run.first else { return [] }
    // A request that follows a success is a new one, as when a client asks until something is done.
    var findings: [Finding] = []
    var tried: [Attempt] = []
    var count = 0
    for (index, attempt) in run.enumerated() {
      let isResent = tried.last?.isResent(as: attempt) ?? false
      tried.append(attempt)
      if !isResent { count += 1 }
      guard !attempt.hasFailed || index == run.count - 1 else { continue }
      if count > attemptsMax {
        findings.append(
          Finding(
            .attempts, tried.map(\.number),
            "\(first.name) was tried \(count) times, the limit is \(attemptsMax)"))
      }
      tried = []
      count = 0
    }
    return findings
  }

  /// Repeats of different requests that came together, though nothing but their failures did.
  static func herds(_ runs: [[Attempt]]) -> [Finding] {
    let retries = runs.enumerated().flatMap { run, attempts in
      Attempt.repeats(in: attempts).map { (attempt: $0.retry, run: run) }
    }.sorted {
      ($0.attempt.received_ns, $0.attempt.number) < ($1.attempt.received_ns, $1.attempt.number)
    }
    var findings: [Finding] = []
    var start = 0
    while start < retries.count {
      let first_ns = retries[start].attempt.received_ns
      let limit_ns = first_ns.saturatingAdding(herdWindow_ns)
      let end =
        retries[start...].firstIndex { $0.attempt.received_ns > limit_ns } ?? retries.count
      var seen: Set<Int> = []
      let herd = retries[start..<end].filter { seen.insert($0.run).inserted }.map(\.attempt)
      guard herd.count >= herdMin else {
        start += 1
        continue
      }
      let span_ns = (herd.last?.received_ns ?? first_ns) - first_ns
      findings.append(
        Finding(
          .herd, herd.map(\.number),
          "\(herd.count) failed requests were repeated within "
            + "\(PrintableText.about(ns: span_ns)): their waits have no jitter"))
      start = end
    }
    return findings
  }
}
