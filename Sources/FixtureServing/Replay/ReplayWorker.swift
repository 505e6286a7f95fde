import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureReplay
import FixtureStore

/// One loop of a replay server. Confined to it.
final class ReplayWorker {
  let context: ServingContext
  let replay: ReplayLoop
  /// Where connections can be accepted, in the order of upstreams; empty where there is one session
  /// only.
  private let entrances: [PassedConnection.Entrance]
  private var acceptors: [Acceptor] = []
  /// On the loop that accepts, when rules are about connections.
  var player: ConnectionPlayer?

  private init(
    context: ServingContext, replay: ReplayLoop, entrances: [PassedConnection.Entrance]
  ) {
    self.context = context
    self.replay = replay
    self.entrances = entrances
  }

  /// What every loop of a server is set up with.
  struct Setup: Sendable {
    let configuration: ReplayConfiguration
    let index: MatchIndex
    let session: ReplaySession
    let names: [String?]
    let heads: HeadRewriter
    let dates: SessionDates
    let scenario: ScenarioSession?
    /// nil when no rule is about connections.
    let connections: Connections?
    let links = SharedLinks()
    let addresses: [ListenerAddress]
  }

  /// What rules do to connections, for all loops.
  struct Connections: Sendable {
    let script: ConnectionScript
    let session: ScenarioSession
    let listening: ListeningSwitch
  }

  typealias Running = LoopWorker<ReplayWorker>

  /// Starts a thread whose loop has a worker; connections come by `serve`.
  static func start(_ setup: Setup, number: Int) throws(ServerError) -> Running {
    try Running.start(name: "replay-\(number)", systemFailure: ServerError.system) {
      (loop) throws(ServerError) in
      do throws(StoreError) {
        return try ReplayWorker(setup, on: loop)
      } catch {
        throw .store(error)
      }
    } end: {
      $0.end()
    }
  }

  private convenience init(_ setup: Setup, on loop: EventLoop) throws(StoreError) {
    let reader = try CassetteReader(path: setup.configuration.cassette)
    let context = ServingContext(
      loop: loop, bodies: BodySource(reader: reader), links: setup.links,
      onError: setup.configuration.onError)
    context.journal = setup.configuration.journal
    context.enterGate = setup.configuration.enterGate
    context.router = setup.configuration.router
    context.sessionID = setup.configuration.sessionID
    context.onDamage = setup.configuration.onDamage
    context.isTimed = setup.scenario != nil || setup.configuration.pacing != .immediate
    let configuration = setup.configuration
    let planning = ReplayPlanning(
      source: reader, index: setup.index,
      keys: MatchKeys(description: reader.description, options: configuration.match),
      options: .init(
        pacing: configuration.pacing, exhausted: configuration.exhausted,
        derives: configuration.derives),
      session: setup.session, scenario: setup.scenario, dates: setup.dates.shift,
      texts: LiveTexts(reader.description, secrets: configuration.texts),
      command: configuration.isRecordable
        ? RecordingCommand(cassette: reader.path, reader.description, match: configuration.match)
        : nil,
      onMiss: configuration.onMiss, onError: configuration.onError)
    let replay = ReplayLoop(
      planning: planning, heads: setup.heads, names: setup.names,
      clock: SessionClock(setup.dates, on: loop))
    let ports = setup.addresses.map(\.port)
    self.init(
      context: context, replay: replay,
      entrances: configuration.router == nil
        ? []
        : ports.indices.map { route in
          PassedConnection.Entrance(session: configuration.sessionID, route: route, ports: ports)
        })
  }

  func serve(descriptor: Int32, route: Int) {
    let responder = ReplayResponder(replay: replay, route: route)
    if entrances.isEmpty {
      context.serve(descriptor: descriptor, responder: responder)
    } else {
      context.serve(
        descriptor: descriptor, from: entrances[route], with: nil, responder: responder)
    }
  }

  /// Serves a connection that another session hands over, with the request it came for.
  func serve(_ passed: PassedConnection) {
    let entrance = passed.entrance
    let heads = entrance.session == context.sessionID ? nil : replay.heads.at(entrance.ports)
    context.serve(
      descriptor: passed.socket.take(), from: entrance, with: passed,
      responder: ReplayResponder(replay: replay, route: entrance.route, heads: heads))
  }

  func change(scenario: ScenarioSession?) {
    replay.change(scenario: scenario)
    // Answers may be due at a time after their request from now on.
    if scenario != nil { context.isTimed = true }
  }

  /// Accepts for all workers and hands connections round.
  func accept(
    _ listeners: Listeners, among workers: [Running], _ connections: Connections?
  ) throws(SystemError) {
    var turn = 0
    let serve = { [unowned self] (descriptor: Int32, route: Int) in
      let next = workers[turn % workers.count]
      turn += 1
      if next.thread.handle === context.loop.handle {
        self.serve(descriptor: descriptor, route: route)
      } else {
        Self.pass(descriptor, route, to: next)
      }
    }
    if let connections { play(connections, among: workers, serve) }
    acceptors = try listeners.accept(
      on: context.loop,
      { [unowned self] descriptor, route in
        if let player { player.accepted(descriptor, route) } else { serve(descriptor, route) }
      },
      onError: { [unowned self] in self.context.report($0) })
    player?.advance()
  }

  /// Accepts, or leaves those who connect to the listeners.
  func accepts(_ isAccepting: Bool) {
    for acceptor in acceptors {
      do throws(SystemError) {
        if isAccepting { try acceptor.start() } else { acceptor.stop() }
      } catch {
        context.report(
          "the listener can't be watched again, so nobody can connect any more: \(error); "
            + "start the replay again")
      }
    }
  }

  private static func pass(_ descriptor: Int32, _ route: Int, to worker: Running) {
    let bound = worker.bound
    let posted = worker.thread.handle.post {
      if let worker = bound.object {
        worker.serve(descriptor: descriptor, route: route)
      } else {
        Socket.close(descriptor)
      }
    }
    if !posted { Socket.close(descriptor) }
  }

  private func end() {
    for acceptor in acceptors { acceptor.stop() }
    acceptors = []
    player?.end()
    context.abortAll()
  }
}
