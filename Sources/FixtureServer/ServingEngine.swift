import FixtureReplay
import FixtureServing
import FixtureSetup
import FixtureStore
import Synchronization

/// What a server answers with, and what it remembers when it is stopped.
final class ServingEngine: Sendable {
  enum Source: Sendable {
    case handler(HandlerResponder.Handler)
    case replay(ReplaySetup)
  }

  /// A server that runs.
  enum Running: Sendable {
    case handler(HandlerServer)
    case replay(ReplayServer)

    var addresses: [ListenerAddress] {
      switch self {
      case .handler(let server): server.addresses
      case .replay(let server): server.listeners
      }
    }

    func stop() {
      switch self {
      case .handler(let server): server.stop()
      case .replay(let server): _ = server.stop()
      }
    }
  }

  /// What a replay says of itself.
  final class Remarks: Sendable {
    private struct State {
      var misses: [String] = []
      var warnings: [String] = []
    }

    /// Of each kind; a test that goes wrong in a loop must not fill memory.
    private static let countMax = 1000
    private let state = Mutex(State())

    var misses: [String] { state.withLock { $0.misses } }
    var warnings: [String] { state.withLock { $0.warnings } }

    func add(miss: String) {
      state.withLock { if $0.misses.count < Self.countMax { $0.misses.append(miss) } }
    }

    func add(warning: String) {
      state.withLock { state in
        guard state.warnings.count < Self.countMax, !state.warnings.contains(warning) else {
          return
        }
        state.warnings.append(warning)
      }
    }
  }

  let journal = Journal()
  let remarks = Remarks()
  private let source: Source
  private let before = Mutex<Before>(Before())
  private let gates = Mutex<[String: FixtureGate]>([:])

  /// What the first start decided for those after it.
  private struct Before {
    var addresses: [ListenerAddress]?
    var state: ReplayServer.State?
  }

  init(_ source: Source) {
    self.source = source
  }

  /// What the scenario draws from; nil without one.
  var seed: UInt64? {
    if case .replay(let setup) = source { setup.scenario?.seed } else { nil }
  }

  /// The recordings that answered nothing so far, by their numbers; empty without a cassette.
  var unused: [Int64] {
    let used = journal.used
    return read { (reader) throws(StoreError) in
      try reader.interactionIDs().filter { !used.contains($0) }
    }
  }

  /// The same as what they are.
  var unusedRecordings: [FixtureRecording] {
    let ids = unused
    return read { (reader) throws(StoreError) in try FixtureRecording.all(ids, of: reader) }
  }

  /// Nothing without a cassette, or when it can't be read any more, which is a warning.
  private func read<Value>(
    _ body: (CassetteReader) throws(StoreError) -> [Value]
  ) -> [Value] {
    guard case .replay(let setup) = source else { return [] }
    do throws(FixtureFailure) {
      return try setup.read(body)
    } catch {
      remarks.add(warning: error.description)
      return []
    }
  }

  /// The one of this name, made when it is first asked for.
  func gate(_ name: String) -> FixtureGate {
    gates.withLock { gates in
      if let gate = gates[name] { return gate }
      let gate = FixtureGate(name)
      gates[name] = gate
      return gate
    }
  }

  /// Starts, or goes on where a stopped server was.
  func start() throws(ServerError) -> Running {
    try before.withLock { before throws(ServerError) in
      switch source {
      case .handler(let handler):
        let server = try HandlerServer(
          addresses: before.addresses, journal: journal, handler: handler)
        before.addresses = server.addresses
        return .handler(server)
      case .replay(let setup):
        let server = try ReplayServer.start(configuration(setup), continuing: before.state)
        before.state = server.state
        return .replay(server)
      }
    }
  }

  private func configuration(_ setup: ReplaySetup) -> ReplayConfiguration {
    let remarks = remarks
    var configuration = ReplayConfiguration(
      cassette: setup.path, pacing: setup.options.pacing, exhausted: setup.options.exhausted,
      match: setup.match, dates: setup.dates, derives: setup.options.derives,
      texts: { setup.secrets($0) }, onMiss: { remarks.add(miss: $0) },
      onError: { remarks.add(warning: $0) })
    configuration.isRecordable = setup.isRecordable
    configuration.scenario = setup.scenario
    configuration.journal = journal
    configuration.enterGate = { [weak self] name, opened in
      // A server that is gone has no connection left either.
      guard let gate = self?.gate(name) else { return {} }
      let token = gate.enter(opened)
      return { gate.leave(token) }
    }
    return configuration
  }
}
