import Glibc
import Testing

@testable import FixtureEventLoop

@Suite struct TCPListenerTests {
  @Test func `port 0 picks a port, and nobody waits at first`() throws {
    let listener = try TCPListener(host: "127.0.0.1", port: 0)
    #expect(listener.port != 0)
    #expect(listener.address.description == "127.0.0.1:\(listener.port)")
    #expect(try listener.accept() == nil)
  }

  @Test func `localhost is 127.0.0.1`() throws {
    let listener = try TCPListener(host: "LocalHost", port: 0)
    #expect(listener.address.host == "127.0.0.1")
  }

  @Test func `an IPv6 literal listens on IPv6`() throws {
    let listener = try TCPListener(host: "::1", port: 0)
    let client = try Socket.connect(to: listener.address)
    defer { Socket.close(client) }
    let server = try waitForConnection(listener)
    defer { Socket.close(server) }
    #expect(Socket.peerAddress(server) == Socket.localAddress(client))
  }

  @Test func `on loopback little waits in the kernel to be sent`() throws {
    let listener = try TCPListener(host: "127.0.0.1", port: 0)
    let client = try Socket.connect(to: listener.address)
    defer { Socket.close(client) }
    let server = try waitForConnection(listener)
    defer { Socket.close(server) }
    var bytes: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    #expect(getsockopt(server, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, &size) == 0)
    #expect(bytes == 128 << 10)
  }

  @Test func `a taken port is refused by name`() throws {
    let listener = try TCPListener(host: "127.0.0.1", port: 0)
    let error = #expect(throws: SystemError.self) {
      try TCPListener(host: "127.0.0.1", port: listener.port)
    }
    #expect(
      error?.description
        == "bind 127.0.0.1:\(listener.port): Address already in use (EADDRINUSE)")
    #expect(error?.descriptorsExhausted == false)
  }

  @Test func `a port is free at once after close, whatever became of its connections`() throws {
    let link = try Link()
    let port = link.listener.port
    // The server closes first, which leaves its end in TIME_WAIT.
    Socket.shutdownWrite(link.server)
    link.listener.close()
    #expect(link.listener.descriptor == -1)
    link.closeClient()
    let next = try TCPListener(host: "127.0.0.1", port: port)
    #expect(next.port == port)
  }

  @Test(arguments: ["example.com", "", "[::1]", "127.0.0.1\0"])
  func `any other host is refused without a lookup`(host: String) {
    #expect(throws: SystemError(call: "inet_pton", errno: EINVAL, subject: host)) {
      try TCPListener(host: host, port: 0)
    }
  }

  @Test func `an error names the function, the address and the reason`() {
    #expect(
      SystemError(call: "bind", errno: EACCES, subject: "127.0.0.1:80").description
        == "bind 127.0.0.1:80: Permission denied (EACCES)")
    #expect(
      SystemError(call: "recv", errno: ECONNRESET).description
        == "recv: Connection reset by peer (ECONNRESET)")
    #expect(SystemError(call: "recv", errno: 9999).description == "recv: unknown error (9999)")
    let exhausted = [EMFILE, ENFILE, ENOBUFS, ENOMEM].map { SystemError(call: "", errno: $0) }
    #expect(exhausted.allSatisfy { $0.descriptorsExhausted })
  }
}
