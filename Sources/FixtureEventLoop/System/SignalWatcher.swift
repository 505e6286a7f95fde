import CFixtureSystem

/// Receives signals on an event loop, where any code may run, unlike in a signal handler.
package final class SignalWatcher: Watcher {
  private let descriptor: Descriptor
  private unowned let loop: EventLoop
  private let onSignal: (Int32) -> Void

  /// Blocks `signals` for the calling thread and those it starts (pthread_sigmask). To be called at
  /// the very start of main: a thread that existed before would still die of them.
  package static func block(_ signals: [Int32]) {
    Syscalls.mustSucceed("pthread_sigmask") { fixture_signals_block(signals, signals.count) }
  }

  /// Takes `block` back for the calling thread: one of the signals then does what it always does.
  package static func unblock(_ signals: [Int32]) {
    Syscalls.mustSucceed("pthread_sigmask") { fixture_signals_unblock(signals, signals.count) }
  }

  /// Whether who started the program had it ignore `signal`, as nohup does with SIGHUP. To be
  /// respected, such a signal must not be blocked: what is blocked is never ignored.
  package static func isIgnored(_ signal: Int32) -> Bool { fixture_signal_is_ignored(signal) != 0 }

  /// Calls `onSignal` on `loop` with the number of each signal that arrives. Equal signals that
  /// arrive together may count as one. The loop retains the watcher until `cancel`.
  ///
  /// - Parameter signals: blocked on every thread, or they do what they always do.
  /// - Throws: signalfd's or epoll's error, for want of descriptors or memory.
  package init(
    _ signals: [Int32], on loop: EventLoop, onSignal: @escaping (Int32) -> Void
  ) throws(SystemError) {
    descriptor = try Descriptor("signalfd") { fixture_signals_open(signals, signals.count) }
    self.loop = loop
    self.onSignal = onSignal
    try loop.add(descriptor.number, interest: .readable, watcher: self)
  }

  /// Receives no more; the signals stay blocked. Called once.
  package func cancel() {
    loop.remove(descriptor.number)
  }

  package func ready(_ readiness: Readiness) {
    // As many as wait, until the callback has cancelled us or none is left (EAGAIN).
    while loop.isWatching(descriptor.number) {
      let signal = Syscalls.uninterrupted { fixture_signals_read(descriptor.number) }
      guard signal > 0 else { return }
      onSignal(signal)
    }
  }
}
