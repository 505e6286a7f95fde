import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureReplay
import FixtureServing
import FixtureStore
import FixtureTLS

/// The recorder's loop: listeners, clients' connections and what they share. Confined to it.
final class RecordWorker {
  private let context: ServingContext
  private let record: RecordLoop
  private var acceptors: [Acceptor] = []
  private let listeners: Listeners
  /// Clients served at once; the others wait to be accepted.
  private let clientsMax: Int
  private var isFull = false
  private var wasFull = false

  typealias Running = LoopWorker<RecordWorker>

  /// What the loop is set up with.
  struct Setup: Sendable {
    let configuration: RecordConfiguration
    let file: RecordFile.Opened
    let listeners: Listeners
    let tls: TLSContext?
  }

  /// Starts the thread; it accepts when this returns.
  static func start(_ setup: Setup) throws(RecordError) -> Running {
    try Running.start(name: "record", systemFailure: RecordError.system) {
      (loop) throws(RecordError) in
      let worker = try RecordWorker(setup, on: loop)
      try worker.accept()
      return worker
    } end: {
      $0.end()
    }
  }

  private init(_ setup: Setup, on loop: EventLoop) throws(RecordError) {
    let configuration = setup.configuration
    listeners = setup.listeners
    let links = LinkRewriter(
      routes: zip(configuration.upstreams, setup.listeners.addresses).map {
        LinkRewriter.Route(upstream: $0.url, port: $1.port)
      })
    let heads = HeadRewriter(links: links, rewritesCookies: configuration.rewritesCookies)
    var reader: CassetteReader?
    var replay: ReplayLoop?
    if configuration.target == .newEpisodes {
      (reader, replay) = try Self.replaying(setup, heads, on: loop)
    }
    clientsMax = try Self.clientsMax()
    context = ServingContext(
      loop: loop, bodies: BodySource(reader: reader), halfCloseGrace_ns: Self.halfCloseGrace_ns,
      onError: configuration.onError)
    record = RecordLoop(
      loop: loop, configuration: configuration, file: setup.file, listeners: listeners,
      heads: heads, tls: setup.tls, replay: replay, upstreamsMax: clientsMax)
    context.onClosed = { [unowned self] in acceptAgain() }
    record.onFailure = { [unowned self] in drain(configuration.onDrained) }
  }

  /// Plays what the file had when the recording began.
  private static func replaying(
    _ setup: Setup, _ heads: HeadRewriter, on loop: EventLoop
  ) throws(RecordError) -> (CassetteReader, ReplayLoop) {
    do throws(StoreError) {
      let configuration = setup.configuration
      let reader = try CassetteReader(path: configuration.cassette, access: .besideWriter)
      let contents = try CassetteContents(
        of: reader, as: setup.file.description, match: configuration.match)
      let dates = TimeShift(
        configuration.dates, start: WallClock.now_us() / 1_000_000, latest: contents.latest)
      let planning = ReplayPlanning(
        source: reader, index: contents.index,
        keys: MatchKeys(
          description: setup.file.description, options: configuration.match),
        options: .init(
          pacing: configuration.pacing, exhausted: configuration.exhausted,
          derives: configuration.derives, missing: .forwarded),
        session: ReplaySession(), scenario: nil, dates: dates,
        texts: LiveTexts(setup.file.description) { source in
          configuration.texts.first { $0.source == source }?.secrets
        },
        command: nil, onMiss: { _ in }, onError: configuration.onError)
      let replay = ReplayLoop(
        planning: planning, heads: heads, names: configuration.upstreams.map(\.name),
        clock: SessionClock(SessionDates(dates), on: loop))
      return (reader, replay)
    } catch {
      throw .store(error)
    }
  }

  private func accept() throws(RecordError) {
    do {
      acceptors = try listeners.accept(
        on: context.loop,
        { [unowned self] descriptor, route in
          let port = self.listeners.addresses[route].port
          self.context.serve(
            descriptor: descriptor,
            responder: RecordResponder(record: self.record, route: route, port: port))
          self.pauseIfFull()
        },
        onError: { [unowned self] in self.context.report($0) })
    } catch {
      throw .system(error)
    }
  }

  /// Half of the descriptors: each client may need a connection to an upstream.
  private static func clientsMax() throws(RecordError) -> Int {
    do {
      return max(1, (try DescriptorLimit.current() - descriptorsReserved) / 2)
    } catch {
      throw .system(error)
    }
  }

  private func pauseIfFull() {
    guard context.connectionCount >= clientsMax else { return }
    isFull = true
    for acceptor in acceptors { acceptor.stop() }
    if wasFull { return }
    wasFull = true
    context.report(
      "\(clientsMax) clients are connected, as many as the limit of open files allows; others "
        + "wait: raise it (ulimit -n)")
  }

  private func acceptAgain() {
    guard isFull, context.connectionCount < clientsMax, !record.isStopping, !context.isDraining
    else { return }
    isFull = false
    for acceptor in acceptors {
      do {
        try acceptor.start()
      } catch {
        context.report("connections are not accepted any more: \(error)")
      }
    }
  }

  /// Accepts no more, ends every exchange, and gives the summary once all of them are in the file
  /// or can't be.
  func stop(_ then: @escaping (RecordSummary) -> Void) {
    record.isStopping = true
    stopAccepting()
    context.abortAll()
    record.closeUpstreams()
    record.whenSettled { [self] in then(record.finishedSummary()) }
  }

  /// Accepts no more and lets the exchanges that are under way end.
  private func drain(_ then: @escaping () -> Void) {
    stopAccepting()
    context.drain(then)
  }

  private func stopAccepting() {
    for acceptor in acceptors { acceptor.stop() }
    listeners.close()
  }

  /// Releases what refers back to the worker, on its thread.
  private func end() {
    acceptors = []
  }

  /// What the program has open besides clients and upstreams, with room for name lookups.
  private static let descriptorsReserved = 40
  /// Before an answer of the upstream begins, a client that only ended its side can't be told from
  /// one that left; upstreams are slower than cassettes.
  private static let halfCloseGrace_ns: Int64 = 5_000_000_000
}
