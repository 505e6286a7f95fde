import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureReplay
import FixtureStore
import Synchronization

/// Serves a cassette on loopback: one listener for each of its upstreams, one event loop a thread.
///
/// The first loop accepts for all and hands connections round, so that a port is exclusively ours
/// and every loop carries its share.
package final class ReplayServer: Sendable {
  /// In the order of the cassette's upstreams.
  package let listeners: [ListenerAddress]
  /// How many interactions the cassette has.
  package let interactionCount: Int
  /// The first recording that a plain `curl` would ask for.
  package let example: InteractionSummary?
  /// What is remembered of it when it has stopped.
  package let state: State
  private let sockets: Listeners
  private let workers: [ReplayWorker.Running]

  private init(
    state: State, sockets: Listeners, workers: [ReplayWorker.Running],
    contents: CassetteContents
  ) {
    listeners = sockets.addresses
    interactionCount = contents.index.count
    example = contents.example
    self.state = state
    self.sockets = sockets
    self.workers = workers
  }

  /// What a replay remembers: who starts another server with it goes on where this one stopped.
  package final class State: Sendable {
    let session: ReplaySession
    package let dates: SessionDates
    let addresses: [ListenerAddress]
    private let current: Mutex<ScenarioSession?>
    /// How often other rules came into force.
    fileprivate let ruleSetCount: Atomic<Int>

    init(
      session: ReplaySession, scenario: ScenarioSession?, dates: SessionDates,
      addresses: [ListenerAddress]
    ) {
      self.session = session
      self.dates = dates
      self.addresses = addresses
      current = Mutex(scenario)
      ruleSetCount = Atomic(scenario?.rules.isEmpty == false ? 1 : 0)
    }

    /// The one in force; nil for none.
    package internal(set) var scenario: ScenarioSession? {
      get { current.withLock { $0 } }
      set { current.withLock { $0 = newValue } }
    }
  }

  /// Opens the cassette and the listeners; serving has begun when it returns.
  /// - Parameter before: of a stopped server with the same configuration, whose addresses, places
  ///   in sequences, counts and flags are taken over.
  /// - Throws: what is wrong with the cassette, the address or the system; nothing is left open.
  package static func start(
    _ configuration: ReplayConfiguration, continuing before: State? = nil
  ) throws(ServerError) -> ReplayServer {
    if configuration.enterGate == nil, let word = configuration.scenario?.unperformed {
      throw .wordUnperformed(word)
    }
    let reader = try opened(configuration.cassette)
    let upstreams = reader.description.upstreams
    let names: [String?] = upstreams.isEmpty ? [nil] : upstreams.map(\.name)
    let contents = try contents(of: reader, match: configuration.match)
    let sockets =
      if let before {
        try Listeners.reopen(before.addresses)
      } else if let ports = configuration.ports {
        try Listeners.open(names: names, host: configuration.host, ports: ports)
      } else {
        try Listeners.open(names: names, host: configuration.host, port: configuration.port)
      }
    if configuration.scenario?.slowsUploads == true {
      for socket in sockets.sockets { socket.limitSegments() }
    }
    do {
      let state =
        before ?? State.begun(configuration, contents, addresses: sockets.addresses)
      let setup = ReplayWorker.Setup(
        configuration: configuration, index: contents.index, session: state.session, names: names,
        heads: HeadRewriter(
          links: try links(upstreams, sockets.addresses),
          rewritesCookies: configuration.rewritesCookies),
        dates: state.dates, scenario: state.scenario,
        connections: ReplayWorker.Connections(
          of: state.scenario, sockets, onError: configuration.onError),
        addresses: sockets.addresses)
      let workers = try start(setup, sockets)
      return ReplayServer(
        state: state, sockets: sockets, workers: workers, contents: contents)
    } catch {
      sockets.close()
      throw error
    }
  }

  private static func start(
    _ setup: ReplayWorker.Setup, _ sockets: Listeners
  ) throws(ServerError) -> [ReplayWorker.Running] {
    var workers: [ReplayWorker.Running] = []
    do {
      for number in 0..<max(1, setup.configuration.threads) {
        workers.append(try ReplayWorker.start(setup, number: number))
      }
      try beginAccepting(sockets, workers, setup.connections)
    } catch {
      end(workers)
      throw error
    }
    return workers
  }

  private static func beginAccepting(
    _ sockets: Listeners, _ workers: [ReplayWorker.Running],
    _ connections: ReplayWorker.Connections?
  ) throws(ServerError) {
    let first = workers[0]
    let begun = Rendezvous<SystemError?>()
    first.thread.handle.post {
      do throws(SystemError) {
        try first.bound.object?.accept(sockets, among: workers, connections)
        begun.give(nil)
      } catch {
        begun.give(error)
      }
    }
    if let error = begun.take() { throw .system(error) }
  }

  /// Other rules from the next request on, on every loop when this returns. Their counts, flags
  /// and times begin now.
  /// - Throws: `.connectionRulesFixed`: what rules do to connections is settled at the start.
  package func change(scenario setup: ScenarioSetup?) throws(ServerError) {
    try change(setup, as: state.ruleSetCount.load(ordering: .relaxed) + 1) {}
  }

  /// Begins anew: the next request is the first, by the rules in force.
  /// - Parameter also: done at the same instant: no request is planned meanwhile.
  /// - Throws: as `change`.
  package func reset(_ setup: ScenarioSetup?, also: () -> Void = {}) throws(ServerError) {
    let number = state.scenario?.ruleSet.number
    try change(setup, as: number ?? state.ruleSetCount.load(ordering: .relaxed) + 1) {
      state.session.reset()
      also()
    }
  }

  /// Every loop waits while `also` is done, so that each request is planned by all that was before
  /// or by all that is after.
  private func change(
    _ setup: ScenarioSetup?, as number: Int, also: () -> Void
  ) throws(ServerError) {
    let scenario = setup?.begun(at: MonotonicClock.now_ns(), as: number)
    guard state.scenario?.connections == nil, scenario?.connections == nil else {
      throw .connectionRulesFixed
    }
    let waiting = workers.compactMap { worker in
      let loop = WaitingLoop()
      let bound = worker.bound
      let posted = worker.thread.handle.post {
        loop.waits.give(())
        loop.goesOn.take()
        bound.object?.change(scenario: scenario)
        loop.changed.give(())
      }
      return posted ? loop : nil
    }
    for loop in waiting { loop.waits.take() }
    state.scenario = scenario
    if scenario?.rules.isEmpty == false {
      state.ruleSetCount.store(number, ordering: .relaxed)
    }
    also()
    for loop in waiting { loop.goesOn.give(()) }
    for loop in waiting { loop.changed.take() }
  }

  private struct WaitingLoop: Sendable {
    let waits = Rendezvous<Void>()
    let goesOn = Rendezvous<Void>()
    let changed = Rendezvous<Void>()
  }

  /// Serves a connection of another session.
  func take(_ passed: PassedConnection) {
    let worker = workers[Int(passed.socket.number) % workers.count]
    let bound = worker.bound
    worker.thread.handle.post { bound.object?.serve(passed) }
  }

  /// Ends every connection and the threads. To be called once.
  package func stop() -> ReplaySummary {
    Self.end(workers)
    sockets.close()
    return ReplaySummary(state.session.summary)
  }

  private static func end(_ workers: [ReplayWorker.Running]) {
    for worker in workers { worker.thread.stop() }
    for worker in workers { worker.thread.join() }
  }

  private static func opened(_ path: String) throws(ServerError) -> CassetteReader {
    do {
      return try CassetteReader(path: path)
    } catch {
      throw .store(error)
    }
  }

  private static func contents(
    of reader: CassetteReader, match: MatchOptions
  ) throws(ServerError) -> CassetteContents {
    do {
      return try CassetteContents(of: reader, as: reader.description, match: match)
    } catch {
      throw .store(error)
    }
  }

  private static func links(
    _ upstreams: [CassetteDescription.Upstream], _ addresses: [ListenerAddress]
  ) throws(ServerError) -> LinkRewriter {
    var routes: [LinkRewriter.Route] = []
    for (upstream, address) in zip(upstreams, addresses) {
      do {
        routes.append(
          LinkRewriter.Route(upstream: try BaseURL(parsing: upstream.url), port: address.port))
      } catch {
        throw .upstreamInvalid(url: upstream.url)
      }
    }
    return LinkRewriter(routes: routes)
  }
}

extension ReplayServer.State {
  fileprivate static func begun(
    _ configuration: ReplayConfiguration, _ contents: CassetteContents,
    addresses: [ListenerAddress]
  ) -> Self {
    Self(
      session: ReplaySession(),
      scenario: configuration.scenario?.begun(at: MonotonicClock.now_ns()),
      dates: SessionDates(
        TimeShift(
          configuration.dates, start: WallClock.now_us() / 1_000_000, latest: contents.latest)),
      addresses: addresses)
  }
}
