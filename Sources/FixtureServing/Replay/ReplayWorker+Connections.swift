import FixtureEventLoop
import FixtureReplay

extension ReplayWorker.Connections {
  /// nil when no rule is about connections.
  init?(
    of session: ScenarioSession?, _ listeners: Listeners,
    onError: @escaping @Sendable (String) -> Void
  ) {
    guard let session, let script = session.connections else { return nil }
    self.init(
      script: script, session: session,
      listening: ListeningSwitch(script, session, listeners, onError: onError))
  }
}

/// What rules do to connections: one player, on the loop that accepts, for all loops.
extension ReplayWorker {
  func play(
    _ connections: Connections, among workers: [Running],
    _ serve: @escaping (_ descriptor: Int32, _ route: Int) -> Void
  ) {
    player = ConnectionPlayer(
      connections.script, of: connections.session, connections.listening, on: context.loop,
      serve: serve,
      changed: { [unowned self] listening in
        accepts(listening == .accepting)
        tell(workers) { $0.context.bring(to: listening) }
      })
    let first = workers[0]
    tell(workers) { $0.follow(connections, playedBy: first) }
  }

  /// At once on this loop, on others before whatever is told later.
  private func tell(_ workers: [Running], _ what: @escaping @Sendable (ReplayWorker) -> Void) {
    for worker in workers {
      let bound = worker.bound
      if worker.thread.handle === context.loop.handle {
        what(self)
      } else {
        worker.thread.handle.post { if let worker = bound.object { what(worker) } }
      }
    }
  }

  /// Tells the loop that accepts what happens on this one.
  private func follow(_ connections: Connections, playedBy first: Running) {
    let bound = first.bound
    let handle = first.thread.handle
    if connections.script.limitsConnections {
      context.onClosed = { handle.post { bound.object?.player?.ended() } }
    }
    guard connections.script.asksForFlags else { return }
    replay.onFlagsTouched = { [unowned self] in
      let now_ns = context.loop.now_ns
      guard let listening = connections.listening.flagsMayHaveChanged(at: now_ns) else { return }
      context.bring(to: listening)
      handle.post { bound.object?.player?.flagsChanged() }
    }
  }
}
