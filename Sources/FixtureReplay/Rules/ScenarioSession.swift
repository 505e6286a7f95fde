import FixtureCassette
import FixtureHTTP
import Synchronization

/// What a session with a scenario begins with.
package struct ScenarioSetup: Sendable {
  package var rules: [Rule]
  package var seed: UInt64
  /// Contents of the files that bodies are taken from, by path as written; all that rules name.
  package var files: [String: [UInt8]]
  /// Whether answers name what made them.
  package var givesReceipts: Bool

  package init(
    rules: [Rule], seed: UInt64, files: [String: [UInt8]] = [:], givesReceipts: Bool = false
  ) {
    self.rules = rules
    self.seed = seed
    self.files = files
    self.givesReceipts = givesReceipts
  }

  /// - Parameters:
  ///   - now_ns: what `after` and `for` count from.
  ///   - number: of its rules, among those that the session has one after the other.
  package func begun(at now_ns: Int64, as number: Int = 1) -> ScenarioSession {
    ScenarioSession(self, began_ns: now_ns, number: number)
  }

  /// Its rules, expanded, in words.
  package func ruleSet(_ number: Int = 1) -> RuleSet {
    RuleSet(rules.flatMap(\.expanded), seed: seed, number: number)
  }

  /// Whether contents of requests may be read slowly.
  package var slowsUploads: Bool { rules.contains { $0.faults.contains { $0.word == .upload } } }

  /// A word of the rules that no player can perform yet.
  package var unperformed: String? {
    for case .hold in rules.flatMap(\.expanded).flatMap(\.faults) {
      return FaultWord.hold.rawValue
    }
    return nil
  }
}

/// A scenario in force, and what it remembers. Shared by all event loops: a request is planned as
/// a whole before the next one, so that counts and flags have one order.
package final class ScenarioSession: Sendable {
  package let seed: UInt64
  /// Expanded.
  package let rules: [Rule]
  /// The same in words.
  package let ruleSet: RuleSet
  /// Whether answers name what made them.
  package let givesReceipts: Bool
  /// Contents of the files that bodies are taken from, by path as written.
  let files: [String: [UInt8]]
  /// nil when no rule is about connections.
  package let connections: ConnectionScript?
  /// Whether rules ask whom a request is for.
  let namesAuthorities: Bool
  /// Whether rules say how the content of requests is read.
  let saysHowToRead: Bool
  /// What `after` and `for` count from.
  package let began_ns: Int64
  let drawn = DrawnBodies()
  private let state = Mutex(ScenarioState())

  /// - Parameter began_ns: on the clock of the instants that are given later.
  fileprivate init(_ setup: ScenarioSetup, began_ns: Int64, number: Int) {
    rules = setup.rules.flatMap(\.expanded)
    ruleSet = setup.ruleSet(number)
    seed = setup.seed
    files = setup.files
    givesReceipts = setup.givesReceipts
    self.began_ns = began_ns
    connections = ConnectionScript(rules)
    namesAuthorities = rules.contains { $0.pattern.authority != nil }
    saysHowToRead = rules.contains { $0.faults.contains { $0.word.subject == .reading } }
  }

  /// The flags that are raised now.
  package var raised: Set<Flag> { state.withLock { $0.raised } }

  /// Raises and clears flags as rules do; it counts from the next planned request.
  package func change(raise: [Flag], clear: [Flag]) {
    state.withLock { $0.change(raise: raise, clear: clear) }
  }

  /// Gives what a target names another entity tag from the next request on, at every upstream; nil:
  /// everything. With rules about tags it is their next generation.
  /// - Returns: false when there are too many targets to tell one more apart.
  package func bumpTag(of target: [UInt8]?) -> Bool {
    state.withLock { $0.bumpTag(of: target) }
  }

  /// Whether rules ask for the content of requests.
  package var asksForContent: Bool {
    rules.contains { $0.when.contains { $0.isAboutContent } }
  }

  private func elapsed(at now_ns: Int64) -> Duration {
    .nanoseconds(max(0, now_ns.saturatingAdding(-began_ns)))
  }

  /// Plans one request; no other is planned meanwhile.
  func planning<Value, Failure: Error>(
    _ body: (inout Planning) throws(Failure) -> sending Value
  ) throws(Failure) -> sending Value {
    try state.withLock { (state) throws(Failure) in
      // Taken out and put back, so that what it holds has one owner and is changed in place.
      var taken = ScenarioState()
      swap(&state, &taken)
      var planning = Planning(session: self, state: consume taken)
      defer { swap(&state, &planning.state) }
      return try body(&planning)
    }
  }

  /// What the planning of a request may ask and do.
  struct Planning {
    private let session: ScenarioSession
    fileprivate var state: ScenarioState

    fileprivate init(session: ScenarioSession, state: ScenarioState) {
      self.session = session
      self.state = state
    }

    func encounter(
      _ request: RuleRequest, key: UInt64, isContentRead: Bool, now_ns: Int64,
      begun: BegunRequest? = nil
    ) -> Encounter {
      state.encounter(
        session.rules, seed: session.seed, request, key: key, isContentRead: isContentRead,
        elapsed: session.elapsed(at: now_ns), begun: begun)
    }

    mutating func begin(_ request: RuleRequest, key: UInt64, now_ns: Int64) -> BegunRequest? {
      state.begin(
        session.rules, seed: session.seed, request, key: key, elapsed: session.elapsed(at: now_ns))
    }

    mutating func forget(_ begun: BegunRequest) { state.forget(begun) }

    /// The date of the session's first request.
    mutating func began(_ date: Int64) -> Int64 { state.began(date) }

    mutating func note(_ encounter: Encounter) { state.note(encounter) }

    func remembered(_ key: [UInt8]) -> Play? { state.remembered(key) }
    mutating func remember(_ play: Play, for key: [UInt8]) { state.remember(play, for: key) }
  }

  /// Decides what can be of a request whose content is still to come; see `ScenarioState.begin`.
  package func begin(_ request: RuleRequest, key: UInt64, now_ns: Int64) -> BegunRequest? {
    planning { $0.begin(request, key: key, now_ns: now_ns) }
  }

  /// What the next request would meet, for those who look ahead; it is noted as answered.
  package func foresee(_ request: RuleRequest, key: UInt64, now_ns: Int64) -> Encounter {
    planning { planning in
      let encounter = planning.encounter(
        request, key: key, isContentRead: true, now_ns: now_ns)
      planning.note(encounter)
      return encounter
    }
  }
}
