import Glibc
import Testing

@testable import FixtureEventLoop

@Suite struct SocketTests {
  @Test func `each end knows both addresses`() throws {
    let link = try Link()
    #expect(Socket.localAddress(link.server) == link.listener.address)
    #expect(Socket.peerAddress(link.client) == link.listener.address)
    #expect(Socket.peerAddress(link.server) == Socket.localAddress(link.client))
    #expect(Socket.localAddress(-1) == nil)
    #expect(Socket.peerAddress(link.listener.descriptor) == nil)
  }

  @Test func `both ends send small pieces at once and are closed on exec`() throws {
    let link = try Link()
    for descriptor in [link.client, link.server] {
      var value: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &size)
      #expect(value == 1)
      #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
      #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK == O_NONBLOCK)
    }
  }

  @Test func `a read with nothing there would block`() throws {
    let link = try Link()
    #expect(receive(link.server).result == .wouldBlock)
  }

  @Test func `two pieces arrive as one sequence`() throws {
    let link = try Link()
    let (head, body): ([UInt8], [UInt8]) = ([1, 2, 3], [4, 5])
    let result = head.withUnsafeBytes { head in
      body.withUnsafeBytes { body in Socket.write(link.server, head, body) }
    }
    #expect(result == .bytes(5))
    #expect(try receiveWhenReady(link.client).bytes == [1, 2, 3, 4, 5])
  }

  @Test func `a peer that does not read blocks writes until it does`() throws {
    let link = try Link()
    let chunk = [UInt8](repeating: 9, count: 1 << 20)
    var written = 0
    while case .bytes(let count) = send(link.server, chunk) { written += count }
    #expect(send(link.server, chunk) == .wouldBlock)

    var received = 0
    while received < written {
      guard case .bytes(let count) = try receiveWhenReady(link.client).result else { break }
      received += count
    }
    #expect(received == written)
    try waitUntil(link.server, POLLOUT)
    #expect(send(link.server, [1]) == .bytes(1))
  }

  @Test func `a connect nobody listens for is refused`() throws {
    let listener = try TCPListener(host: "127.0.0.1", port: 0)
    let address = listener.address
    listener.close()
    #expect(throws: SystemError(call: "connect", errno: ECONNREFUSED, subject: "")) {
      // Linux reports it at once or by readiness.
      do throws(SystemError) {
        let descriptor = try Socket.connect(to: address)
        defer { Socket.close(descriptor) }
        try waitUntilOrThrow(descriptor, POLLOUT)
        if let error = Socket.connectError(descriptor) { throw error }
      } catch {
        throw SystemError(call: error.call, errno: error.errno)
      }
    }
  }

  @Test func `a connect that has not ended reports neither success nor failure`() throws {
    let loop = try EventLoop()
    let listener = try TCPListener(host: "127.0.0.1", port: 0)
    let descriptor = try Socket.connect(to: listener.address)
    defer { Socket.close(descriptor) }
    let probe = Probe { _ in
      loop.remove(descriptor)
      loop.stop()
    }
    try loop.add(descriptor, interest: .writable, watcher: probe)
    runToStop(loop)
    #expect(probe.reported == [.writable])
    #expect(Socket.connectError(descriptor) == nil)
  }

  @Test func `a socket connected to itself counts as refused`() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { Socket.close(descriptor) }
    let any = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    #expect(any.withSockaddr { bind(descriptor, $0, $1) } == 0)
    let own = try #require(Socket.localAddress(descriptor))
    #expect(own.withSockaddr { connect(descriptor, $0, $1) } == 0)
    #expect(
      Socket.connectError(descriptor)
        == SystemError(call: "connect", errno: ECONNREFUSED, subject: own.description))
  }

  private func waitUntilOrThrow(_ descriptor: Int32, _ events: Int32) throws(SystemError) {
    do {
      try waitUntil(descriptor, events)
    } catch {
      throw SystemError(call: "poll", errno: ETIMEDOUT)
    }
  }
}
