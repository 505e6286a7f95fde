import FixtureHTTP

/// Requests that may have had their effect twice.
extension Verdict {
  static func repeatedAmbiguously(_ attempts: [Attempt]) -> [Finding] {
    var earlier: [Identity: Attempt] = [:]
    var findings: [Finding] = []
    for attempt in attempts where !attempt.request.method.isIdempotent {
      let identity = attempt.identity
      if let first = earlier[identity], let end_ns = first.end_ns, attempt.received_ns >= end_ns {
        let isSameKey =
          first.idempotencyKey != nil && first.idempotencyKey == attempt.idempotencyKey
        if !isSameKey {
          let key =
            first.idempotencyKey == nil && attempt.idempotencyKey == nil
            ? "without an Idempotency-Key" : "under another Idempotency-Key"
          findings.append(
            Finding(
              .ambiguousRepeat, [first.number, attempt.number],
              "\(first.name) was repeated \(key), its first outcome is unknown to the client"))
        }
      }
      // What the client was told nothing of may have been done.
      earlier[identity] = attempt.isAmbiguous ? attempt : nil
    }
    return findings
  }

  static func keysReused(_ attempts: [Attempt]) -> [Finding] {
    var users: [[UInt8]: Attempt] = [:]
    return attempts.compactMap { attempt in
      guard let key = attempt.idempotencyKey else { return nil }
      guard let first = users[key] else {
        users[key] = attempt
        return nil
      }
      guard first.identity != attempt.identity else { return nil }
      let what =
        first.request.target == attempt.request.target
          && first.request.method == attempt.request.method
        ? "other content" : "another request, \(attempt.name)"
      return Finding(
        .keyReuse, [first.number, attempt.number],
        "the Idempotency-Key of \(first.name) came again with \(what)")
    }
  }
}

extension Verdict.Attempt {
  /// The request was read, and the client has no whole answer that says what became of it.
  fileprivate var isAmbiguous: Bool {
    guard wasRead else { return false }
    switch outcome {
    case .closed, .reset, .aborted: return true
    case .completed: return status == 502 || status == 504
    case .open, .stopped: return false
    }
  }
}
