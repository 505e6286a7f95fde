import CFixtureSystem
import Glibc
import Synchronization

/// A listening socket. Several loops may watch and accept from it.
package final class TCPListener: Sendable {
  /// Where it listens, with the port the system picked for 0.
  package let address: SocketAddress
  private let backlog: Int32
  private let number: Atomic<Int32>
  let attendance = Mutex(Attendance())

  /// Binds and listens.
  ///
  /// SO_REUSEADDR lets a port be used again while old connections linger. There is no SO_REUSEPORT:
  /// a port another listener has is refused, whoever owns it.
  ///
  /// - Parameters:
  ///   - host: an IPv4 literal, an IPv6 literal without brackets, or `localhost` for 127.0.0.1.
  ///     `::` takes IPv4 connections too.
  ///   - port: 0 lets the system pick one.
  ///   - backlog: how many connections may wait to be accepted; the system caps it (somaxconn).
  /// - Throws: EINVAL of inet_pton for any other host; EADDRINUSE for a taken port; EACCES,
  ///   EADDRNOTAVAIL, EMFILE. Each names the address.
  package init(host: String, port: UInt16, backlog: Int32 = 4096) throws(SystemError) {
    let literal = host.lowercased() == "localhost" ? "127.0.0.1" : host
    guard let wanted = SocketAddress(literal: literal, port: port) else {
      throw SystemError(call: "inet_pton", errno: EINVAL, subject: host)
    }
    let descriptor: Descriptor
    do throws(SystemError) {
      descriptor = try Self.listen(wanted, backlog)
    } catch {
      throw error.about(wanted.description)
    }
    guard let bound = Socket.localAddress(descriptor.number) else {
      throw SystemError(call: "getsockname", errno: EINVAL, subject: wanted.description)
    }
    address = bound
    self.backlog = backlog
    number = Atomic(descriptor.release())
  }

  deinit { close() }

  private static func listen(
    _ address: SocketAddress, _ backlog: Int32
  ) throws(SystemError) -> Descriptor {
    let socket = try Descriptor("socket") { fixture_socket_create(address.family) }
    let number = socket.number
    try Syscalls.check("setsockopt") { fixture_socket_set_reuse_address(number, 1) }
    // Accepted sockets inherit it from the listener, which saves a call for each.
    try Syscalls.check("setsockopt") { fixture_socket_set_no_delay(number) }
    if address.isLoopback {
      // Some systems pace what a connection sends (BBR): right for a network, and on loopback half
      // of the cost of a large answer. Without it there is only that.
      _ = fixture_socket_set_unpaced(number)
      // What waits in the kernel is sent when the client acknowledges what came before, and on
      // loopback in the client's time: it takes a third longer to read an answer of a megabyte.
      _ = fixture_socket_set_unsent_max(number, unsentBytesMax)
    }
    if address.family == AF_INET6 {
      try Syscalls.check("setsockopt") { fixture_socket_set_dual_stack(number) }
    }
    try Syscalls.check("bind") {
      address.withSockaddr { fixture_socket_bind(number, $0, $1) }
    }
    try Syscalls.check("listen") { fixture_socket_listen(number, backlog) }
    return socket
  }

  func listen() throws(SystemError) { try listen(backlog: backlog) }

  func listen(backlog: Int32) throws(SystemError) {
    try Syscalls.check("listen") { fixture_socket_listen(descriptor, backlog) }
  }

  /// With twice of it clients have a sixth more to do, with half of it no less than with this.
  private static let unsentBytesMax: Int32 = 128 << 10

  package var port: UInt16 { address.port }

  /// To watch for readability; -1 when closed.
  package var descriptor: Int32 { number.load(ordering: .relaxed) }

  /// Whether this is what a connected socket of ours leads to.
  package func isPeer(of descriptor: Int32) -> Bool {
    guard let peer = Socket.peerAddress(descriptor), let local = Socket.localAddress(descriptor)
    else { return false }
    return address.isReached(by: peer, from: local)
  }

  /// Takes a waiting connection (accept4).
  ///
  /// - Returns: a nonblocking, close-on-exec descriptor with TCP_NODELAY, the caller's to close;
  ///   nil when none waits, or nobody is to be accepted.
  /// - Throws: with `descriptorsExhausted` the connection stays in the backlog and the listener
  ///   stays readable: stop watching it until a descriptor was closed or some time has passed, as
  ///   `Acceptor` does.
  package func accept() throws(SystemError) -> Int32? {
    try attendance.withLock { (attendance) throws(SystemError) in
      guard attendance.attitude == .accepting else { return nil }
      while let descriptor = try acceptNext() {
        guard attendance.isPlaceholder(descriptor) else { return descriptor }
        Socket.close(descriptor)
      }
      return nil
    }
  }

  private func acceptNext() throws(SystemError) -> Int32? {
    // Each failed connection was taken from the backlog, so that bounds the loop.
    while true {
      let result = fixture_socket_accept(descriptor)
      if result >= 0 { return result }
      if result == -EAGAIN { return nil }
      if Self.isOfConnection(-result) { continue }
      throw SystemError(call: "accept4", errno: -result, subject: address.description)
    }
  }

  /// Closes it: the port is free, and connections that wait are reset. Every loop must have
  /// removed it before.
  package func close() {
    let descriptor = number.exchange(-1, ordering: .acquiringAndReleasing)
    if descriptor >= 0 { Socket.close(descriptor) }
    attendance.withLock { $0.release() }
  }

  // Linux passes pending network errors of the new connection on as errors of accept (accept(2)).
  private static func isOfConnection(_ errno: Int32) -> Bool {
    switch errno {
    case EINTR, ECONNABORTED, EPERM, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET,
      EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH:
      true
    default:
      false
    }
  }
}
