import FixtureEventLoop
import Synchronization

/// Writes to standard error for a process that serves: a pipe that nobody reads, or a terminal that
/// was stopped, holds up this thread and not the serving.
///
/// Text waits up to a bound; what comes beyond it is left out and counted.
final class DiagnosticThread: Sendable {
  private struct State {
    var text: [UInt8] = []
    var leftOut = 0
  }

  private let state = Mutex(State())
  private let descriptor: Int32
  private let thread: LoopThread

  /// - Throws: what prevented the thread.
  init(_ descriptor: Int32) throws(SystemError) {
    self.descriptor = descriptor
    thread = try LoopThread.start(name: "diagnostics") { _ in }
  }

  /// As `Diagnostic.write`.
  func write(_ message: String) { add(Diagnostic.message(message)) }

  /// As `write`, with further lines that stay together with the first.
  func write(lines text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    add(
      Diagnostic.message(lines[0])
        + lines.dropFirst().map { Diagnostic.ended($0.escapedForTerminal) }.joined())
  }

  /// As `Diagnostic.line`.
  func line(_ text: String) { add(Diagnostic.ended(text)) }

  /// Shows a progress line, for a terminal.
  func progress(_ text: String) { add(ProgressLine.shown(text)) }

  private func add(_ text: String) {
    let isFirst = state.withLock { state in
      guard state.text.count + text.utf8.count <= Self.waitingBytesMax else {
        state.leftOut += 1
        return false
      }
      defer { state.text += text.utf8 }
      return state.text.isEmpty
    }
    // One call is enough: it takes all that waits.
    if isFirst { thread.handle.post { [self] in writeWaiting() } }
  }

  private func writeWaiting() {
    var (text, leftOut) = state.withLock { state in
      defer { state = State() }
      return (state.text, state.leftOut)
    }
    if leftOut > 0 {
      text += "fixtured: \(leftOut) lines were left out here, standard error was not read\n".utf8
    }
    do {
      try Output.write(all: text, to: descriptor)
    } catch {
      // There is nowhere left to tell it.
    }
  }

  /// Gives what waits a moment to be written. Nothing may be written afterwards.
  func finish() {
    let written: EventLoop
    do {
      written = try EventLoop()
    } catch {
      // Short of descriptors at the very end: what the thread has not written yet is lost.
      return
    }
    let deadline = Deadline(written)
    let handle = written.handle
    thread.handle.post { handle.stop() }
    written.run()
    withExtendedLifetime(deadline) {}
  }

  /// Stops a loop after a while.
  private final class Deadline: TimerTarget {
    private unowned let loop: EventLoop
    private lazy var timer = LoopTimer(self)

    init(_ loop: EventLoop) {
      self.loop = loop
      loop.arm(timer, at: loop.now_ns + DiagnosticThread.finish_ns)
    }

    func fired(_ timer: LoopTimer) { loop.stop() }
  }

  /// Some ten thousand lines.
  private static let waitingBytesMax = 1 << 20
  /// Well within the 2 s in which a process ends.
  private static let finish_ns: Int64 = 500_000_000
}
