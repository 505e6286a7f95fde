import FixtureReplay
import FixtureSetup

extension Fixture {
  /// What its exchanges so far prove about the client. Times are those of `clock`.
  public var verdict: FixtureVerdict { verdict(.init()) }

  /// What its exchanges so far prove about the client. Requests after `finish()` are found, too,
  /// and recordings that nobody asked for.
  ///
  /// - Parameter limits: what connections and attempts are judged by.
  public func verdict(_ limits: FixtureVerdict.Limits) -> FixtureVerdict {
    FixtureVerdict(journal, unused: unused, limits: limits)
      .adding(stragglers.map { .init(.afterEnd, [], $0.description) }, of: .afterEnd)
  }
}
