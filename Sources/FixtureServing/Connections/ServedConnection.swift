import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureHTTP1
import FixtureReplay

/// One accepted TCP connection in the server role: reads requests, hands them to its responder, and
/// writes what the responder gives it, in order, one exchange at a time.
///
/// Confined to its loop. While an exchange is under way nothing more is read than its request:
/// pipelined requests wait in the kernel, which is all the backpressure they need.
///
///     request      none ──head──▶ content ──end──▶ ended
///     exchange     idle ────────▶ open ──complete, all written──▶ idle
///                                  └─close──▶ lingering ──▶ closed
package final class ServedConnection: Watcher {
  package let descriptor: Int32
  package let context: ServingContext
  let responder: any Responder

  var parser = RequestParser()
  /// Bytes read and not yet parsed: a part of a head, or a pipelined request.
  var pendingInput: [UInt8] = []
  var requestState = RequestState.none
  var state = State.idle
  var output = OutputQueue()
  var ending: WireSink.Ending?
  var player: Player?
  /// The client closed its side while an exchange is open; bytes it sent before may be unread.
  var clientFinished = false
  var isParsing = false
  var wasCongested = false
  private var readingPaused = false
  var finalHeadQueued = false
  private var cutEnding = WireSink.Ending.close
  var interest = Interest(readable: true, writable: false, peerFinished: true)
  /// More has come than the exchange takes: it stays in the kernel, which is not to tell of it.
  var inputWaits = false
  /// Exists once a play has waited or the connection has lingered: most never do.
  var timer: LoopTimer?
  /// Exists while nothing is on its way to a client that closed its side.
  var graceTimer: LoopTimer?
  /// Whether it has been sent something since.
  var hasWrittenSince = false
  var lingerEnd_ns: Int64 = 0

  /// Exists while a request is read whose reading a rule is about.
  var reading: PacedReading?

  /// How long it may be idle; 0 for as long as the client likes.
  var idleMax_ns: Int64 = 0
  /// How many requests have come.
  package private(set) var exchangeCount: Int64 = 0

  /// Where it was accepted; nil where there is one session only.
  var entrance: PassedConnection.Entrance?

  let accepted_ns: Int64
  /// In the journal of its session, from 1; 0 when it keeps none.
  package let number: Int
  var journaled: Journaled?
  private(set) var requestHead_ns: Int64 = 0

  enum RequestState {
    case none, content, ended
  }

  enum State {
    /// Between exchanges, or inside a request head.
    case idle
    case open
    /// Our side is finished; what the client still sends is discarded, so that a reset does not
    /// overtake our last bytes (RFC 9112 §9.6).
    case lingering
    case closed
  }

  init(descriptor: Int32, context: ServingContext, responder: any Responder) {
    self.descriptor = descriptor
    self.context = context
    self.responder = responder
    accepted_ns = context.loop.now_ns
    number = context.journal?.connected() ?? 0
  }

  package var loop: EventLoop { context.loop }

  // MARK: What a responder does

  /// Bytes wait that the client does not take; a responder that produces more should pause.
  package var isCongested: Bool { heldCount > Self.heldBytesMax }
  package var heldCount: Int { output.heldCount }

  /// Queues bytes of the response. Nothing leaves before `flush`.
  package func send(_ bytes: [UInt8]) {
    output.append(bytes)
  }

  /// Lets a client send its content that waits for leave to.
  package func sendContinue() {
    send(ResponseEncoder.leaveToContinue)
    noteHead(nil, Int64(ResponseEncoder.leaveToContinue.count))
    flush()
  }

  /// The final response has begun: from now on a client that closes its side has left.
  /// - Parameter cut: how it ends if it has to end before it is whole.
  package func finalResponseBegan(cut: WireSink.Ending) {
    finalHeadQueued = true
    cutEnding = cut
  }

  /// The response ends like this once everything queued is written.
  package func end(_ ending: WireSink.Ending) {
    self.ending = ending
  }

  /// Writes what can be written now.
  package func flush() {
    guard state == .open else { return }
    if write() { outputWritten() }
    updateInterest()
  }

  /// Answers a request that is refused, and closes the connection.
  package func refuse(status: Int, detail: String, isHead: Bool) {
    let date = WallClock.now_us() / 1_000_000
    refuse(RefusalAnswer(status: status, detail: detail, date: date), isHead: isHead)
  }

  func refuse(_ answer: RefusalAnswer, isHead: Bool = false) {
    let client = ClientFacts(
      RequestHead(method: isHead ? .head : .get, target: [], version: .http11))
    let (bytes, ending) = ResponseEncoder.answer(
      answer.head, answer.content, to: client, keepsAlive: false)
    state = .open
    noteHead(answer.head, Int64(bytes.count - (isHead ? 0 : answer.content.count)))
    send(bytes)
    end(ending)
    flush()
  }

  /// Stops reading the request's content until `resumeReading`.
  package func pauseReading() {
    readingPaused = true
    updateInterest()
  }

  package func resumeReading() {
    guard readingPaused else { return }
    readingPaused = false
    parsePending()
    updateInterest()
  }

  /// Ends the connection at once; the responder is told if an exchange is under way.
  package func abort(reset: Bool = false) {
    guard state != .closed else { return }
    let wasOpen = state == .open
    state = .closed
    player = nil
    disarmTimers()
    loop.remove(descriptor)
    if reset || wasOpen && cutEnding == .reset {
      Socket.reset(descriptor)
    } else {
      Socket.close(descriptor)
    }
    context.closed(self)
    guard wasOpen else { return }
    noteEnd(outcomeOfAbort(reset: reset))
    responder.exchangeAborted(on: self)
  }

  private func outcomeOfAbort(reset: Bool) -> JournalEntry.Outcome {
    if reset { return .reset }
    return context.isStopping ? .stopped : .aborted
  }

  /// Ends the connection unless an exchange is open or a request has come that was not read yet.
  func endIfIdle() {
    if state == .idle, Socket.peek(descriptor) == .wouldBlock { abort() }
  }

  // MARK: Events

  func start() throws(SystemError) {
    try loop.add(descriptor, interest: interest, watcher: self)
    context.opened(self)
  }

  package func ready(_ readiness: Readiness) {
    if readiness.contains(.closed) { return abort() }
    if readiness.contains(.writable), state == .open {
      flush()
      guard state != .closed else { return }
    }
    if readiness.contains(.readable) { readOrLeave() }
    if readiness.contains(.peerFinished), !clientFinished {
      if state == .open { clientClosedItsSide() } else if !acceptsInput { clientLeftUnread() }
    }
  }

  private func readOrLeave() {
    inputWaits = !acceptsInput && state != .lingering
    inputWaits ? updateInterest() : read()
  }

  private func read() {
    switch Socket.read(descriptor, into: reading?.room(in: loop.readBuffer) ?? loop.readBuffer) {
    case .bytes(let count):
      // It may have come after this round woke up: an answer that counted from then were early.
      if context.isTimed { loop.refreshNow() }
      received(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
    case .wouldBlock:
      break
    case .finished:
      received(end: ())
    case .failed:
      abort()
    }
  }

  private func received(_ input: UnsafeRawBufferPointer) {
    switch state {
    case .idle, .open:
      if pendingInput.isEmpty {
        let consumed = parse(input)
        guard state == .idle || state == .open, consumed < input.count else { return settle() }
        pendingInput = Array(input[consumed...])
        settle()
      } else {
        pendingInput.append(contentsOf: input)
        parsePending()
      }
    case .lingering: extendLinger()
    case .closed: break
    }
  }

  private func received(end: Void) {
    switch state {
    case .idle, .lingering: abort()
    case .open where requestState != .ended:
      clientFinished = true
      abort()
    case .open: clientClosedItsSide()
    case .closed: break
    }
  }

  /// The client closed its side while an exchange is open.
  ///
  /// It may be one that ends its side after its requests and reads on (RFC 9112 §9.6 allows it), or
  /// one that has left. While it has bytes to take, those tell: who has left answers them with a
  /// reset. Else it gets a while until there are some; a short one in a pause of the response.
  private func clientClosedItsSide() {
    clientFinished = true
    noteClientFinished()
    updateInterest()
    // Some of its content is still to be read: its end will be met there.
    guard requestState == .ended, output.isEmpty, ending == nil else { return }
    hasWrittenSince = false
    let graceTimer = LoopTimer(self)
    self.graceTimer = graceTimer
    let grace_ns =
      finalHeadQueued ? ServingContext.halfCloseGraceStandard_ns : context.halfCloseGrace_ns
    loop.arm(graceTimer, at: loop.now_ns + grace_ns)
  }

  // MARK: Requests

  /// Parses as far as the exchange allows.
  /// - Returns: how many bytes were used.
  private func parse(_ input: UnsafeRawBufferPointer) -> Int {
    isParsing = true
    defer { isParsing = false }
    var position = 0
    // The end of a request may come without a byte of its own, the next one can't.
    while acceptsInput, position < input.count || requestState != .none {
      do {
        let rest = UnsafeRawBufferPointer(rebasing: input[position...])
        if let known = answerKnown(rest) {
          position += known
          continue
        }
        let (event, consumed) = try parser.parse(rest)
        position += consumed
        switch consume event {
        case .needMore: return position
        case .head(let head, let framing):
          let behind = UnsafeRawBufferPointer(rebasing: input[position...])
          if context.router != nil, passes(head, framing, rest: behind) { return input.count }
          requestBegan(head, framing)
        case .content(let range):
          let content = UnsafeRawBufferPointer(rebasing: rest[range])
          note(content: content)
          responder.requestContent(content, on: self)
          if let reading { took(range.count, reading) }
        case .end(let trailers): requestEnded(trailers)
        }
      } catch {
        refused(error)
        return input.count
      }
    }
    return position
  }

  /// Answers the request at the start of `input` when its bytes tell how.
  /// - Returns: how many they are.
  private func answerKnown(_ input: UnsafeRawBufferPointer) -> Int? {
    guard state == .idle, parser.isFresh, let known = responder.knownAnswer(to: input) else {
      return nil
    }
    headWasRead()
    requestWasRead()
    if let journal = context.journal, let head = responder.head(of: known.request) {
      answer(known.request, known.image, head, in: journal)
    } else {
      answer(known.image)
    }
    return known.headCount
  }

  var acceptsInput: Bool {
    switch state {
    case .idle: context.readsRequests
    case .open: requestState == .content && !readingPaused && !isResting
    case .lingering, .closed: false
    }
  }

  func parsePending() {
    // The end of a request may come without a byte of its own, see `parse`.
    guard !isParsing, acceptsInput, !pendingInput.isEmpty || requestState == .content else {
      return settle()
    }
    let input = pendingInput
    pendingInput = []
    let consumed = input.withUnsafeBytes { parse($0) }
    guard state == .idle || state == .open else { return }
    if consumed < input.count { pendingInput = Array(input[consumed...]) }
    settle()
  }

  func requestBegan(_ head: RequestHead, _ framing: BodyFraming) {
    headWasRead()
    noteBegin(head)
    responder.requestBegan(head, framing: framing, on: self)
  }

  private func requestEnded(_ trailers: FieldSection) {
    requestWasRead()
    noteRequestEnd()
    responder.requestEnded(trailers: trailers, on: self)
    if let player {
      player.playhead.requestEnded(at: loop.now_ns)
      advancePlay()
    }
  }

  func headWasRead() {
    state = .open
    requestState = .content
    requestHead_ns = loop.now_ns
    finalHeadQueued = false
    cutEnding = .close
    exchangeCount += 1
    if idleMax_ns > 0, let timer { loop.disarm(timer) }
  }

  private func requestWasRead() {
    requestState = .ended
    if reading != nil { endReading() }
    // If its side has ended, that is told again: now it bears on the answer.
    clientFinished = false
  }

  private func refused(_ error: ProtocolError) {
    // What follows on the connection can't be trusted (RFC 9112 §11.2).
    if state == .open {
      // A second response within the first would be taken for its content; one that is whole
      // ends the connection by itself, as the request was not read to its end.
      if finalHeadQueued { return ending == nil ? abort(reset: true) : () }
      responder.exchangeAborted(on: self)
    }
    player = nil
    requestState = .none
    refuse(RefusalAnswer(error, date: WallClock.now_us() / 1_000_000))
  }

  /// Held output above this makes the source of a stream pause: some round trips of a fast link.
  private static let heldBytesMax = 256 << 10
}
