import FixtureEventLoop
import FixtureReplay

/// How the content of one request is read, when a rule is about it.
final class PacedReading {
  fileprivate var pace: ReadingPace?
  let timer: LoopTimer
  /// Nothing is read until the timer fires.
  fileprivate(set) var isResting = false
  /// The client gets leave to send its content when the timer fires.
  fileprivate var givesLeave = false

  fileprivate init(_ rate: ByteRate?, _ target: any TimerTarget) {
    pace = rate.map { ReadingPace($0) }
    timer = LoopTimer(target)
  }

  /// As much of a buffer as is read at once.
  func room(in buffer: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    guard let pace else { return buffer }
    return UnsafeMutableRawBufferPointer(
      rebasing: buffer[..<min(buffer.count, pace.readBytesMax)])
  }
}

/// Reading a request's content in a time of its own. What is not read stays in the kernel, which
/// makes the client wait when it has no room for more.
extension ServedConnection {
  /// Whether the content of a request waits to be read.
  var isResting: Bool { if let reading { reading.isResting } else { false } }

  /// How to read the content of the request whose head came last.
  package func read(as reading: RequestReading) {
    self.reading = PacedReading(reading.rate, self)
  }

  /// Lets a client that waits for leave to send its content have it: so long after its head, or
  /// never; nil: now.
  package func giveLeave(_ leave: Leave?) {
    switch leave {
    case .off: break
    case nil: sendContinue()
    case .after(let time):
      guard let reading else { return sendContinue() }
      reading.givesLeave = true
      let due_ns = requestHead_ns.addingReportingOverflow(time.saturatedNanoseconds)
      loop.arm(reading.timer, at: due_ns.overflow ? .max : due_ns.partialValue)
    }
  }

  /// Content was read, however it is paced.
  func took(_ count: Int, _ reading: PacedReading) {
    if reading.givesLeave {
      // RFC 9110 §10.1.1: who sends its content without leave needs none.
      reading.givesLeave = false
      loop.disarm(reading.timer)
    }
    guard let due_ns = reading.pace?.took(Int64(count), at: loop.now_ns), due_ns > loop.now_ns
    else { return }
    reading.isResting = true
    loop.arm(reading.timer, at: due_ns)
  }

  func goOn(_ reading: PacedReading) {
    if reading.givesLeave {
      reading.givesLeave = false
      return sendContinue()
    }
    reading.isResting = false
    parsePending()
  }

  func endReading() {
    if let reading { loop.disarm(reading.timer) }
    reading = nil
  }
}

/// Requests that are not read because nothing answers.
extension ServedConnection {
  /// Goes on reading, or stops, between exchanges.
  func listeningChanged() {
    guard state == .idle else { return }
    clientFinished = false
    parsePending()
  }

  /// The client closed its side, and nothing is read that would tell whether it has left: it gets
  /// as long as one whose answer doesn't come.
  func clientLeftUnread() {
    guard state == .idle else { return }
    clientFinished = true
    updateInterest()
    let graceTimer = LoopTimer(self)
    self.graceTimer = graceTimer
    loop.arm(graceTimer, at: loop.now_ns + context.halfCloseGrace_ns)
  }
}
