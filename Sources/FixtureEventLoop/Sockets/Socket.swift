import CFixtureSystem
import Glibc

/// Calls on nonblocking stream sockets, which the caller owns by their descriptor.
package enum Socket {
  /// Reads what has come, at most as much as fits (recv).
  ///
  /// - Parameter buffer: not empty, or the result couldn't be told from the end.
  package static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) -> IOResult {
    precondition(!buffer.isEmpty, "a read needs room")
    let result = Syscalls.transferred("recv") {
      fixture_socket_read(descriptor, buffer.baseAddress, buffer.count)
    }
    return result == .bytes(0) ? .finished : result
  }

  /// Writes as much of `bytes` as the kernel takes (send, with MSG_NOSIGNAL).
  /// - Parameter more: what follows is written at once, so a packet that isn't full may wait for it
  ///   (MSG_MORE).
  package static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, more: Bool = false
  ) -> IOResult {
    Syscalls.transferred("send") {
      fixture_socket_write(descriptor, bytes.baseAddress, bytes.count, more ? 1 : 0)
    }
  }

  /// Writes as much of two pieces as the kernel takes, in one call (sendmsg, with MSG_NOSIGNAL).
  ///
  /// - Returns: `.bytes` counts from the first piece's start through the second's.
  package static func write(
    _ descriptor: Int32, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
  ) -> IOResult {
    Syscalls.transferred("sendmsg") {
      fixture_socket_write_both(
        descriptor, first.baseAddress, first.count, second.baseAddress, second.count)
    }
  }

  /// Sends FIN after what was written; reading goes on (shutdown). A connection that is already
  /// gone is left to the next read to report.
  package static func shutdownWrite(_ descriptor: Int32) {
    _ = Syscalls.uninterrupted { fixture_socket_shutdown_write(descriptor) }
  }

  /// Closes the descriptor. What was written is still sent, then FIN; but bytes that came and were
  /// not read make the kernel send RST instead, which may destroy what the peer has not read yet.
  package static func close(_ descriptor: Int32) {
    // The number is free whatever close returns; EINTR included.
    _ = fixture_close(descriptor)
  }

  /// Closes the descriptor with RST: what was written and not sent yet is dropped.
  package static func reset(_ descriptor: Int32) {
    // Fails only for a bad descriptor.
    _ = fixture_socket_set_linger_zero(descriptor)
    _ = fixture_close(descriptor)
  }

  /// Starts to connect. The descriptor becomes writable when it has worked or failed; then
  /// `connectError` says which.
  ///
  /// - Returns: a nonblocking descriptor with TCP_NODELAY, the caller's to close.
  /// - Throws: what failed at once, such as EMFILE, ENETUNREACH or ECONNREFUSED.
  package static func connect(to address: SocketAddress) throws(SystemError) -> Int32 {
    let descriptor = try Descriptor("socket") { fixture_socket_create(address.family) }
    try Syscalls.check("setsockopt") { fixture_socket_set_no_delay(descriptor.number) }
    let result = address.withSockaddr { fixture_socket_connect(descriptor.number, $0, $1) }
    // EINTR: the connect goes on by itself.
    if result < 0, result != -EINPROGRESS, result != -EINTR {
      throw SystemError(call: "connect", errno: -result, subject: address.description)
    }
    return descriptor.release()
  }

  /// How a connect ended, once the descriptor is writable or closed; nil when it is connected.
  /// Asking clears the error.
  package static func connectError(_ descriptor: Int32) -> SystemError? {
    if let error = pendingError(descriptor) {
      return SystemError(call: "connect", errno: error.errno)
    }
    // A connect from an ephemeral port to the same port with nobody listening meets itself (RFC
    // 9293 §3.5, simultaneous open). Nobody else is there.
    if let own = localAddress(descriptor), own == peerAddress(descriptor) {
      return SystemError(call: "connect", errno: ECONNREFUSED, subject: own.description)
    }
    return nil
  }

  /// Waits on the calling thread until bytes can be written, or read; for those who have no loop.
  /// - Returns: whether they can, or the connection has ended; false when the time was up.
  package static func wait(_ descriptor: Int32, toWrite: Bool, timeout_ms: Int32) -> Bool {
    var entry = pollfd(
      fd: descriptor, events: Int16(toWrite ? POLLOUT : POLLIN), revents: 0)
    var result: Int32
    repeat { result = poll(&entry, 1, timeout_ms) } while result < 0 && errno == EINTR
    return result > 0
  }

  /// The error that is pending on the socket (SO_ERROR), such as ECONNRESET; asking clears it.
  package static func pendingError(_ descriptor: Int32) -> SystemError? {
    let result = fixture_socket_pending_error(descriptor)
    if result == 0 { return nil }
    return SystemError(call: result > 0 ? "SO_ERROR" : "getsockopt", errno: abs(result))
  }

  /// What a read would give, without reading: `.bytes`, `.wouldBlock` while the connection is open
  /// and quiet, `.finished` or an error when it is not (recv with MSG_PEEK).
  package static func peek(_ descriptor: Int32) -> IOResult {
    let result = Syscalls.transferred("recv") { fixture_socket_peek(descriptor) }
    return result == .bytes(0) ? .finished : result
  }

  /// The socket's own address; nil when it has none.
  package static func localAddress(_ descriptor: Int32) -> SocketAddress? {
    SocketAddress.filled { fixture_socket_name(descriptor, $0) }
  }

  /// The other end's address; nil when the socket isn't connected, also no longer.
  package static func peerAddress(_ descriptor: Int32) -> SocketAddress? {
    SocketAddress.filled { fixture_socket_peer(descriptor, $0) }
  }
}
