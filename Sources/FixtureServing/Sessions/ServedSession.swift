import FixtureCassette
import FixtureEventLoop
import FixtureReplay
import FixtureStore
import Synchronization

/// A replay with places, counts, flags, clock and journal of its own.
package final class ServedSession: Sendable {
  package let id: String
  package let server: ReplayServer
  package let journal: Journal
  package let gates: SessionGates
  /// When it began, and as a date: µs since 1970.
  package let began_ns: Int64
  package let beganAt_us: Int64
  /// nil: it lasts as long as the process.
  package let lease_s: Int64?
  /// What it was started with.
  let cassette: String
  private let scenario: Mutex<ScenarioSetup?>
  private let use: Mutex<Use>

  private struct Use {
    var last_ns: Int64
    var exchanges = 0
  }

  /// - Parameters:
  ///   - configuration: journal and gates of it are the session's own.
  ///   - server: answers by it.
  package init(
    id: String, _ configuration: ReplayConfiguration, _ server: ReplayServer, journal: Journal,
    gates: SessionGates, lease_s: Int64?
  ) {
    self.id = id
    self.server = server
    self.journal = journal
    self.gates = gates
    self.lease_s = lease_s
    cassette = configuration.cassette
    scenario = Mutex(configuration.scenario)
    began_ns = MonotonicClock.now_ns()
    beganAt_us = WallClock.now_us()
    use = Mutex(Use(last_ns: began_ns))
  }

  /// The rules in force, and what they draw from; nil for none.
  package var setup: ScenarioSetup? { scenario.withLock { $0 } }

  /// Other rules from the next request on. Whether answers name what made them stays as it is.
  package func change(_ setup: ScenarioSetup?) throws(ServerError) {
    var setup = setup
    if self.setup?.givesReceipts == true {
      setup = setup ?? ScenarioSetup(rules: [], seed: 1)
      setup?.givesReceipts = true
    }
    try server.change(scenario: setup)
    scenario.withLock { $0 = setup }
    if let rules { journal.changed(rules) }
  }

  /// The rules in force in words; nil for none.
  package var rules: RuleSet? {
    guard let scenario = server.state.scenario, !scenario.rules.isEmpty else { return nil }
    return scenario.ruleSet
  }

  /// Gives what a target names another entity tag from the next request on; nil: everything.
  package func bumpTag(of target: [UInt8]?) throws(ServerError) {
    // Something has to remember it, also where no rule does.
    if server.state.scenario == nil {
      try server.change(scenario: ScenarioSetup(rules: [], seed: 1))
    }
    guard server.state.scenario?.bumpTag(of: target) == true else { throw .tagsTooMany }
  }

  /// Begins anew, as if nobody had asked for anything; gates are closed. The journal begins anew,
  /// too.
  package func reset() throws(ServerError) {
    try server.reset(setup) {
      gates.reset()
      journal.reset()
    }
  }

  /// Somebody asks for it, or about it.
  package func renew(at now_ns: Int64) { use.withLock { $0.last_ns = now_ns } }

  /// Whether nobody has used it for as long as its lease. Requests are use.
  package func hasExpired(at now_ns: Int64) -> Bool {
    guard let lease_s else { return false }
    let totals = journal.totals
    return use.withLock { use in
      if totals.open > 0 || totals.exchanges != use.exchanges {
        use.exchanges = totals.exchanges
        use.last_ns = now_ns
      }
      return now_ns - use.last_ns > lease_s * 1_000_000_000
    }
  }

  /// What its journal proves about the client.
  package func verdict(_ limits: Verdict.Limits) throws(ServerError) -> Verdict {
    do {
      let ids = try CassetteReader(path: cassette).interactionIDs()
      let used = journal.used
      return Verdict(journal, unused: ids.filter { !used.contains($0) }, limits: limits)
    } catch {
      throw .store(error)
    }
  }
}
