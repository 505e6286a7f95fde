import Foundation
import Testing

/// A recorder that is stopped or killed, and the file it leaves.
@Suite struct StopTests {
  /// Records this many requests one after another, and leaves the recorder running.
  private static func recorder(
    _ recording: Recording, count: Int
  ) throws -> (Program, ScriptedUpstream) {
    let upstream = try ScriptedUpstream.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let recorder = try recording.recorder(upstream)
    let client = try Client(port: recorder.port())
    for number in 0..<count { #expect(client.get("/\(number)")?.text == "ok") }
    return (recorder, upstream)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal ends it at once with everything in one file`(signal: Int32) throws {
    let recording = try Recording()
    let ended = try Self.recorder(recording, count: 20).0.stop(signal)
    #expect(ended.status == 0)
    #expect(ended.duration < .seconds(2))
    #expect(try recording.folder.names() == ["x.db"])
    #expect(try recording.outcomes() == Array(repeating: "complete", count: 20))
  }

  /// A shell without job control ignores SIGINT for what it starts with `&`.
  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal ends it even when its shell had ignored it`(signal: Int32) throws {
    let recording = try Recording()
    let ignoring = ["/bin/sh", "-c", "trap '' INT TERM && exec \"$0\" \"$@\""]
    let upstream = "http://127.0.0.1:1"
    let recorder = try Program(
      ["record", "--upstream", upstream, "--listen", "127.0.0.1:0", "x.db"],
      in: recording.folder, through: ignoring)
    _ = try recorder.port()
    let ended = recorder.stop(signal)
    #expect(ended.status == 0)
    #expect(ended.errors == "recorded 0 interactions; no cassette was made\n")
  }

  @Test func `it outlives its terminal under nohup`() throws {
    let recording = try Recording()
    let ignoring = ["/bin/sh", "-c", "trap '' HUP && exec \"$0\" \"$@\""]
    let upstream = try ScriptedUpstream.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let recorder = try Program(
      ["record", "--upstream", upstream.url, "--listen", "127.0.0.1:0", "x.db"],
      in: recording.folder, through: ignoring)
    let client = try Client(port: recorder.port())
    kill(recorder.process.processIdentifier, SIGHUP)
    #expect(client.get("/")?.text == "ok")
    #expect(recorder.stop().status == 0)
  }

  @Test func `after a kill the file is refused until it is repaired, and holds everything`() throws
  {
    let recording = try Recording()
    let (recorder, upstream) = try Self.recorder(recording, count: 20)
    #expect(recorder.stop(SIGKILL).status == 128 + SIGKILL)
    let listen = ["--listen", "127.0.0.1:0"]
    let record = ["record", "--upstream", upstream.url] + listen
    let left = try recording.folder.states()
    for arguments in [
      ["replay"] + listen, ["inspect"], ["dump"], ["verify"], record + ["--mode", "once"],
      record + ["--mode", "new-episodes"], record + ["--mode", "all"],
    ] {
      let refused = try Program.run(arguments + ["x.db"], in: recording.folder)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("x.db-wal lies beside it"), "\(arguments)")
      #expect(refused.errors.split(separator: "\n").count == 1)
    }
    #expect(try recording.folder.states() == left)
    let repaired = try Program.run(["verify", "--repair", "x.db"], in: recording.folder)
    #expect(repaired.status == 0)
    #expect(try recording.folder.names() == ["x.db"])
    #expect(try recording.outcomes() == Array(repeating: "complete", count: 20))
    let replayer = try recording.replayer()
    #expect(try Client(port: replayer.port()).get("/19")?.text == "ok")
  }

  @Test(arguments: [
    ("Content-Length: 1000", "0123456789", RawSocket.End.finished),
    ("Transfer-Encoding: chunked", "a\r\n0123456789\r\n", .finished),
    // Only a reset says that a body which ends with its connection did not end.
    ("Connection: close", "0123456789", .reset),
  ])
  func `a download in flight is kept as a part, and never looks whole`(
    field: String, part: String, end: RawSocket.End
  ) throws {
    let upstream = try ScriptedUpstream { connection in
      _ = connection.request()
      connection.send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n\(part)")
      _ = connection.socket.receive(within: .seconds(10))
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try RawSocket(port: recorder.port())
    client.send(BytesTests.getRequest)
    let whole = bytes("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n\(part)")
    #expect(client.receive { $0.count >= whole.count }.bytes == whole)
    let ended = recorder.stop()
    #expect(ended.status == 0)
    #expect(ended.duration < .seconds(2))
    let rest = client.receive()
    #expect(rest.bytes == [])
    #expect(rest.end == end)
    #expect(try recording.folder.names() == ["x.db"])
    #expect(try recording.outcomes() == ["cancelled"])
    let replayer = try recording.replayer()
    #expect(try Answer.to(BytesTests.getRequest, port: replayer.port()).end == end)
  }

  @Test func `a replay that is stopped inside a body does not end it as if it were whole`() throws {
    let upstream = try ScriptedUpstream { connection in
      _ = connection.request()
      connection.send("HTTP/1.1 200 OK\r\n\r\nfirst")
      connection.pause(milliseconds: 300)
      connection.send("second")
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let whole = try Answer.to(BytesTests.getRequest, port: recorder.port(), within: .seconds(5))
    #expect(whole.end == .finished)
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer(["--pace", "recorded"])
    let client = try RawSocket(port: replayer.port())
    client.send(BytesTests.getRequest)
    #expect(text(client.receive { text($0).hasSuffix("first") }.bytes).hasSuffix("first"))
    #expect(replayer.stop().status == 0)
    #expect(client.receive().end == .reset)
  }

  @Test func `what is no whole cassette is refused in one line and left as it is`() throws {
    let recording = try Recording()
    #expect(try Self.recorder(recording, count: 3).0.stop().status == 0)
    let whole = try recording.folder.bytes("x.db")
    let contents: [(name: String, bytes: [UInt8])] = [
      ("empty.db", []), ("head.db", Array(whole[..<100])), ("half.db", Array(whole[..<20_000])),
      ("cut.db", whole.dropLast()), ("text.db", bytes("a text file\n")),
      ("long.db", bytes(String(repeating: "a text file\n", count: 5000))),
    ]
    for (name, bytes) in contents {
      try Data(bytes).write(to: recording.folder.url.appendingPathComponent(name))
    }
    let before = try recording.folder.states()
    let record = ["record", "--upstream", "http://127.0.0.1:1", "--listen", "127.0.0.1:0"]
    for (name, _) in contents {
      for arguments in [
        ["replay", "--listen", "127.0.0.1:0"], ["inspect"], ["dump"], record + ["--mode", "once"],
        record + ["--mode", "new-episodes"],
      ] {
        let refused = try Program.run(arguments + [name], in: recording.folder)
        #expect(refused.status == 1, "\(arguments) \(name)")
        #expect(refused.output == "")
        #expect(refused.errors.hasPrefix("fixtured: \(name): "))
        #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
      }
    }
    #expect(try recording.folder.states() == before)
  }

  @Test(arguments: ["text.db", "folder"])
  func `a mode that replaces takes nothing but a cassette for one`(name: String) throws {
    let recording = try Recording()
    let url = recording.folder.url.appendingPathComponent("text.db")
    try Data("precious".utf8).write(to: url)
    try FileManager.default.createDirectory(
      at: recording.folder.url.appendingPathComponent("folder"), withIntermediateDirectories: true)
    let refused = try Program.run(
      [
        "record", "--upstream", "http://127.0.0.1:1", "--listen", "127.0.0.1:0", "--mode", "all",
        name,
      ], in: recording.folder)
    #expect(refused.status == 1)
    #expect(refused.errors.hasPrefix("fixtured: \(name): "))
    #expect(try recording.folder.names() == ["folder", "text.db"])
    #expect(try recording.folder.bytes("text.db") == bytes("precious"))
  }
}
