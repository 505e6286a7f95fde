import Foundation
import Testing

/// Rules about connections on real sockets: what becomes of those who connect, and of connections
/// that are open.
@Suite struct ConnectionRuleTests {
  private static let get = bytes("GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n")

  /// A replay by rules of `GET /a`.
  private func replay(_ rules: [String], threads: Int = 2) throws -> RuledReplay {
    try RuledReplay(of: Self.get, by: rules, threads: threads)
  }

  private func isAnswered(_ socket: RawSocket, within timeout: Duration = .seconds(10)) -> Bool {
    socket.receive(within: timeout) { text($0) == RuledReplay.ok }.bytes == bytes(RuledReplay.ok)
  }

  /// The first attempt that is no longer what it was.
  private func attempt(
    port: UInt16, until isDone: (RawSocket.Attempt) -> Bool
  ) -> RawSocket.Attempt {
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      let attempt = RawSocket.attempt(port: port, within: .milliseconds(300))
      if isDone(attempt) || ContinuousClock.now > deadline { return attempt }
      Thread.sleep(forTimeInterval: 0.02)
    }
  }

  @Test(arguments: [1, 2])
  func `nobody can connect while a rule refuses, and the port is served again after it`(
    _ threads: Int
  ) throws {
    let replay = try replay(["*: after 5s, for 10s, refuse"], threads: threads)
    let open = try RawSocket(port: replay.port)
    open.send(Self.get)
    #expect(isAnswered(open))
    let idle = try RawSocket(port: replay.port)
    // Connections that are open end: a stopped server has none.
    #expect(open.receive(within: .seconds(20)).end == .finished)
    #expect(idle.receive(within: .seconds(20)).end == .finished)
    #expect(attempt(port: replay.port) { $0.errno != nil }.errno == ECONNREFUSED)
    let again = try #require(attempt(port: replay.port) { $0.socket != nil }.socket)
    again.send(Self.get)
    #expect(isAnswered(again))
    #expect(replay.stop().status == 0)
  }

  @Test(arguments: [1, 2])
  func `a connect goes on while a rule swallows it, and works after it`(_ threads: Int) throws {
    let replay = try replay(["*: after 5s, for 6s, blackhole"], threads: threads)
    let start = ContinuousClock.now
    let open = try RawSocket(port: replay.port)
    open.send(Self.get)
    #expect(isAnswered(open))
    #expect(attempt(port: replay.port) { $0.isOpen }.isOpen)
    // A request on a connection that is open is not lost.
    open.send(Self.get)
    #expect(open.receive(within: .milliseconds(300)).end == .open)
    let late = RawSocket.attempt(port: replay.port, within: .seconds(60)).socket
    late?.send(Self.get)
    #expect(late.map { isAnswered($0) } == true)
    #expect(ContinuousClock.now - start >= .seconds(6))
    #expect(isAnswered(open))
    #expect(replay.stop().status == 0)
  }

  @Test(arguments: ["refuse", "blackhole"], [1, 3])
  func `who sees the answer that raises a flag sees what follows from it`(
    _ word: String, _ threads: Int
  ) throws {
    let replay = try replay(
      ["/a: nth 3, raise down", "*: while down, \(word)"], threads: threads)
    for _ in 0..<3 {
      let socket = try RawSocket(port: replay.port)
      socket.send(Self.get)
      let (received, _) = socket.receive(within: .seconds(10)) { text($0).hasSuffix("ok") }
      #expect(text(received).hasSuffix("\r\n\r\nok"))
    }
    let attempt = RawSocket.attempt(port: replay.port, within: .milliseconds(300))
    #expect(word == "refuse" ? attempt.errno == ECONNREFUSED : attempt.isOpen)
    #expect(replay.stop().status == 0)
  }

  @Test(arguments: [1, 2])
  func `one beyond a limit waits until another ends`(_ threads: Int) throws {
    let replay = try replay(["*: connections 2 queue"], threads: threads)
    let sockets = try (0..<4).map { _ in try RawSocket(port: replay.port) }
    for socket in sockets { socket.send(Self.get) }
    #expect(isAnswered(sockets[0]))
    #expect(isAnswered(sockets[1]))
    #expect(sockets[2].receive(within: .milliseconds(300)).end == .open)
    // One that leaves while it waits is not served any more.
    sockets[2].reset()
    sockets[0].close()
    #expect(isAnswered(sockets[3]))
    #expect(replay.stop().errors.contains("3 plays, 0 misses\n"))
  }

  @Test(arguments: [("refuse", RawSocket.End.reset), ("stall", .open)])
  func `one beyond a limit is reset, or never answered`(
    _ word: String, _ end: RawSocket.End
  ) throws {
    let replay = try replay(["*: connections 1 \(word)"])
    let first = try RawSocket(port: replay.port)
    first.send(Self.get)
    #expect(isAnswered(first))
    let second = try RawSocket(port: replay.port)
    if end == .open { second.send(Self.get) }
    #expect(second.receive(within: end == .open ? .milliseconds(300) : .seconds(10)).end == end)
    // The first goes on as it was, and its end makes room for another.
    first.send(Self.get)
    #expect(isAnswered(first))
    first.close()
    let third = attempt(port: replay.port) { attempt in
      attempt.socket?.send(Self.get)
      return attempt.socket.map { isAnswered($0, within: .milliseconds(500)) } == true
    }
    #expect(third.socket != nil)
    #expect(second.receive(within: .milliseconds(100)).end == (end == .open ? .open : .finished))
    #expect(replay.stop().status == 0)
  }

  @Test(arguments: [
    ("/a: refuse", "is about all connections: its pattern is * alone"),
    ("*: refuse", "needs after, for or while: else nothing could ever connect"),
    ("*: chance 5%, for 1s, blackhole", "only after, for and while go with it"),
    ("*: first 1, connections 1 queue", "only after, for and while go with it"),
    (
      "*: hold door",
      "the scenario asks for hold, and nobody could release what it holds: add --control"
    ),
  ])
  func `what makes no sense is refused at the start`(_ rule: String, _ reason: String) throws {
    let recording = try Recording()
    let ended = try Program.run(
      ["replay", "--rule", rule, recording.cassette], in: recording.folder)
    #expect(ended.status != 0)
    #expect(ended.errors.contains(reason), "\(ended.errors)")
  }
}
