import FixtureHTTP

/// Requests that may have had their effect twice.
extension Verdict {
  static func repeatedAmbiguously(_ attempts: [Attempt]) -> [Finding] {
    var earlier: [Identity: Attempt] = [:]
    var findings: [Finding] = []
    for attempt in attempts where !attempt.request.method.isIdempotent {
      let identity = attempt.identity
      if let first = earlier[identity] {
        let isSameKey =
          first.idempotencyKey != nil && first.idempotencyKey == attempt.idempotencyKey
        let isRepeat = attempt.received_ns >= first.end_ns ?? .max
        if isRepeat, !isSameKey {
          let key =
            first.idempotencyKey == nil && attempt.idempotencyKey == nil
            ? "without an Idempotency-Key" : "under another Idempotency-Key"
          findings.append(
            Finding(
              .ambiguousRepeat, [first.number, attempt.number],
              "\(first.name) was repeated \(key), its first outcome is unknown to the client"))
        }
        // Whoever has left may be noticed only when its repeat is here already.
        if isRepeat || isSameKey { earlier[identity] = nil }
      }
      // What the client was told nothing of may have been done.
      if attempt.isAmbiguous { earlier[identity] = attempt }
    }
    return findings
  }

  static func keysReused(_ attempts: [Attempt]) -> [Finding] {
    struct Key: Hashable {
      let asker: [UInt8]
      let key: [UInt8]
    }
    var users: [Key: Attempt] = [:]
    // Libraries take all fields along to where a redirect leads, and a 303 leads to a GET.
    return attempts.filter { !$0.request.method.isSafe }.compactMap { attempt in
      guard let value = attempt.idempotencyKey else { return nil }
      let key = Key(asker: attempt.asker, key: value)
      guard let first = users[key], !first.isRedirected else {
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
  /// The request was read, and the client has no answer that says what became of it.
  fileprivate var isAmbiguous: Bool {
    guard wasRead else { return false }
    switch outcome {
    case .closed, .reset: return true
    // Who leaves behind the head has read it.
    case .aborted: return response == nil
    case .completed: return status == 502 || status == 504
    case .open, .stopped: return false
    }
  }

  fileprivate var isRedirected: Bool { isAnswered && 300..<400 ~= status ?? 0 }
}
