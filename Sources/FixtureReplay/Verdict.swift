import FixtureCassette
import FixtureHTTP

/// What the journal of a session proves about its client.
///
/// Each check looks for evidence against the client and says nothing without it: a check that finds
/// nothing is passed, also when there was nothing to look at. Of what a journal has dropped nothing
/// can be said; `dropped` tells how much that is.
package struct Verdict: Equatable, Sendable {
  /// What is judged.
  package enum Check: String, Equatable, Sendable, CaseIterable {
    /// A request was repeated before the time its answer gave (RFC 9110 §10.2.3).
    case retryAfter = "retry-after"
    /// It was repeated at once after it had failed.
    case retryAtOnce = "retry-at-once"
    /// Its repeats came at gaps that did not grow.
    case backoff
    /// Many that had failed were repeated at the same time.
    case herd
    /// There were more attempts than the limit.
    case attempts
    /// A request that is not idempotent was repeated though the first may have had its effect
    /// (RFC 9110 §9.2.2).
    case ambiguousRepeat = "ambiguous-repeat"
    /// An Idempotency-Key came again with another request.
    case keyReuse = "key-reuse"
    /// What the client had a validator for was asked without a condition (RFC 9111 §4.3).
    case revalidation
    /// Credentials that were refused were sent again (RFC 9110 §15.5.2).
    case staleCredentials = "stale-credentials"
    /// Credentials went to another host after a redirect (RFC 9110 §15.4).
    case credentialsElsewhere = "credentials-elsewhere"
    /// More connections were in use at once than the limit.
    case connections
    /// A client kept reading past the deadline that it had named.
    case deadline
    /// Requests came after the end of the test.
    case afterEnd = "after-end"
    /// Recordings were never used.
    case unused
    /// Requests had no recording.
    case misses
  }

  /// What is judged by.
  package struct Limits: Equatable, Sendable {
    /// Connections in use at once; nil: not judged.
    package var connectionsMax: Int?
    /// Attempts of one request; nil: not judged.
    package var attemptsMax: Int?
    /// When the test ended, on the clock of the entries; nil: it has not.
    package var end_ns: Int64?

    package init(connectionsMax: Int? = nil, attemptsMax: Int? = nil, end_ns: Int64? = nil) {
      self.connectionsMax = connectionsMax
      self.attemptsMax = attemptsMax
      self.end_ns = end_ns
    }
  }

  /// Evidence against the client.
  package struct Finding: Equatable, Sendable {
    package let check: Check
    /// The exchanges that show it, by their numbers, in order.
    package let exchanges: [Int]
    /// In a line, without anything a request held that may be secret.
    package let text: String

    package init(_ check: Check, _ exchanges: [Int], _ text: String) {
      self.check = check
      self.exchanges = exchanges
      self.text = text
    }
  }

  /// In the order of the checks, then of their exchanges.
  package let findings: [Finding]
  /// How many exchanges were judged.
  package let judged: Int
  /// How many the journal had forgotten by then.
  package let dropped: Int

  /// Judges a journal.
  /// - Parameter unused: the recordings that no request got, by their numbers.
  package init(_ journal: Journal, unused: [Int64] = [], limits: Limits = Limits()) {
    let entries = journal.entries
    self.init(
      entries, unused: unused, dropped: journal.totals.dropped, limits: limits)
  }

  /// Judges these exchanges, in the order in which they came.
  package init(
    _ entries: [JournalEntry], unused: [Int64] = [], dropped: Int = 0, limits: Limits = Limits()
  ) {
    let attempts = entries.map(Attempt.init)
    let chains = Attempt.chains(of: attempts)
    findings =
      chains.flatMap(Self.retriedTooEarly) + chains.flatMap(Self.retriedAtOnce)
      + chains.flatMap(Self.withoutBackoff) + Self.herds(chains)
      + chains.flatMap { Self.tooMany($0, limits.attemptsMax) }
      + Self.repeatedAmbiguously(attempts) + Self.keysReused(attempts)
      + Self.unconditional(attempts) + Self.credentialsStale(attempts)
      + Self.credentialsElsewhere(attempts) + Self.connections(attempts, limits.connectionsMax)
      + attempts.flatMap(Self.pastDeadline) + Self.afterEnd(attempts, limits.end_ns)
      + Self.unused(unused) + Self.misses(entries)
    judged = entries.count
    self.dropped = dropped
  }

  /// Those of one check.
  package func findings(_ check: Check) -> [Finding] { findings.filter { $0.check == check } }

  /// The checks that found something, in their order.
  package var failed: [Check] { Check.allCases.filter { !findings($0).isEmpty } }
}

extension Verdict: CustomStringConvertible {
  /// A line for each finding: `retry-after: …, exchanges 1, 2`.
  package var description: String {
    var lines = findings.map(\.description)
    if lines.isEmpty { lines = ["nothing against the client in \(judged) exchanges"] }
    if dropped > 0 { lines.append("\(dropped) exchanges before these were not kept") }
    return lines.joined(separator: "\n")
  }
}

extension Verdict.Finding: CustomStringConvertible {
  package var description: String {
    let numbers = exchanges.map(String.init).joined(separator: ", ")
    let places =
      switch exchanges.count {
      case 0: ""
      case 1: " (exchange \(numbers))"
      default: " (exchanges \(numbers))"
      }
    return "\(check.rawValue): \(text)\(places)"
  }
}
