import FixtureHTTP

/// How failed requests were repeated.
extension Verdict {
  /// No client waits so little on purpose.
  private static let atOnce_ns: Int64 = 10_000_000
  /// Repeats in so short a time were not spread.
  private static let herdWindow_ns: Int64 = 20_000_000
  /// With fewer it may be chance.
  private static let herdMin = 5
  /// With fewer gaps nothing can be said of their growth.
  private static let gapsMin = 3

  static func retriedTooEarly(_ chain: [Attempt]) -> [Finding] {
    chain.indices.flatMap { index -> [Finding] in
      let first = chain[index]
      guard first.isAnswered, let end_ns = first.end_ns,
        let value = first.response?.fields.first(.retryAfter)
      else { return [] }
      // The first that follows: what comes later is judged by the answer to that.
      guard let next = chain[(index + 1)...].first(where: { $0.received_ns >= end_ns }) else {
        return []
      }
      let waited_ns = next.received_ns - end_ns
      if let seconds = Self.seconds(value) {
        guard waited_ns < seconds.saturatingMultiplied(by: 1_000_000_000) else { return [] }
        return [
          Finding(
            .retryAfter, [first.number, next.number],
            "\(first.name) was repeated after \(PrintableText.milliseconds(ns: waited_ns)), its "
              + "answer said after \(seconds) s")
        ]
      }
      guard let date = HTTPDate(parsing: value),
        next.receivedAt_us < date.secondsSince1970.saturatingMultiplied(by: 1_000_000)
      else { return [] }
      let early_us = date.secondsSince1970 * 1_000_000 - next.receivedAt_us
      return [
        Finding(
          .retryAfter, [first.number, next.number],
          "\(first.name) was repeated \(PrintableText.milliseconds(ns: early_us * 1000)) before "
            + "the date its answer gave, \(String(decoding: value, as: UTF8.self))")
      ]
    }
  }

  /// `delay-seconds` (RFC 9110 §10.2.3).
  private static func seconds(_ value: ArraySlice<UInt8>) -> Int64? {
    guard !value.isEmpty, value.count < 12, value.allSatisfy(\.isDigit) else { return nil }
    return Int64(String(decoding: value, as: UTF8.self))
  }

  static func retriedAtOnce(_ chain: [Attempt]) -> [Finding] {
    Attempt.retries(in: chain).compactMap { failed, retry, gap_ns in
      guard gap_ns < atOnce_ns else { return nil }
      return Finding(
        .retryAtOnce, [failed.number, retry.number],
        "\(failed.name) was repeated \(PrintableText.milliseconds(ns: gap_ns)) after it had failed")
    }
  }

  static func withoutBackoff(_ chain: [Attempt]) -> [Finding] {
    // An answer that says when is no matter of the client's own gaps.
    let own = Attempt.retries(in: chain).filter { !($0.failed.response?.saysWhen ?? false) }
    guard own.count >= gapsMin, let first = own.first, let last = own.last,
      last.gap_ns <= first.gap_ns
    else { return [] }
    let gaps = own.map { PrintableText.milliseconds(ns: $0.gap_ns) }.joined(separator: ", ")
    return [
      Finding(
        .backoff, own.map(\.failed.number) + [last.retry.number],
        "the gaps between attempts of \(first.failed.name) did not grow: \(gaps)")
    ]
  }

  static func tooMany(_ chain: [Attempt], _ attemptsMax: Int?) -> [Finding] {
    guard let attemptsMax, let first = chain.first else { return [] }
    // A request that follows a success is a new one.
    let runs = chain.split(omittingEmptySubsequences: true) { $0.isAnswered && !$0.hasFailed }
    return runs.compactMap { run in
      guard run.count > attemptsMax else { return nil }
      return Finding(
        .attempts, run.map(\.number),
        "\(first.name) was tried \(run.count) times, the limit is \(attemptsMax)")
    }
  }

  /// Repeats of different requests that came together, though nothing but their failures did.
  static func herds(_ chains: [[Attempt]]) -> [Finding] {
    let retries = chains.flatMap { Attempt.retries(in: $0).map(\.retry) }
      .sorted { ($0.received_ns, $0.number) < ($1.received_ns, $1.number) }
    var findings: [Finding] = []
    var start = 0
    while start < retries.count {
      let limit_ns = retries[start].received_ns.saturatingAdding(herdWindow_ns)
      let end = retries[start...].firstIndex { $0.received_ns > limit_ns } ?? retries.count
      guard end - start >= herdMin else {
        start += 1
        continue
      }
      let herd = retries[start..<end]
      let span_ns = (herd.last?.received_ns ?? 0) - retries[start].received_ns
      findings.append(
        Finding(
          .herd, herd.map(\.number),
          "\(herd.count) failed requests were repeated within "
            + "\(PrintableText.milliseconds(ns: span_ns)): their waits have no jitter"))
      start = end
    }
    return findings
  }
}

extension ResponseHead {
  fileprivate var saysWhen: Bool { fields.contains(.retryAfter) }
}
