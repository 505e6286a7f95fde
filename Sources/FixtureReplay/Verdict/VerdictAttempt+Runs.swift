import FixtureHTTP

/// Which exchanges are attempts of one request.
extension Verdict.Attempt {
  /// The attempts of each request, in order; the requests in the order of their first.
  ///
  /// A request is another attempt of one like it that had failed, or was told when to come again.
  /// It must have come after the end of that one, and no answer to a third one in between may have
  /// shown that all is well. Of several, it repeats the one that may be repeated first: whichever
  /// client waits as it should is then never taken for one that did not.
  static func runs(of attempts: [Self]) -> [[Self]] {
    var runs: [[Self]] = []
    var awaited: [Verdict.Identity: Awaited] = [:]
    for attempt in attempts {
      let place: Int
      if let earlier = awaited[attempt.repeated, default: Awaited()].take(before: attempt) {
        place = earlier
        runs[place].append(attempt)
      } else {
        place = runs.count
        runs.append([attempt])
      }
      awaited[attempt.repeated, default: Awaited()].add(attempt, in: place)
    }
    return runs
  }

  /// Attempts of requests that are the same, as long as another one may follow.
  private struct Awaited {
    private var last: [(attempt: Verdict.Attempt, run: Int)] = []
    /// Ends of answers that nothing has to follow.
    private var well_ns: [Int64] = []

    mutating func add(_ attempt: Verdict.Attempt, in run: Int) {
      if attempt.hasFailed || attempt.mayBeRepeatedFrom_ns != nil {
        last.append((attempt, run))
      } else if let end_ns = attempt.end_ns {
        well_ns.append(end_ns)
      }
    }

    /// The run that an attempt goes on with, from here on no other does.
    mutating func take(before attempt: Verdict.Attempt) -> Int? {
      if let wellLast_ns = well_ns.filter({ $0 <= attempt.received_ns }).max() {
        last.removeAll { $0.attempt.end_ns ?? .max < wellLast_ns }
        well_ns.removeAll { $0 <= attempt.received_ns }
      }
      let index = last.indices
        .filter { last[$0].attempt.end_ns ?? .max <= attempt.received_ns }
        .min { last[$0].attempt.repeatable_ns < last[$1].attempt.repeatable_ns }
      return index.map { last.remove(at: $0).run }
    }
  }

  private var repeatable_ns: Int64 { mayBeRepeatedFrom_ns ?? end_ns ?? .max }

  /// From when on it may be repeated by what its answer says (RFC 9110 §10.2.3), counted from when
  /// the head of that was sent; nil when it does not say. On a redirection the field is about the
  /// request that follows.
  var mayBeRepeatedFrom_ns: Int64? {
    guard let response, !(300..<400).contains(response.status), end_ns != nil,
      let value = response.fields.first(.retryAfter)
    else { return nil }
    let head_ns = head_ns ?? end_ns ?? received_ns
    if let seconds = Self.seconds(value) { return head_ns.addingSeconds(seconds) }
    guard let date = HTTPDate(parsing: value) else { return nil }
    let byClock_us = date.secondsSince1970.saturatingMultiplied(by: 1_000_000)
      .saturatingAdding(-receivedAt_us)
    let byClock_ns = received_ns.saturatingAdding(byClock_us.saturatingMultiplied(by: 1000))
    // A client whose clock may be wrong counts from the date of the answer.
    guard let sent = response.fields.first(.date).flatMap({ HTTPDate(parsing: $0) }) else {
      return byClock_ns
    }
    let wait_s = date.secondsSince1970.saturatingAdding(-sent.secondsSince1970)
    return min(byClock_ns, head_ns.addingSeconds(wait_s))
  }

  /// `delay-seconds` (RFC 9110 §10.2.3).
  static func seconds(_ value: ArraySlice<UInt8>) -> Int64? {
    guard !value.isEmpty, value.count < 12, value.allSatisfy(\.isDigit) else { return nil }
    return Int64(String(decoding: value, as: UTF8.self))
  }

  /// Whether the next attempt may be made by the client's HTTP library of its own accord: a kept
  /// connection ended before a byte of the answer, as one does that the server has given up
  /// meanwhile (RFC 9112 §9.3.1).
  func isResent(as next: Self) -> Bool {
    guard outcome == .closed || outcome == .reset else { return false }
    return isSilent && ordinal > 1 && request.method.isIdempotent && next.connection != connection
  }

  /// Pairs of attempts, the first of which failed and said nothing of when to come again, so that
  /// it was the client's own choice; without those that its HTTP library may have made.
  static func repeats(in run: [Self]) -> [(failed: Self, retry: Self, gap_ns: Int64)] {
    zip(run, run.dropFirst()).compactMap { failed, retry in
      guard failed.needsTime, failed.mayBeRepeatedFrom_ns == nil, !failed.isResent(as: retry),
        let end_ns = failed.end_ns
      else { return nil }
      return (failed, retry, retry.received_ns - end_ns)
    }
  }
}

extension Int64 {
  fileprivate func addingSeconds(_ seconds: Int64) -> Int64 {
    saturatingAdding(seconds.saturatingMultiplied(by: 1_000_000_000))
  }
}
