import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureHTTP1
import FixtureTLS

/// One TCP connection to an upstream, with or without TLS, in the client role: sends requests one
/// at a time and parses the answers for its user. Confined to its loop.
///
///     handshaking (TLS) ─▶ busy ⇄ idle ─▶ closed
final class UpstreamConnection: Watcher, TimerTarget {
  private enum State {
    case handshaking
    /// Carries the exchange of `user`.
    case busy
    /// Waits in the pool; anything that arrives now ends it.
    case idle
    case closed
  }

  private let descriptor: Int32
  /// Counted from 1 within a recording.
  let number: Int64
  /// Whether it has carried an exchange before the current one.
  private(set) var isReused = false
  private let loop: EventLoop
  private let tls: TLSEngine?
  private let limits: Timeouts
  private let plaintext: UnsafeMutableRawBufferPointer
  private weak var user: (any UpstreamUser)?
  private weak var pool: UpstreamPool?
  private var state: State
  private var parser = ResponseParser()
  private var pendingInput: [UInt8] = []
  /// Plaintext that waits for the handshake.
  private var early: [UInt8] = []
  private var output: [UInt8] = []
  private var outputStart = 0
  private var interest: Interest = [.readable]
  private var readingPaused = false
  private var wasCongested = false
  private var persistent = false
  private lazy var timer = LoopTimer(self)

  struct Timeouts {
    let connect_ns: Int64
    let idle_ns: Int64
  }

  /// - Parameters:
  ///   - descriptor: a connected socket; the caller's again if this throws.
  ///   - plaintext: scratch space for what TLS decrypts, shared by the loop's connections.
  init(
    descriptor: Int32, number: Int64, loop: EventLoop, tls: TLSEngine?, limits: Timeouts,
    plaintext: UnsafeMutableRawBufferPointer, pool: UpstreamPool
  ) throws(SystemError) {
    self.descriptor = descriptor
    self.number = number
    self.loop = loop
    self.tls = tls
    self.limits = limits
    self.plaintext = plaintext
    self.pool = pool
    state = tls == nil ? .busy : .handshaking
    try loop.add(descriptor, interest: interest, watcher: self)
  }

  /// More waits than the upstream takes; the request's source should pause.
  var isCongested: Bool { early.count + output.count - outputStart > Self.heldBytesMax }

  /// Whether an idle connection is still open as far as can be known without sending: the upstream
  /// may have closed it, and its FIN may wait to be read.
  var looksAlive: Bool { state == .idle && Socket.peek(descriptor) == .wouldBlock }

  /// Takes the connection for one exchange.
  func begin(_ user: any UpstreamUser, answering method: Method) {
    self.user = user
    parser.begin(answering: method)
    persistent = false
    switch state {
    case .handshaking: startHandshake()
    case .idle:
      state = .busy
      isReused = true
      arm(limits.idle_ns)
    case .busy: arm(limits.idle_ns)
    case .closed: break
    }
    updateInterest()
  }

  private func startHandshake() {
    arm(limits.connect_ns)
    do throws(TLSError) {
      try tls?.start()
      try flushTLS()
    } catch {
      return fail(.tls, error.description)
    }
    write()
  }

  func send(_ bytes: [UInt8]) {
    guard state != .closed, !bytes.isEmpty else { return }
    guard state == .busy else {
      early.append(contentsOf: bytes)
      wasCongested = wasCongested || isCongested
      return
    }
    do throws(TLSError) {
      try enqueue(bytes)
    } catch {
      return fail(.tls, error.description)
    }
    write()
  }

  func pauseReading() {
    readingPaused = true
    updateInterest()
  }

  func resumeReading() {
    guard readingPaused else { return }
    readingPaused = false
    arm(limits.idle_ns)
    updateInterest()
  }

  /// Ends the connection without telling its user.
  func close() {
    guard state != .closed else { return }
    state = .closed
    user = nil
    loop.disarm(timer)
    loop.remove(descriptor)
    Socket.close(descriptor)
    pool?.remove(self)
  }

