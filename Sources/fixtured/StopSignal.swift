import FixtureEventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The signals that end a server in good order.
enum StopSignal {
  private static let signals: [Int32] = [SIGINT, SIGTERM, SIGHUP]

  /// Holds the signals back from now on. To be called before the first thread is started.
  static func block() { SignalWatcher.block(signals) }

  /// Waits for one of the signals, or until `stop` is called. From then on another signal ends the
  /// program at once, as it would by default.
  /// - Parameter started: gets a way to stop waiting from any thread.
  static func wait(_ started: (LoopHandle) -> Void = { _ in }) {
    do throws(SystemError) {
      let loop = try EventLoop()
      let watcher = try SignalWatcher(signals, on: loop) { _ in loop.stop() }
      started(loop.handle)
      loop.run()
      watcher.cancel()
    } catch {
      Diagnostic.write("signals can't be waited for: \(error.description); stopping")
    }
    SignalWatcher.unblock(signals)
  }
}
