import CFixtureSystem
import Glibc

/// What a listener does with those who connect.
package enum ListenerAttitude: Equatable, Sendable {
  case accepting
  /// Connecting fails at once (ECONNREFUSED). The port stays ours.
  case refusing
  /// Connecting goes on until the client gives up: nothing answers it. Who tries still when this
  /// ends is connected when its system asks again, after 1, 3, 7, … seconds from its first try.
  case silent
}

extension TCPListener {
  /// How those who connect are met.
  struct Attendance {
    var attitude = ListenerAttitude.accepting
    /// While it is silent: the one that takes the only place in the backlog.
    var placeholder: Int32 = -1
    /// One that is still to come out of the backlog.
    var placeholderAddress: SocketAddress?
  }

  /// Changes what becomes of those who connect; it is so when this returns. On any thread; loops
  /// that watch it should not while it isn't accepting.
  ///
  /// - Throws: what failed: EADDRINUSE when another process has taken the port meanwhile, which the
  ///   system prevents, or EMFILE. It may be called again.
  package func turn(to attitude: ListenerAttitude) throws(SystemError) {
    try attendance.withLock { (attendance) throws(SystemError) in
      guard attitude != attendance.attitude else { return }
      do throws(SystemError) {
        switch attitude {
        case .accepting: try turnAccepting(&attendance)
        case .refusing: try turnRefusing(&attendance)
        case .silent: try turnSilent(&attendance)
        }
      } catch {
        throw error.about(address.description)
      }
      attendance.attitude = attitude
    }
  }

  /// Makes the packets of later connections as small as those of a network. On loopback they have
  /// 64 KiB, and systems hold some of them ready: a client would get rid of megabytes that nobody
  /// reads.
  package func limitSegments() {
    // It is a matter of degree, so a system that can't is as good as it can be.
    _ = fixture_socket_set_segment_size(descriptor, Self.ethernetSegmentBytes)
  }

  private static let ethernetSegmentBytes: Int32 = 1460

  private func turnAccepting(_ attendance: inout Attendance) throws(SystemError) {
    try setReused(true)
    try listen()
    attendance.release()
  }

  /// A listener that is shut down answers with a reset whoever connects. Its port is ours still if
  /// it was asked for; one that the system picked is free again, and is bound by its number.
  /// Without SO_REUSEADDR nobody else can bind it then.
  private func turnRefusing(_ attendance: inout Attendance) throws(SystemError) {
    let number = descriptor
    // It does not listen any more when it was shut down before and the rest failed.
    try Self.check("shutdown", unless: ENOTCONN) { fixture_socket_shutdown(number) }
    attendance.release()
    // What waited in the backlog is gone.
    attendance.placeholderAddress = nil
    // It is bound already when it was asked for by its number.
    try Self.check("bind", unless: EINVAL) {
      address.withSockaddr { fixture_socket_bind(number, $0, $1) }
    }
    try setReused(false)
  }

  private static func check(
    _ name: String, unless expected: Int32, _ call: () -> Int32
  ) throws(SystemError) {
    do throws(SystemError) {
      try Syscalls.check(name, call)
    } catch {
      guard error.errno == expected else { throw error }
    }
  }

  /// A backlog of no places takes one connection, and the system drops the requests of those who
  /// come after it. That one is ours.
  private func turnSilent(_ attendance: inout Attendance) throws(SystemError) {
    try setReused(true)
    try listen(backlog: 0)
    attendance.placeholder = try Socket.connect(to: address)
  }

  private func setReused(_ isReused: Bool) throws(SystemError) {
    try Syscalls.check("setsockopt") {
      fixture_socket_set_reuse_address(descriptor, isReused ? 1 : 0)
    }
  }
}

extension TCPListener.Attendance {
  /// Gives up the place in the backlog.
  mutating func release() {
    guard placeholder >= 0 else { return }
    // One that is not connected found the backlog full with others, and won't come.
    if Socket.peerAddress(placeholder) != nil {
      placeholderAddress = Socket.localAddress(placeholder)
    }
    Socket.close(placeholder)
    placeholder = -1
  }

  /// Whether an accepted connection is our own.
  mutating func isPlaceholder(_ descriptor: Int32) -> Bool {
    guard let own = placeholderAddress, Socket.peerAddress(descriptor) == own else { return false }
    placeholderAddress = nil
    return true
  }
}
