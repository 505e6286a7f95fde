import FixtureEventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The signals that end a server in good order.
final class StopSignal {
  /// A shell ignores SIGINT for what it starts with `&`, and whoever sends one means it all the
  /// same. Only nohup is obeyed.
  private static let signals: [Int32] =
    [SIGINT, SIGTERM] + (SignalWatcher.isIgnored(SIGHUP) ? [] : [SIGHUP])

  private let loop: EventLoop
  private let watcher: SignalWatcher

  /// Holds the signals back from now on. To be called before the first thread is started.
  static func block() { SignalWatcher.block(signals) }

  /// Gets ready to wait, before anybody is told that the server is ready.
  /// - Throws: what the system lacks.
  init() throws(SystemError) {
    let loop = try EventLoop()
    self.loop = loop
    watcher = try SignalWatcher(Self.signals, on: loop) { [unowned loop] _ in loop.stop() }
  }

  /// Stops waiting, from any thread.
  var handle: LoopHandle { loop.handle }

  /// Waits for one of the signals, or until `handle` is stopped. From then on another signal ends
  /// the program at once, as it would by default.
  func wait() {
    loop.run()
    watcher.cancel()
    SignalWatcher.unblock(Self.signals)
  }
}
