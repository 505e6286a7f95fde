import Foundation
import Testing

/// Scenarios on real sockets: what a raw client of a replay with rules gets, and when. What an
/// answer is exactly is told by the transcripts of the pure tests; here it is only that it comes.
@Suite struct ScenarioProgramTests {
  private static let content = String(repeating: "0123456789", count: 100)

  /// A cassette of `GET /a`, 1000 bytes of known length, and of `POST /p`.
  private static func recorded() throws -> Recording {
    let recording = try Recording()
    let upstream = try ScriptedUpstream { connection in
      while connection.request() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n\(content)")
      }
    }
    let recorder = try recording.recorder(upstream)
    _ = try Answer.to(get, port: recorder.port())
    _ = try Answer.to(post, port: recorder.port())
    #expect(recorder.stop().status == 0)
    upstream.stop()
    return recording
  }

  private static let get = bytes("GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n")
  private static let post = bytes(
    "POST /p HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc")

  private static func rules(_ lines: [String]) -> [String] {
    ["--seed", "7"] + lines.flatMap { ["--rule", $0] }
  }

  @Test func `the first answers are made by a rule, then the recording is played from its start`()
    throws
  {
    let recording = try Self.recorded()
    let replayer = try recording.replayer(
      Self.rules(["GET /a: first 2, status 503, retry-after 2s, body \"no\""]) + ["--receipts"])
    let port = try replayer.port()
    for _ in 0..<2 {
      let answer = text(try Answer.to(Self.get, port: port).bytes)
      #expect(answer.hasPrefix("HTTP/1.1 503 Service Unavailable\r\nDate: "))
      #expect(
        answer.hasSuffix(
          "Content-Length: 2\r\nRetry-After: 2\r\nFixtured-Rule: 1\r\nFixtured-Seed: 7\r\n\r\nno"))
    }
    #expect(
      text(try Answer.to(Self.get, port: port).bytes)
        == "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nFixtured-Interaction: 1\r\n"
        + "Fixtured-Seed: 7\r\n\r\n\(Self.content)")
    let ended = replayer.stop()
    #expect(ended.errors.contains("1 rule in force, seed 7; for the same again: --seed 7\n"))
    #expect(ended.errors.contains("1 play, 2 answers made by rules, 0 misses\n"))
  }

  /// - Returns: the content and how it ended.
  private func answer(_ rule: String, _ request: [UInt8] = get) throws -> (String, RawSocket.End) {
    let recording = try Self.recorded()
    let replayer = try recording.replayer(Self.rules([rule]))
    let socket = try RawSocket(port: try replayer.port())
    socket.send(request)
    let (bytes, end) = socket.receive(within: .seconds(20)) {
      text($0).hasSuffix("\r\n\r\n" + Self.content)
    }
    let parts = text(bytes).split(separator: "\r\n\r\n", maxSplits: 1)
    return (parts.count == 2 ? String(parts[1]) : "", end)
  }

  @Test(arguments: [
    ("reset", 0, RawSocket.End.reset), ("reset at 40%", 400, .reset),
    ("close after head", 0, .finished), ("truncate at 300B", 300, .finished),
    ("close in head", 0, .finished),
  ])
  func `an answer ends early with a FIN or a RST`(
    _ clause: String, _ count: Int, _ expected: RawSocket.End
  ) throws {
    let (content, end) = try answer("/a: \(clause)")
    #expect(content == Self.content.prefix(count))
    #expect(end == expected)
  }

  @Test(arguments: [
    ("delay 400ms", 400), ("pause 400ms", 400), ("stall 400ms at 50%", 400),
    ("trickle 100B/50ms", 450), ("trickle 5 pieces over 500ms", 500), ("rate 2KB/s", 500),
    ("rate 2KB/s shared", 500), ("stall 200ms in head, delay 200ms", 400),
  ])
  func `an answer is whole, and never before its time`(_ clause: String, _ ms: Int) throws {
    let start = ContinuousClock.now
    let (content, end) = try answer("/a: \(clause)")
    #expect(content == Self.content)
    #expect(end == .open)
    #expect(ContinuousClock.now - start >= .milliseconds(ms))
  }

  @Test func `an exchange that hangs ends when its client leaves`() throws {
    let recording = try Self.recorded()
    let replayer = try recording.replayer(Self.rules(["/a: hang at 10B"]))
    let socket = try RawSocket(port: try replayer.port())
    socket.send(Self.get)
    let (bytes, end) = socket.receive(within: .milliseconds(700))
    #expect(text(bytes).hasSuffix("\r\n\r\n0123456789"))
    #expect(end == .open)
    socket.close()
    #expect(try Answer.to(Self.post, port: replayer.port()).bytes.count > 1000)
    #expect(replayer.stop().status == 0)
  }

  @Test func `two connections share a rate`() throws {
    let recording = try Self.recorded()
    let replayer = try recording.replayer(
      Self.rules(["/a: rate 2KB/s shared"]) + ["--threads", "2"])
    let port = try replayer.port()
    let start = ContinuousClock.now
    let sockets = try (0..<4).map { _ in try RawSocket(port: port) }
    for socket in sockets { socket.send(Self.get) }
    for socket in sockets {
      let (bytes, _) = socket.receive(within: .seconds(20)) { text($0).hasSuffix(Self.content) }
      #expect(text(bytes).hasSuffix(Self.content))
    }
    // 4000 bytes at 2 KB/s, less what is made up for after a pause.
    #expect(ContinuousClock.now - start >= .milliseconds(1950))
  }

  @Test func `an early answer comes before the content was read`() throws {
    let recording = try Self.recorded()
    let replayer = try recording.replayer(Self.rules(["/p: early 413"]))
    let socket = try RawSocket(port: try replayer.port())
    socket.send("POST /p HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1000000\r\n\r\n")
    let (bytes, end) = socket.receive(within: .seconds(10))
    #expect(text(bytes).hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
    #expect(text(bytes).hasSuffix("\r\nConnection: close\r\n\r\n"))
    #expect(end == .finished)
  }

  @Test func `rules may ask for the content`() throws {
    let recording = try Self.recorded()
    let replayer = try recording.replayer(
      Self.rules(["POST /p: with json /a 1, status 409", "POST /p: reset after commit"]))
    let json = bytes("POST /p HTTP/1.1\r\nHost: a.test\r\nContent-Length: 7\r\n\r\n{\"a\":1}")
    let answer = try Answer.to(json, port: replayer.port())
    // The second rule ends what the first one made.
    #expect(answer == Answer(bytes: [], end: .reset))
    #expect(try Answer.to(Self.post, port: replayer.port()) == Answer(bytes: [], end: .reset))
  }

  @Test func `a connection lives as long as a rule lets it`() throws {
    let recording = try Self.recorded()
    let replayer = try recording.replayer(
      Self.rules(["/a: keep-alive 2", "/p: keep-alive 300ms"]))
    let socket = try RawSocket(port: try replayer.port())
    socket.send(Self.get + Self.get + Self.get)
    let (received, end) = socket.receive(within: .seconds(10))
    #expect(text(received).components(separatedBy: "HTTP/1.1 200 OK").count == 3)
    #expect(end == .finished)
    let idle = try RawSocket(port: try replayer.port())
    idle.send(Self.post)
    #expect(idle.receive(within: .seconds(10)).end == .finished)
  }

  @Test func `the same seed gives the same faults, whoever asks first`() throws {
    let recording = try Self.recorded()
    func statuses(_ order: [[UInt8]], seed: String) throws -> [[UInt8]: [String]] {
      let replayer = try recording.replayer(["--seed", seed, "--rule", "*: chance 50%, status 503"])
      var statuses: [[UInt8]: [String]] = [:]
      for request in order {
        let answer = try Answer.to(request + [], port: replayer.port(), within: nil)
        statuses[request, default: []].append(String(text(answer.bytes).prefix(12)))
      }
      return statuses
    }
    let mixed = (0..<6).flatMap { _ in [Self.get, Self.post] }
    let sorted = Array(repeating: Self.post, count: 6) + Array(repeating: Self.get, count: 6)
    #expect(try statuses(mixed, seed: "5") == statuses(sorted, seed: "5"))
  }

  @Test func `a scenario is read from a file, with its sections and bodies`() throws {
    let recording = try Self.recorded()
    try Data("from a file".utf8).write(to: recording.folder.url.appendingPathComponent("body.txt"))
    try Data(
      """
      seed 3
      /a: set X-All 1
      [file]
      /a: body file body.txt
      """.utf8
    ).write(to: recording.folder.url.appendingPathComponent("lab.rules"))
    let replayer = try recording.replayer(["--scenario", "lab.rules#file"])
    let answer = text(try Answer.to(Self.get, port: replayer.port()).bytes)
    #expect(answer == "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nX-All: 1\r\n\r\nfrom a file")
    #expect(replayer.stop().errors.contains("2 rules in force, seed 3;"))
  }

  @Test(arguments: [
    (["--rule", "/a: dely 1s"], "column 5: found \"dely\""),
    (["--scenario", "none.rules"], "there is no file none.rules"),
    (["--rule", "/a: body file none.txt"], "there is no file none.txt"),
    (["--seed", "-1"], "--seed cannot be -1"),
  ])
  func `what can't be followed is refused before anything is served`(
    _ options: [String], _ reason: String
  ) throws {
    let recording = try Self.recorded()
    let ended = try Program.run(["replay"] + options + [recording.cassette], in: recording.folder)
    #expect(ended.status == 2)
    #expect(ended.errors.contains(reason), "\(ended.errors)")
  }

  @Test func `receipts and explain name what has no effect`() throws {
    let recording = try Self.recorded()
    let rules = ["/a: hang after end", "/a: close before end", "*: after 1h, for 1s, refuse"]
    let replayer = try recording.replayer(Self.rules(rules) + ["--receipts"])
    let answer = text(try Answer.to(Self.get, port: replayer.port()).bytes)
    #expect(answer.contains("\r\nFixtured-Overruled: hang after end (rule 1)\r\n"))
    try Data(rules.joined(separator: "\n").utf8)
      .write(to: recording.folder.url.appendingPathComponent("lab.rules"))
    let ended = try Program.run(
      ["explain", "lab.rules", "/a", "--seed", "7"], in: recording.folder)
    #expect(
      ended.output == """
        GET /a, seed 7

        rule 1  /a: hang after end
        rule 2  /a: close before end
        rule 3  *: after 1h, for 1s, refuse

        for all connections, since the start of a replay:

        from 1h to 3601s: refuse (rule 3)

        at the start of a replay, without fields and content:

        requests 1 to 10: hang after end overruled (rule 1), close before end (rule 2)

        """)
  }

  @Test func `explain tells what a request meets`() throws {
    let folder = try Folder()
    try Data("seed 1\n[a]\nGET /x: first 2, status 503\n/y: delay 1s".utf8)
      .write(to: folder.url.appendingPathComponent("lab.rules"))
    let ended = try Program.run(["explain", "lab.rules#a", "GET /x"], in: folder)
    #expect(ended.status == 0)
    #expect(
      ended.output == """
        GET /x, seed 1

        rule 1  GET /x: first 2, status 503

        at the start of a replay, without fields and content:

        requests 1 to 2: status 503 (rule 1)
        from request 3: as recorded

        """)
  }
}
