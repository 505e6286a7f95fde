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
    self.init(entries.map(Attempt.init), unused: unused, dropped: dropped, limits: limits)
  }

  /// The same by what the checks look at.
  /// - Parameter unused: nil where it is not known.
  package init(_ attempts: [Attempt], unused: [Int64]?, dropped: Int, limits: Limits) {
    let runs = Attempt.runs(of: attempts)
    let findings: [Finding] =
      runs.flatMap(Self.retriedTooEarly) + runs.flatMap(Self.retriedAtOnce)
      + runs.flatMap(Self.withoutBackoff) + Self.herds(runs)
      + runs.flatMap { Self.tooMany($0, limits.attemptsMax) }
      + Self.repeatedAmbiguously(attempts) + Self.keysReused(attempts)
      + Self.unconditional(attempts) + Self.credentialsStale(attempts)
      + Self.credentialsElsewhere(attempts) + Self.connections(attempts, limits.connectionsMax)
      + attempts.flatMap(Self.pastDeadline) + Self.unused(unused ?? []) + Self.misses(attempts)
    self.init(
      findings, judged: attempts.count, dropped: dropped,
      unjudged: Self.unjudged(limits, knowsUnused: unused != nil))
  }

  private static func unjudged(_ limits: Limits, knowsUnused: Bool) -> [Unjudged] {
    var unjudged: [Unjudged] = []
    if limits.attemptsMax == nil {
      unjudged.append(Unjudged(.attempts, "judged by a limit: give attempts-max"))
    }
    if limits.connectionsMax == nil {
      unjudged.append(Unjudged(.connections, "judged by a limit: give connections-max"))
    }
    unjudged.append(Unjudged(.afterEnd, "judged where a test ends before its server does"))
    if !knowsUnused {
      unjudged.append(
        Unjudged(.unused, "a journal tells what was asked for, not what the cassette holds"))
    }
    return unjudged
  }
}