  // MARK: Events

  func ready(_ readiness: Readiness) {
    switch state {
    case .handshaking, .busy:
      if readiness.contains(.writable) { write() }
      if state != .closed, !readiness.isDisjoint(with: [.readable, .closed]) { read() }
    case .idle: close()
    case .closed: break
    }
  }

  func fired(_ timer: LoopTimer) {
    switch state {
    case .handshaking: fail(.timeout, "the TLS handshake with the upstream did not end in time")
    case .busy where readingPaused: break
    // More content arms it again.
    case .busy where outputStart == output.count && user?.waitsForClient == true: break
    case .busy: fail(.timeout, "the upstream was silent for \(limits.idle_ns / 1_000_000) ms")
    case .idle, .closed: break
    }
  }

  private func established() {
    state = .busy
    arm(limits.idle_ns)
    let bytes = early
    early = []
    if !bytes.isEmpty { send(bytes) } else { write() }
  }

  private func read() {
    loop.refreshNow()
    switch Socket.read(descriptor, into: loop.readBuffer) {
    case .bytes(let count):
      arm(limits.idle_ns)
      let bytes = UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count])
      if tls == nil { received(bytes) } else { receivedCiphertext(bytes) }
    case .wouldBlock: break
    case .finished: tls == nil ? finished(cleanly: true) : transportEnded()
    case .failed(let error): fail(.reset, "the upstream's connection failed: \(error)")
    }
  }

  // MARK: TLS

  private func receivedCiphertext(_ bytes: UnsafeRawBufferPointer) {
    withTLS { (tls) throws(TLSError) in
      try tls.receive(ciphertext: bytes)
      try flushTLS()
      // Up to TLS 1.2 the handshake takes more than one flight (RFC 5246 §7.3).
      if state == .handshaking { tls.isEstablished ? established() : write() }
      try readPlaintext(tls)
    }
  }

  private func readPlaintext(_ tls: TLSEngine) throws(TLSError) {
    while state == .busy || state == .idle {
      switch try tls.read(into: plaintext) {
      case .bytes(let count):
        received(UnsafeRawBufferPointer(rebasing: plaintext[..<count]))
      case .wantsMore: return write()
      case .closed: return finished(cleanly: true)
      case .truncated: return finished(cleanly: false)
      }
    }
  }

  private func transportEnded() {
    withTLS { (tls) throws(TLSError) in
      try tls.receivedEOF()
      try readPlaintext(tls)
    }
  }

  /// Runs a step of the engine; an error ends the connection.
  private func withTLS(_ step: (TLSEngine) throws(TLSError) -> Void) {
    guard let tls else { return }
    do throws(TLSError) {
      try step(tls)
    } catch {
      // What the engine wants to say to the peer (an alert) goes out first; if it can't, the
      // error at hand is still the one to report.
      try? flushTLS()
      write()
      fail(.tls, error.description)
    }
  }

  private func enqueue(_ bytes: [UInt8]) throws(TLSError) {
    guard let tls else {
      output.append(contentsOf: bytes)
      return
    }
    try bytes.withUnsafeBufferPointer { (buffer) throws(TLSError) in
      var rest = UnsafeRawBufferPointer(buffer)
      while !rest.isEmpty {
        let sent = try tls.write(rest)
        rest = UnsafeRawBufferPointer(rebasing: rest[sent...])
        // The engine takes more once its ciphertext is taken.
        try flushTLS()
      }
    }
  }

  private func flushTLS() throws(TLSError) {
    try tls?.takeCiphertext(into: &output)
  }

  // MARK: Answers

  private func received(_ bytes: UnsafeRawBufferPointer) {
    // RFC 9112 §6.3: what follows a complete answer is not a part of it; the connection goes.
    guard state == .busy, user != nil else { return close() }
    if pendingInput.isEmpty {
      let consumed = parse(bytes)
      if state == .busy, consumed < bytes.count { pendingInput = Array(bytes[consumed...]) }
    } else {
      pendingInput.append(contentsOf: bytes)
      let input = pendingInput
      pendingInput = []
      let consumed = input.withUnsafeBytes { parse($0) }
      if state == .busy, consumed < input.count { pendingInput = Array(input[consumed...]) }
    }
    user?.readEnded()
    if state == .idle, user != nil { released() }
  }

  /// - Returns: how many bytes were used.
  private func parse(_ input: UnsafeRawBufferPointer) -> Int {
    var position = 0
    while state == .busy {
      do {
        let rest = UnsafeRawBufferPointer(rebasing: input[position...])
        let (event, consumed) = try parser.parse(rest)
        position += consumed
        if case .needMore = event { return position }
        note(event)
        user?.received(event, content: rest)
        if case .end = event {
          completed(extraBytes: input.count - position)
          return input.count
        }
      } catch {
        fail(.truncated, error.description)
        return input.count
      }
    }
    return position
  }

  private func note(_ event: ResponseEvent) {
    guard case .head(let head, let framing, bothFramings: let both) = event else { return }
    persistent = Persistence.isKept(after: head, framing: framing, bothFramings: both)
  }

  private func completed(extraBytes: Int) {
    loop.disarm(timer)
    if extraBytes > 0 {
      pool?.report("the upstream sent \(extraBytes) bytes after a complete response; dropped")
      persistent = false
    }
    state = .idle
  }

  /// The exchange is over: into the pool, or closed. The user decides whether its request was sent
  /// to its end by calling `discard` before.
  private func released() {
    user = nil
    guard persistent, output.count == outputStart, let pool else { return close() }
    updateInterest()
    pool.add(self)
  }

  /// Keeps the connection out of the pool: its request was not sent whole.
  func discard() {
    persistent = false
  }

  /// The upstream ended its side.
  /// - Parameter cleanly: false when TLS ended without its own end, so that a body that ends with
  ///   the connection may have been cut (RFC 9112 §9.8).
  private func finished(cleanly: Bool) {
    guard state == .busy, user != nil else { return close() }
    do throws(ProtocolError) {
      let event = try parser.parseEnd()
      guard cleanly else {
        return fail(.truncated, "the upstream ended TLS without saying that it was done")
      }
      let user = self.user
      close()
      user?.received(event, content: UnsafeRawBufferPointer(start: nil, count: 0))
      user?.readEnded()
    } catch {
      fail(.truncated, error.description)
    }
  }

  private func fail(_ outcome: Outcome, _ detail: String) {
    let user = self.user
    let begun = parser.messageBegun
    close()
    user?.failed(UpstreamFailure(outcome: outcome, detail: detail), answerBegun: begun)
  }

  // MARK: Output

  private func write() {
    while outputStart < output.count, state != .closed {
      let result = output.withUnsafeBytes {
        Socket.write(descriptor, UnsafeRawBufferPointer(rebasing: $0[outputStart...]))
      }
      switch result {
      case .bytes(let count):
        outputStart += count
        if state == .busy { arm(limits.idle_ns) }
      case .wouldBlock:
        wasCongested = wasCongested || isCongested
        return updateInterest()
      case .finished, .failed:
        // The answer, or the reason, may already wait to be read; reading decides.
        output = []
        outputStart = 0
        return updateInterest()
      }
    }
    output.removeAll(keepingCapacity: output.capacity <= Self.heldBytesMax)
    outputStart = 0
    updateInterest()
    // What waits for the handshake still does when all of that so far is written.
    if wasCongested, !isCongested {
      wasCongested = false
      user?.upstreamDrained()
    }
  }

  private func arm(_ timeout_ns: Int64) {
    loop.arm(timer, at: loop.now_ns + timeout_ns)
  }

  private func updateInterest() {
    guard state != .closed else { return }
    // The end of an idle connection is readable too.
    let wanted = Interest(
      readable: state != .busy || !readingPaused, writable: outputStart < output.count,
      peerFinished: false)
    guard wanted != interest else { return }
    interest = wanted
    loop.modify(descriptor, interest: wanted)
  }

  private static let heldBytesMax = 256 << 10
}
