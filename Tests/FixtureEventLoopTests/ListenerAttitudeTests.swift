import Glibc
import Testing

@testable import FixtureEventLoop

/// What becomes of those who connect to a listener that does not accept.
@Suite struct ListenerAttitudeTests {
  /// The error of a connect to a listener; nil when it has worked, EINPROGRESS when it goes on.
  private func attempt(_ address: SocketAddress, within ms: Int32 = 300) throws -> Int32? {
    let client: Int32
    do throws(SystemError) {
      client = try Socket.connect(to: address)
    } catch {
      return error.errno
    }
    defer { Socket.close(client) }
    var entry = pollfd(fd: client, events: Int16(POLLOUT), revents: 0)
    guard poll(&entry, 1, ms) > 0 else { return EINPROGRESS }
    return Socket.connectError(client)?.errno
  }

  /// A listener on a port that the system picked, and one on a port that was asked for.
  private static func listener(_ host: String, isAskedFor: Bool) throws -> TCPListener {
    let picked = try TCPListener(host: host, port: 0)
    guard isAskedFor else { return picked }
    picked.close()
    return try TCPListener(host: host, port: picked.port)
  }

  @Test(arguments: ["127.0.0.1", "::1", "0.0.0.0"], [true, false])
  func `one that refuses is as none, keeps its port, and accepts again`(
    _ host: String, _ isAskedFor: Bool
  ) throws {
    let listener = try Self.listener(host, isAskedFor: isAskedFor)
    let open = try Socket.connect(to: listener.address)
    defer { Socket.close(open) }
    let server = try waitForConnection(listener)
    defer { Socket.close(server) }
    for _ in 0..<2 {
      try listener.turn(to: .refusing)
      #expect(try attempt(listener.address) == ECONNREFUSED)
      #expect(try listener.accept() == nil)
      // Neither another process nor one that reuses addresses has it meanwhile.
      #expect(throws: SystemError.self) { try TCPListener(host: host, port: listener.port) }
      // What was connected is not touched.
      #expect(Socket.peek(server) == .wouldBlock)
      try listener.turn(to: .accepting)
      #expect(try attempt(listener.address) == nil)
      Socket.close(try waitForConnection(listener))
    }
  }

  @Test(arguments: ["127.0.0.1", "::1", "0.0.0.0"])
  func `one that is silent lets nobody connect, and accepts again`(_ host: String) throws {
    let listener = try TCPListener(host: host, port: 0)
    for _ in 0..<2 {
      try listener.turn(to: .silent)
      #expect(try attempt(listener.address) == EINPROGRESS)
      #expect(try listener.accept() == nil)
      try listener.turn(to: .accepting)
      let client = try Socket.connect(to: listener.address)
      defer { Socket.close(client) }
      // The first that is accepted is a client, not the listener's own.
      let server = try waitForConnection(listener)
      #expect(Socket.peerAddress(server)?.port == Socket.localAddress(client)?.port)
      Socket.close(server)
    }
  }

  @Test func `one goes from each attitude to each other`() throws {
    let listener = try TCPListener(host: "127.0.0.1", port: 0)
    let attitudes: [(ListenerAttitude, Int32?)] = [
      (.accepting, nil), (.refusing, ECONNREFUSED), (.silent, EINPROGRESS),
    ]
    for (first, _) in attitudes {
      for (second, expected) in attitudes {
        try listener.turn(to: first)
        try listener.turn(to: second)
        #expect(try attempt(listener.address, within: 100) == expected, "\(first) to \(second)")
      }
    }
  }

  @Test func `who waited in the backlog of one that turns silent is accepted afterwards`() throws {
    let listener = try TCPListener(host: "127.0.0.1", port: 0)
    let client = try Socket.connect(to: listener.address)
    defer { Socket.close(client) }
    try listener.turn(to: .silent)
    #expect(try attempt(listener.address) == EINPROGRESS)
    try listener.turn(to: .accepting)
    let server = try waitForConnection(listener)
    defer { Socket.close(server) }
    #expect(Socket.peerAddress(server)?.port == Socket.localAddress(client)?.port)
  }
}
