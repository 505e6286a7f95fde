import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureReplay
import FixtureStore

/// One loop of a replay server. Confined to it.
final class ReplayWorker {
  private let context: ServingContext
  private let replay: ReplayLoop
  private var acceptors: [Acceptor] = []

  private init(context: ServingContext, replay: ReplayLoop) {
    self.context = context
    self.replay = replay
  }

  /// What every loop of a server is set up with.
  struct Setup: Sendable {
    let configuration: ReplayConfiguration
    let index: MatchIndex
    let session: ReplaySession
    let names: [String?]
    let heads: HeadRewriter
    let dates: TimeShift
    let scenario: ScenarioSession?
    let links = SharedLinks()
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
      loop: loop, bodies: BodySource(reader: reader), halfCloseGrace_ns: Self.halfCloseGrace_ns,
      links: setup.links, onError: setup.configuration.onError)
    context.onDamage = setup.configuration.onDamage
    let replay = ReplayLoop(
      reader: reader, index: setup.index,
      keys: MatchKeys(
        description: reader.description, options: setup.configuration.match),
      session: setup.session, heads: setup.heads,
      names: setup.names,
      texts: LiveTexts(reader.description, secrets: setup.configuration.texts),
      pacing: setup.configuration.pacing, exhausted: setup.configuration.exhausted,
      scenario: setup.scenario, clock: SessionClock(setup.dates, on: loop),
      derives: setup.configuration.derives, missing: .explained,
      onMiss: setup.configuration.onMiss,
      onError: setup.configuration.onError)
    self.init(context: context, replay: replay)
  }

  func serve(fd: Int32, route: Int) {
    context.serve(fd: fd, responder: ReplayResponder(replay: replay, route: route))
  }

  /// Accepts for all workers and hands connections round.
  func accept(_ listeners: Listeners, among workers: [Running]) throws(SystemError) {
    var turn = 0
    acceptors = try listeners.accept(
      on: context.loop,
      { [unowned self] fd, route in
        let next = workers[turn % workers.count]
        turn += 1
        if next.thread.handle === self.context.loop.handle {
          self.serve(fd: fd, route: route)
        } else {
          Self.pass(fd, route, to: next)
        }
      },
      onError: { [unowned self] in self.context.report($0) })
  }

  private static func pass(_ fd: Int32, _ route: Int, to worker: Running) {
    let bound = worker.bound
    let posted = worker.thread.handle.post {
      if let worker = bound.object { worker.serve(fd: fd, route: route) } else { Socket.close(fd) }
    }
    if !posted { Socket.close(fd) }
  }

  private func end() {
    for acceptor in acceptors { acceptor.stop() }
    acceptors = []
    context.abortAll()
  }

  /// A client that closed its side is given this long until its response begins: within the half
  /// second in which one that has left must be noticed, long enough for an answer without delay.
  private static let halfCloseGrace_ns: Int64 = 400_000_000
}
