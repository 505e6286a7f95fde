import FixtureEventLoop
import FixtureHTTP
import FixtureHTTP1
import Glibc
import Testing

@testable import FixtureServing

@Suite struct ServedConnectionTests {
  /// What comes of a request whose content makes its responder pause at once, until a later round.
  private final class Pausing: Responder {
    private(set) var log: [String] = []

    func requestBegan(
      _ request: RequestHead, framing: BodyFraming, on connection: ServedConnection
    ) { log.append("began") }

    func requestContent(_ bytes: UnsafeRawBufferPointer, on connection: ServedConnection) {
      log.append(String(decoding: bytes, as: UTF8.self))
      connection.pauseReading()
      let later = LoopReference(connection, on: connection.loop)
      connection.loop.handle.post { later.object?.resumeReading() }
    }

    func requestEnded(trailers: FieldSection, on connection: ServedConnection) {
      log.append("ended")
    }

    func outputDrained(on connection: ServedConnection) {}
    func exchangeAborted(on connection: ServedConnection) { log.append("aborted") }
  }

  /// The end of a request with a length has no byte of its own that could come later.
  @Test func `a request ends even if reading paused at its last byte`() throws {
    let loop = try EventLoop()
    let context = ServingContext(
      loop: loop, bodies: BodySource(reader: nil), halfCloseGrace_ns: 1_000_000_000,
      onError: { Issue.record("\($0)") })
    var ends: [Int32] = [0, 0]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    defer { Socket.close(ends[0]) }
    let responder = Pausing()
    context.serve(descriptor: ends[1], responder: responder)
    let request = Array("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello".utf8)
    #expect(request.withUnsafeBytes { Socket.write(ends[0], $0) } == .bytes(request.count))
    // One round for the request, one for what it posted; more are only room.
    stop(loop, afterRounds: 4)
    loop.run()
    #expect(responder.log == ["began", "hello", "ended"])
    context.abortAll()
  }

  private func stop(_ loop: EventLoop, afterRounds count: Int) {
    let later = LoopReference(loop, on: loop)
    loop.handle.post {
      guard let loop = later.object else { return }
      count == 0 ? loop.stop() : stop(loop, afterRounds: count - 1)
    }
  }
}
