import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureReplay
import Synchronization

/// The sessions of a replay: the one that the command serves, and those that the control API makes.
/// Each of those has threads and ports of its own, so that nothing of one touches another.
package final class SessionTable: Sendable {
  /// Each has a thread and some descriptors.
  package static let sessionsMax = 500
  /// The id of the command's own.
  package static let mainID = "default"

  /// What it does to make sessions and to tell of them.
  package struct Environment: Sendable {
    /// What the command replays by; sessions begin with it.
    let configuration: ReplayConfiguration
    /// Parses rules; the files of bodies they name lie beside the cassette.
    /// Which ports sessions may have; nil: any that is free.
    let ports: SessionPorts?
    /// How requests find the sessions that they name.
    let router: SessionRouter
    let scenario: @Sendable (ControlRequest.ScenarioRequest) throws(ControlError) -> ScenarioSetup?
    /// Where the exchanges of all are written as well; nil for nowhere.
    let log: JournalLog?
    /// Told with a line or several when a session ended because nobody used it.
    let onAbandoned: @Sendable (String) -> Void

    package init(
      configuration: ReplayConfiguration, ports: SessionPorts?, router: SessionRouter,
      scenario:
        @escaping @Sendable (ControlRequest.ScenarioRequest) throws(ControlError) ->
        ScenarioSetup?,
      log: JournalLog? = nil, onAbandoned: @escaping @Sendable (String) -> Void
    ) {
      self.log = log
      self.configuration = configuration
      self.ports = ports
      self.router = router
      self.scenario = scenario
      self.onAbandoned = onAbandoned
    }
  }

  private struct State {
    var sessions: [String: ServedSession] = [:]
    var made = 0
    /// Being made; they count for the limit.
    var pending = 0
  }

  private let environment: Environment
  private let main: ServedSession
  private let state = Mutex(State())

  package init(main: ServedSession, _ environment: Environment) {
    self.main = main
    self.environment = environment
    environment.router.add(main.server, as: main.id)
  }

  /// The command's own first, then in the order in which they were made.
  var all: [ServedSession] {
    let made = state.withLock { Array($0.sessions.values) }
    return [main] + made.sorted { ($0.began_ns, $0.id) < ($1.began_ns, $1.id) }
  }

  func session(_ id: String) throws(ControlError) -> ServedSession {
    guard let session = id == main.id ? main : state.withLock({ $0.sessions[id] }) else {
      throw ControlError(404, "there is no session \(id.debugDescription), or its lease has ended")
    }
    session.renew(at: MonotonicClock.now_ns())
    return session
  }

  /// Whether it has not ended. To ask is no use of it.
  func isServed(_ session: ServedSession) -> Bool {
    session === main || state.withLock { $0.sessions[session.id] === session }
  }

  func create(
    _ request: ControlRequest.SessionRequest
  ) throws(ControlError) -> ServedSession {
    var configuration = environment.configuration
    try apply(request, to: &configuration)
    let number: Int? = state.withLock { state in
      guard state.sessions.count + state.pending < Self.sessionsMax else { return nil }
      state.pending += 1
      state.made += 1
      return state.made
    }
    guard let number else {
      throw ControlError(
        503, "there are \(Self.sessionsMax) sessions already: DELETE those that are over")
    }
    defer { state.withLock { $0.pending -= 1 } }
    let gates = SessionGates()
    configuration.enterGate = { gates.enter($0, $1) }
    configuration.ports = environment.ports
    configuration.sessionID = "s\(number)"
    do throws(ServerError) {
      let journal = try journal("s\(number)", configuration)
      configuration.journal = journal
      let server = try ReplayServer.start(configuration)
      let session = ServedSession(
        id: configuration.sessionID, configuration, server, journal: journal, gates: gates,
        lease_s: request.lease_s)
      state.withLock { $0.sessions[session.id] = session }
      environment.router.add(server, as: session.id)
      return session
    } catch {
      throw ControlError(error)
    }
  }

  private func journal(
    _ id: String, _ configuration: ReplayConfiguration
  ) throws(ServerError) -> Journal {
    guard let log = environment.log else { return Journal() }
    do {
      return try log.journal(id, configuration)
    } catch {
      throw .store(error)
    }
  }

  private func apply(
    _ request: ControlRequest.SessionRequest, to configuration: inout ReplayConfiguration
  ) throws(ControlError) {
    configuration.port = 0
    configuration.threads = 1
    if let name = request.cassette {
      let own = configuration.cassette
      let folder = own.lastIndex(of: "/").map { String(own[...$0]) } ?? ""
      configuration.cassette = folder + (name.hasSuffix(".db") ? name : name + ".db")
    }
    if let words = request.match {
      do {
        try configuration.match.apply(words)
      } catch {
        throw ControlError(400, "the member match: \(error.description)")
      }
    }
    if let word = request.pace {
      guard let pacing = Pacing(word: word) else { throw wrong("pace", Pacing.expected) }
      configuration.pacing = pacing
    }
    if let word = request.exhausted {
      guard let exhausted = Exhausted(rawValue: word) else {
        throw wrong("exhausted", Exhausted.expected)
      }
      configuration.exhausted = exhausted
    }
    if let word = request.date {
      guard let dates = DatePolicy(word: word) else { throw wrong("date", DatePolicy.expected) }
      configuration.dates = dates
    }
    configuration.scenario = try environment.scenario(request.scenario)
    if request.givesReceipts {
      let setup = configuration.scenario
      configuration.scenario = ScenarioSetup(
        rules: setup?.rules ?? [], seed: setup?.seed ?? 1, files: setup?.files ?? [:],
        givesReceipts: true)
    }
  }

  private func wrong(_ member: String, _ expected: String) -> ControlError {
    ControlError(400, "the member \(member) must be \(expected)")
  }

  func setup(
    _ request: ControlRequest.ScenarioRequest
  ) throws(ControlError) -> ScenarioSetup? {
    try environment.scenario(request)
  }

  /// Ends a session.
  /// - Returns: what its journal proves.
  func delete(_ id: String, _ limits: Verdict.Limits) throws(ControlError) -> Verdict {
    guard id != main.id else {
      throw ControlError(409, "the default session lasts as long as the process: reset it instead")
    }
    guard let session = state.withLock({ $0.sessions.removeValue(forKey: id) }) else {
      throw ControlError(404, "there is no session \(id.debugDescription), or its lease has ended")
    }
    end(session)
    do {
      return try session.verdict(limits)
    } catch {
      throw ControlError(error)
    }
  }

  /// Ends those that nobody has used for as long as their lease.
  func endExpired(at now_ns: Int64) {
    let expired = state.withLock { state in
      let expired = state.sessions.values.filter { $0.hasExpired(at: now_ns) }
      for session in expired { state.sessions[session.id] = nil }
      return expired
    }
    for session in expired {
      end(session)
      var text = "session \(session.id) was abandoned, nobody used it for \(session.lease_s ?? 0) s"
      do throws(ServerError) {
        text += "\n\(try session.verdict(Verdict.Limits()))"
      } catch {
        text += "; it has no verdict: \(error)"
      }
      environment.onAbandoned(text)
    }
  }

  /// Ends all but the command's own.
  package func stop() {
    let sessions = state.withLock { state in
      defer { state.sessions = [:] }
      return Array(state.sessions.values)
    }
    for session in sessions { end(session) }
    environment.router.remove(main.id)
  }

  private func end(_ session: ServedSession) {
    environment.router.remove(session.id)
    _ = session.server.stop()
  }
}

extension ControlError {
  init(_ error: ServerError) {
    switch error {
    case .store(.notFound), .wordUnperformed, .upstreamInvalid:
      self.init(400, error.description)
    case .connectionRulesFixed, .tagsTooMany: self.init(409, error.description)
    case .store, .listen, .system, .controlTokenMissing, .controlTokenInvalid,
      .sessionPortsTaken:
      self.init(503, error.description)
    }
  }
}
