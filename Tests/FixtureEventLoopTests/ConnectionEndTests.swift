import Glibc
import Testing

@testable import FixtureEventLoop

/// How the end of a connection is reported: a half-close, a close and a reset are three things.
@Suite struct ConnectionEndTests {
  let loop: EventLoop
  let link: Link
  let probe: Probe

  init() throws {
    let loop = try EventLoop()
    let link = try Link()
    let probe = Probe { _ in
      loop.remove(link.server)
      loop.stop()
    }
    (self.loop, self.link, self.probe) = (loop, link, probe)
  }

  @Test func `a peer that finished writing can still be written to`() throws {
    #expect(send(link.client, [1, 2, 3]) == .bytes(3))
    Socket.shutdownWrite(link.client)
    try waitUntil(link.server, Int32(FIXTURE_POLLRDHUP))
    try loop.add(link.server, interest: [.readable, .peerFinished], watcher: probe)
    runToStop(loop)
    #expect(probe.reported == [[.readable, .peerFinished]])
    #expect(receive(link.server).bytes == [1, 2, 3])
    #expect(receive(link.server).result == .finished)

    #expect(send(link.server, [4]) == .bytes(1))
    #expect(try receiveWhenReady(link.client).bytes == [4])
  }

  @Test func `the end of the peer's bytes is reported while nothing is read`() throws {
    #expect(send(link.client, [1]) == .bytes(1))
    link.closeClient()
    try loop.add(link.server, interest: .peerFinished, watcher: probe)
    runToStop(loop)
    #expect(probe.reported == [.peerFinished])
  }

  @Test func `a reset is reported as failed and a read tells the error`() throws {
    link.resetClient()
    try loop.add(link.server, interest: [.readable, .peerFinished], watcher: probe)
    runToStop(loop)
    #expect(probe.reported == [[.readable, .peerFinished, .closed, .failed]])
    #expect(
      receive(link.server).result == .failed(SystemError(call: "recv", errno: ECONNRESET)))
  }

  @Test func `a reset is reported without any interest`() throws {
    link.resetClient()
    try loop.add(link.server, interest: [], watcher: probe)
    runToStop(loop)
    #expect(probe.reported == [[.closed, .failed]])
    #expect(
      Socket.pendingError(link.server) == SystemError(call: "SO_ERROR", errno: ECONNRESET))
    #expect(Socket.pendingError(link.server) == nil)
  }

  @Test func `bytes that came before a reset can still be read`() throws {
    #expect(send(link.client, [7, 8]) == .bytes(2))
    try waitUntil(link.server, POLLIN)
    link.resetClient()
    try loop.add(link.server, interest: [], watcher: probe)
    runToStop(loop)
    #expect(receive(link.server).bytes == [7, 8])
    #expect(
      receive(link.server).result == .failed(SystemError(call: "recv", errno: ECONNRESET)))
  }

  @Test func `a connection both ends have finished is closed without failure`() throws {
    link.closeClient()
    Socket.shutdownWrite(link.server)
    try loop.add(link.server, interest: [.readable, .peerFinished], watcher: probe)
    try waitUntil(link.server, POLLHUP)
    runToStop(loop)
    #expect(probe.reported == [[.readable, .peerFinished, .closed]])
    #expect(receive(link.server).result == .finished)
  }

  @Test func `closing with bytes unread resets the connection`() throws {
    #expect(send(link.server, [1]) == .bytes(1))
    try waitUntil(link.client, POLLIN)
    link.closeClient()
    try loop.add(link.server, interest: .readable, watcher: probe)
    runToStop(loop)
    #expect(probe.reported == [[.readable, .closed, .failed]])
  }

  @Test func `writing to a connection that is gone fails without a signal`() throws {
    link.resetClient()
    try waitUntil(link.server, POLLIN)
    _ = Socket.pendingError(link.server)
    #expect(send(link.server, [1]) == .failed(SystemError(call: "send", errno: EPIPE)))
    #expect(
      Socket.write(link.server, .init(start: nil, count: 0), .init(start: nil, count: 0))
        == .failed(SystemError(call: "sendmsg", errno: EPIPE)))
  }
}

/// POLLRDHUP, which Glibc declares for GNU sources only.
private let FIXTURE_POLLRDHUP = 0x2000
