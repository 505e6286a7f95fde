import CFixtureOpenSSL

/// One TLS connection without a socket: ciphertext in, plaintext out, and back.
///
///     socket ─▶ receive(ciphertext) ─▶ read(into:)        plaintext for the caller
///     socket ◀─ takeCiphertext(into:) ◀─ write(plaintext)  plaintext from the caller
///
/// `start()` first. After each `receive` the driver takes what the engine has to send, also after a
/// throw (then it is the alert that tells the peer why), and reads until `wantsMore`. The driver
/// reports the end of its socket with `receivedEOF()`. After an error of the connection the engine
/// is dead: every verb throws the same error again. It belongs to one thread.
package final class TLSEngine {
  /// What a read found.
  package enum ReadResult: Equatable, Sendable {
    /// So many bytes of plaintext were stored, at least one.
    case bytes(Int)
    /// Nothing now: receive more ciphertext first.
    case wantsMore
    /// The peer said that it is done (close_notify, RFC 8446 §6.1). Writing is still possible.
    case closed
    /// The transport ended without the peer having said that it is done: there may have been more.
    case truncated
  }

  /// idle ─start─▶ handshaking ─▶ established; from each of them to failed, which stays.
  private enum State {
    case idle
    case handshaking
    case established
    case failed(TLSError)
  }

  /// The C type is `SSL`. It owns the two memory BIOs.
  let session: OpaquePointer
  private let received: MemoryBIO
  private let produced: MemoryBIO
  private let context: TLSContext
  /// The peer's name in errors.
  let host: String
  private var state = State.idle
  private var transportEnded = false
  private var shutDown = false
  /// Why the verification callback refused the peer's certificate.
  var refusal: TLSError?

  /// An engine for a connection to `serverName`, the host of a URL: a name or an address literal,
  /// IPv6 without brackets.
  ///
  /// Only a name is sent as server name indication (RFC 6066 §3); both are verified against the
  /// certificate's subject alternative names, never its common name (RFC 9110 §4.3.4). The context
  /// must be a client's.
  ///
  /// - Throws: `.serverNameUnusable`, `.callFailed`.
  package init(context: TLSContext, serverName: String) throws(TLSError) {
    precondition(context.role != .server, "a server's context cannot make connections")
    let name = try ServerName(parsing: serverName)
    (session, received, produced) = try Self.makeSession(context)
    self.context = context
    host = name.text
    SSL_set_connect_state(session)
    try indicate(name)
    if context.role == .client(verifies: true) { try verify(name) }
  }

  /// An engine for a connection that was accepted. The context must be a server's.
  ///
  /// - Throws: `.callFailed`.
  package init(accepting context: TLSContext) throws(TLSError) {
    precondition(context.role == .server, "a client's context cannot accept connections")
    (session, received, produced) = try Self.makeSession(context)
    self.context = context
    host = "the client"
    SSL_set_accept_state(session)
  }

  deinit { SSL_free(session) }

  /// Begins the handshake: a client's first message is ready to be taken afterwards.
  package func start() throws(TLSError) {
    guard case .idle = state else { preconditionFailure("the engine was started before") }
    state = .handshaking
    try advanceHandshake()
  }

  /// Accepts what the socket brought, in pieces of any size, and advances the handshake with it.
  ///
  /// - Throws: what is wrong with the peer or its certificate, while the handshake runs.
  package func receive(ciphertext: UnsafeRawBufferPointer) throws(TLSError) {
    precondition(
      received.pending + ciphertext.count <= TLSLimits.unreadCiphertextMax,
      "received \(received.pending) + \(ciphertext.count) bytes without reading them")
    precondition(!transportEnded, "received ciphertext after the end of the transport")
    switch state {
    case .idle: preconditionFailure("the engine was not started")
    case .failed(let error): throw error
    case .handshaking:
      try received.write(ciphertext)
      try advanceHandshake()
    case .established:
      try received.write(ciphertext)
    }
  }

  /// Takes note that the transport ended (FIN). What was received before can still be read; then
  /// `read` says `closed` or `truncated`. After a reset the driver has an error of its own instead.
  ///
  /// - Throws: `.endedInHandshake` when the handshake is not complete.
  package func receivedEOF() throws(TLSError) {
    transportEnded = true
    switch state {
    case .idle, .handshaking: throw fail(.endedInHandshake(host: host))
    case .failed(let error): throw error
    case .established: break
    }
  }

  /// Stores plaintext at the start of `buffer`, which must not be empty; at most one record
  /// (16 KiB) a call. Before the handshake is complete the answer is `wantsMore`.
  ///
  /// - Throws: what the peer did wrong, or its alert.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> ReadResult {
    precondition(!buffer.isEmpty, "a read needs room for at least one byte")
    switch state {
    case .idle, .handshaking: return .wantsMore
    case .failed(let error): throw error
    case .established: break
    }
    OpenSSLErrorQueue.clear()
    var count = 0
    let result = SSL_read_ex(session, buffer.baseAddress, buffer.count, &count)
    if result == 1 { return .bytes(count) }
    switch SSL_get_error(session, result) {
    case SSL_ERROR_WANT_READ: return transportEnded ? .truncated : .wantsMore
    case SSL_ERROR_ZERO_RETURN: return .closed
    default: throw failConnection("SSL_read_ex")
    }
  }

  /// Encrypts plaintext from its start and returns how many bytes were accepted.
  ///
  /// Fewer than all when `TLSLimits.pendingCiphertextMax` bytes of ciphertext wait to be taken;
  /// none before the handshake is complete. The rest is to be written again after
  /// `takeCiphertext`. Not allowed after `shutdown`.
  package func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) -> Int {
    precondition(!shutDown, "write after shutdown")
    switch state {
    case .idle, .handshaking: return 0
    case .failed(let error): throw error
    case .established: break
    }
    var accepted = 0
    while accepted < plaintext.count, produced.pending < TLSLimits.pendingCiphertextMax {
      let rest = UnsafeRawBufferPointer(rebasing: plaintext[accepted...])
      OpenSSLErrorQueue.clear()
      var count = 0
      // One record a call, because of SSL_MODE_ENABLE_PARTIAL_WRITE. A memory BIO takes all and
      // nothing renegotiates, so it never has to wait.
      guard SSL_write_ex(session, rest.baseAddress, rest.count, &count) == 1 else {
        throw failConnection("SSL_write_ex")
      }
      accepted += count
    }
    return accepted
  }

  /// Whether there is anything to send.
  package var hasCiphertext: Bool { produced.pending > 0 }

  /// Moves everything there is to send to the end of `bytes`, in every state.
  package func takeCiphertext(into bytes: inout [UInt8]) throws(TLSError) {
    try produced.moveAll(to: &bytes)
  }

  /// Queues close_notify: nothing will be written any more. The peer's data can still be read.
  /// Without a complete handshake, after a failure and a second time it does nothing.
  package func shutdown() throws(TLSError) {
    guard case .established = state, !shutDown else { return }
    shutDown = true
    OpenSSLErrorQueue.clear()
    // 0: sent, the peer's own has not come; 1: it has. Both are success here.
    guard SSL_shutdown(session) >= 0 else { throw failConnection("SSL_shutdown") }
  }

  /// Whether the handshake is complete on this side, the peer's certificate included.
  package var isEstablished: Bool {
    if case .established = state { true } else { false }
  }

  /// The protocol both sides agreed on (ALPN); nil before `isEstablished` or when the peer takes
  /// no part in the choice. The C function is `SSL_get0_alpn_selected`.
  package var negotiatedProtocol: String? {
    var start: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(session, &start, &count)
    guard isEstablished, let start, count > 0 else { return nil }
    return String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }
}

extension TLSEngine {
  private func advanceHandshake() throws(TLSError) {
    OpenSSLErrorQueue.clear()
    let result = SSL_do_handshake(session)
    if result == 1 {
      state = .established
      return
    }
    switch SSL_get_error(session, result) {
    case SSL_ERROR_WANT_READ: return
    case SSL_ERROR_ZERO_RETURN: throw fail(.endedInHandshake(host: host))
    default: throw failConnection("SSL_do_handshake")
    }
  }

  /// Ends the engine with the reason that the failed call left.
  private func failConnection(_ call: String) -> TLSError {
    let entries = OpenSSLErrorQueue.drain()
    return fail(refusal ?? .connection(with: host, call: call, failedWith: entries))
  }

  private func fail(_ error: TLSError) -> TLSError {
    state = .failed(error)
    return error
  }
}
