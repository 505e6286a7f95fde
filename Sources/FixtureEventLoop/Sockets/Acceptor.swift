/// Accepts a listener's connections on one loop, and backs off while descriptors are exhausted.
package final class Acceptor: Watcher, TimerTarget {
  /// How long no connection is accepted after descriptors ran out. Clients wait in the backlog.
  package static let pause_ns: Int64 = 50_000_000
  /// How many connections one readiness may bring before others on the loop have their turn.
  private static let batch = 16

  private let listener: TCPListener
  private unowned let loop: EventLoop
  private let accepted: (Int32) -> Void
  private let failed: (SystemError) -> Void
  private let pause = LoopTimer()

  /// - Parameters:
  ///   - accepted: owns the descriptor it is given.
  ///   - failed: told each time accepting pauses because descriptors ran out. Any other error ends
  ///     accepting for good.
  package init(
    _ listener: TCPListener, on loop: EventLoop, accepted: @escaping (Int32) -> Void,
    failed: @escaping (SystemError) -> Void
  ) {
    self.listener = listener
    self.loop = loop
    self.accepted = accepted
    self.failed = failed
    pause.target = self
  }

  /// Begins to accept; again after `stop`. The loop retains the acceptor while it accepts.
  ///
  /// - Throws: epoll's error; then it doesn't accept.
  package func start() throws(SystemError) {
    loop.disarm(pause)
    if loop.isWatching(listener.descriptor) { return }
    try loop.add(listener.descriptor, interest: .readable, watcher: self)
  }

  /// Accepts no more. The listener stays open, and connections wait in its backlog.
  package func stop() {
    loop.disarm(pause)
    if loop.isWatching(listener.descriptor) { loop.remove(listener.descriptor) }
  }

  package func ready(_ readiness: Readiness) {
    for _ in 0..<Self.batch {
      do throws(SystemError) {
        guard let connection = try listener.accept() else { return }
        accepted(connection)
      } catch {
        return backOff(error)
      }
      // `accepted` may have stopped us.
      guard loop.isWatching(listener.descriptor) else { return }
    }
  }

  package func fired(_ timer: LoopTimer) {
    resume()
  }

  private func backOff(_ error: SystemError) {
    loop.remove(listener.descriptor)
    loop.refreshNow()
    if error.descriptorsExhausted { loop.arm(pause, at: loop.now_ns + Self.pause_ns) }
    failed(error)
  }

  private func resume() {
    do throws(SystemError) {
      try start()
    } catch {
      // As short of memory as before.
      loop.arm(pause, at: loop.now_ns + Self.pause_ns)
    }
  }
}
