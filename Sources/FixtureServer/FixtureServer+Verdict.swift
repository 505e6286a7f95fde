import FixtureReplay
import FixtureSetup

extension FixtureServer {
  /// What its exchanges so far prove about the client.
  public var verdict: FixtureVerdict { verdict(.init()) }

  /// What its exchanges so far prove about the client. With a cassette, recordings that nobody
  /// asked for are found, too; where it can't be read any more, `warnings` say so.
  ///
  ///     let verdict = server.verdict(.init(connectionsMax: 6))
  ///     #expect(verdict.findings(of: .retryAfter, .connections).isEmpty, "\(verdict)")
  ///
  /// - Parameter limits: what connections and attempts are judged by.
  public func verdict(_ limits: FixtureVerdict.Limits = .init()) -> FixtureVerdict {
    FixtureVerdict(engine.journal, unused: engine.unused, limits: limits)
  }
}
