import Foundation
import Testing

/// Rules about how the content of requests is read, on real sockets.
@Suite struct ReadingRuleTests {
  /// A replay by rules of one `POST /p` of `abc`.
  private func replay(_ rules: [String]) throws -> RuledReplay {
    try RuledReplay(of: Self.post(content: "abc"), by: rules)
  }

  private static func post(
    _ target: String = "/p", size: Int? = nil, expects: Bool = false, content: String = ""
  ) -> [UInt8] {
    bytes(
      "POST \(target) HTTP/1.1\r\nHost: a.test\r\nContent-Length: \(size ?? content.utf8.count)\r\n"
        + "\(expects ? "Expect: 100-continue\r\n" : "")\r\n\(content)")
  }

  private static let leave = "HTTP/1.1 100 Continue\r\n\r\n"

  /// What comes, in a time that may be long.
  private func receive(_ socket: RawSocket, _ expected: String) -> String {
    text(socket.receive(within: .seconds(20)) { text($0).hasSuffix(expected) }.bytes)
  }

  @Test(arguments: [("upload 50KB/s", 500), ("upload 10KB/s", 2500)])
  func `an answer comes when the content could be read at its rate, and not before`(
    _ clause: String, _ ms: Int
  ) throws {
    let replay = try replay(["POST /up: \(clause), status 201"])
    let socket = try RawSocket(port: replay.port)
    // The second one on the same connection.
    for _ in 0..<2 {
      let start = ContinuousClock.now
      socket.send(Self.post("/up", content: String(repeating: "x", count: 25_000)))
      let answer = receive(socket, "\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 201 Created\r\n"))
      #expect(!answer.contains("Connection: close"))
      #expect(ContinuousClock.now - start >= .milliseconds(ms))
    }
  }

  @Test func `a client waits with what nobody reads`() throws {
    let replay = try replay(["POST /up: upload 2MB/s, status 201"])
    let socket = try RawSocket(port: replay.port)
    let start = ContinuousClock.now
    socket.send(Self.post("/up", size: 6_000_000))
    socket.send([UInt8](repeating: 0x78, count: 6_000_000))
    // What systems hold ready for each other aside.
    #expect(ContinuousClock.now - start >= .seconds(1))
    #expect(receive(socket, "\r\n\r\n").hasPrefix("HTTP/1.1 201 Created\r\n"))
    #expect(ContinuousClock.now - start >= .seconds(3))
  }

  @Test func `a recorded answer waits for content that is read slowly, in chunks too`() throws {
    let replay = try replay(["/p: upload 10B/s"])
    let start = ContinuousClock.now
    let socket = try RawSocket(port: replay.port)
    socket.send(
      "POST /p HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n")
    #expect(receive(socket, RuledReplay.ok) == RuledReplay.ok)
    #expect(ContinuousClock.now - start >= .milliseconds(300))
  }

  @Test func `a client that waits for leave gets it at once without a rule`() throws {
    let replay = try replay([])
    let socket = try RawSocket(port: replay.port)
    socket.send(Self.post(size: 3, expects: true))
    #expect(receive(socket, Self.leave) == Self.leave)
    socket.send("abc")
    #expect(receive(socket, RuledReplay.ok) == RuledReplay.ok)
    // A client that doesn't wait, and one that doesn't ask, get none.
    socket.send(Self.post(content: "abc"))
    #expect(receive(socket, RuledReplay.ok) == RuledReplay.ok)
  }

  @Test func `a client that waits for leave gets it late, and not when it goes on itself`() throws {
    let replay = try replay(["/p: continue 600ms"])
    let socket = try RawSocket(port: replay.port)
    let start = ContinuousClock.now
    socket.send(Self.post(size: 3, expects: true))
    #expect(receive(socket, Self.leave) == Self.leave)
    #expect(ContinuousClock.now - start >= .milliseconds(600))
    socket.send("abc")
    #expect(receive(socket, RuledReplay.ok) == RuledReplay.ok)
    socket.send(Self.post(expects: true, content: "abc"))
    #expect(receive(socket, RuledReplay.ok) == RuledReplay.ok)
    // It would be for a request that has ended.
    #expect(socket.receive(within: .milliseconds(800)).bytes == [])
  }

  @Test func `a client that never gets leave is answered when it goes on`() throws {
    let replay = try replay(["/p: continue off"])
    let socket = try RawSocket(port: replay.port)
    socket.send(Self.post(size: 3, expects: true))
    #expect(socket.receive(within: .milliseconds(300)).bytes == [])
    socket.send("abc")
    #expect(receive(socket, RuledReplay.ok) == RuledReplay.ok)
  }

  @Test func `an answer that needs no content is given instead of leave`() throws {
    let replay = try replay(["/p: continue 1s, status 413"])
    let socket = try RawSocket(port: replay.port)
    socket.send(Self.post(size: 3, expects: true))
    let answer = receive(socket, "\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
    #expect(answer.contains("\r\nConnection: close\r\n"))
  }

  @Test func `a client that leaves in the middle of a slow upload is let go`() throws {
    let replay = try replay(["/p: upload 1B/s", "*: connections 1 queue"])
    let socket = try RawSocket(port: replay.port)
    socket.send(Self.post(size: 1000, content: "abc"))
    Thread.sleep(forTimeInterval: 0.2)
    socket.reset()
    // There is room again.
    let next = try RawSocket(port: replay.port)
    next.send("GET /none HTTP/1.1\r\nHost: a.test\r\n\r\n")
    #expect(receive(next, "}").hasPrefix("HTTP/1.1 501 "))
    #expect(replay.stop().status == 0)
  }
}
