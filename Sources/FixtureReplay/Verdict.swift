import FixtureCassette
import FixtureFindings
import FixtureHTTP

/// What the journal of a session proves about its client.
package typealias Verdict = FixtureVerdict

extension Verdict {
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
    let runs = Attempt.runs(of: attempts)
    let findings: [Finding] =
      runs.flatMap(Self.retriedTooEarly) + runs.flatMap(Self.retriedAtOnce)
      + runs.flatMap(Self.withoutBackoff) + Self.herds(runs)
      + runs.flatMap { Self.tooMany($0, limits.attemptsMax) }
      + Self.repeatedAmbiguously(attempts) + Self.keysReused(attempts)
      + Self.unconditional(attempts) + Self.credentialsStale(attempts)
      + Self.credentialsElsewhere(attempts) + Self.connections(attempts, limits.connectionsMax)
      + attempts.flatMap(Self.pastDeadline) + Self.afterEnd(attempts, limits.end_ns)
      + Self.unused(unused) + Self.misses(entries)
    self.init(findings, judged: entries.count, dropped: dropped)
  }
}
