import Foundation
import Testing

/// The control API of a replay: sessions beside each other, and what became of them.
@Suite struct ControlTests {
  @Test func `sessions don't touch each other, nor the port of the command`() throws {
    let replay = try Controlled()
    let first = try replay.session(#"{"scenario":"GET /feed: first 1, status 503","seed":7}"#)
    let second = try replay.session(#"{"scenario":"GET /feed: status 418"}"#)
    #expect(try replay.status("/feed", port: first.port) == 503)
    #expect(try replay.status("/feed", port: second.port) == 418)
    #expect(try replay.status("/feed") == 200)
    #expect(try replay.status("/feed", port: first.port) == 200)
    let (_, json) = try replay.ask("GET /v1/sessions/\(first.id)")
    #expect(json["exchanges"] as? Int == 2)
    #expect(json["seed"] as? String == "7")
    #expect(replay.program.stop().status == 0)
  }

  @Test func `what a session was asked is in its journal, with what made the answer`() throws {
    let replay = try Controlled()
    let session = try replay.session(#"{"scenario":"GET /user: delay 50ms"}"#)
    for target in ["/feed", "/user", "/none"] { _ = try replay.status(target, port: session.port) }
    let (_, json) = try replay.ask("GET /v1/sessions/\(session.id)/exchanges?after=1&limit=1")
    let page = try #require(json["exchanges"] as? [[String: Any]])
    #expect(page.map { $0["number"] as? Int } == [2])
    #expect(json["next"] as? Int == 2)
    let exchange = try #require(page.first)
    #expect(exchange["rules"] as? [Int] == [1])
    #expect((exchange["source"] as? [String: Any])?["interaction"] as? Int == 2)
    #expect(exchange["outcome"] as? String == "completed")
    #expect(exchange["body_bytes"] as? Int == 2)
    let head = try #require(exchange["head"] as? [String: Double])
    let received = try #require(exchange["received_ms"] as? Double)
    #expect(abs((try #require(head["due_ms"])) - received - 50) < 0.01)
    #expect(try #require(head["done_ms"]) >= #require(head["due_ms"]))
    let (_, whole) = try replay.ask("GET /v1/sessions/\(session.id)/exchanges/3")
    #expect((whole["source"] as? [String: Any])?["kind"] as? String == "miss")
    let fields = (whole["request"] as? [String: Any])?["fields"] as? [[String]]
    #expect(fields == [["Host", "a"], ["Connection", "close"]])
    #expect(try replay.ask("GET /v1/sessions/\(session.id)/exchanges/4").status == 404)
  }

  @Test func `flags, rules and the clock count from the next request`() throws {
    let replay = try Controlled(["--rule", "GET /feed: while down, status 500"])
    #expect(try replay.status("/feed") == 200)
    #expect(try replay.ask("POST /v1/sessions/default/flags", #"{"raise":["down"]}"#).status == 200)
    #expect(try replay.status("/feed") == 500)
    #expect(try replay.ask("POST /v1/sessions/default/flags", #"{"clear":["down"]}"#).status == 200)
    #expect(try replay.status("/feed") == 200)
    let rules = #"{"scenario":"GET /feed: status 418"}"#
    #expect(try replay.ask("PUT /v1/sessions/default/scenario", rules).status == 200)
    #expect(try replay.status("/feed") == 418)
    let clock = #"{"freeze":"2031-01-31T12:00:00Z"}"#
    #expect(try replay.ask("PUT /v1/sessions/default/clock", clock).status == 200)
    #expect(try replay.ask("PUT /v1/sessions/default/clock", #"{"advance_s":60}"#).status == 200)
    let answer = try Answer.to(Controlled.get("/feed"), port: replay.port)
    #expect(
      String(decoding: answer.bytes, as: UTF8.self)
        .contains("Date: Fri, 31 Jan 2031 12:01:00 GMT\r\n"))
    #expect(try replay.ask("PUT /v1/sessions/default/scenario", "{}").status == 200)
    #expect(try replay.status("/feed") == 200)
  }

  @Test func `a reset begins anew`() throws {
    let replay = try Controlled(["--rule", "GET /feed: first 1, status 503"])
    #expect(try replay.status("/feed") == 503)
    #expect(try replay.status("/feed") == 200)
    let (status, json) = try replay.ask("POST /v1/sessions/default/reset")
    #expect(status == 200)
    #expect(json["open"] as? Int == 0)
    #expect(try replay.status("/feed") == 503)
    let (_, journal) = try replay.ask("GET /v1/sessions/default/exchanges")
    #expect((journal["exchanges"] as? [[String: Any]])?.count == 1)
    #expect(journal["dropped"] as? Int == 2)
  }

  /// Also what is answered at once, because it was asked for before.
  @Test func `what is asked for after a reset is used, and nothing else`() throws {
    let replay = try Controlled()
    let line = "GET /v1/sessions/default/verdict"
    let client = try Client(port: replay.port)
    for _ in 0..<2 {
      for target in ["/feed", "/user", "/feed", "/user", "/feed", "/user"] {
        #expect(client.get(target)?.text == "ok")
      }
      let failed = try replay.ask(line).json["failed"] as? [String]
      #expect(failed?.contains("unused") == false)
      _ = try replay.ask("POST /v1/sessions/default/reset")
      #expect(try replay.ask(line).json["failed"] as? [String] == ["unused"])
    }
  }

  @Test func `plays are held until their gate is released`() throws {
    let replay = try Controlled(["--rule", "GET /feed: hold door"])
    let held = try RawSocket(port: replay.port)
    #expect(held.send(Controlled.get("/feed")))
    let deadline = ContinuousClock.now + .seconds(30)
    var waiting = 0
    while waiting == 0, ContinuousClock.now < deadline {
      let gates = try replay.ask("GET /v1/sessions/default").json["gates"] as? [[String: Any]]
      waiting = gates?.first?["waiting"] as? Int ?? 0
    }
    #expect(waiting == 1)
    let (_, json) = try replay.ask("POST /v1/sessions/default/gates/door/release")
    #expect(json["released"] as? Int == 1)
    #expect(String(decoding: held.receiveAnswer().bytes, as: UTF8.self).hasSuffix("ok"))
  }

  @Test func `the end of a session is its verdict, and nobody is answered there any more`() throws {
    let replay = try Controlled()
    let mark = UUID().uuidString
    let rules = #"GET /feed: first 1, status 503, retry-after 900s\n*: set X-Mark \"\#(mark)\""#
    let session = try replay.session(#"{"scenario":"\#(rules)"}"#)
    for _ in 0..<2 {
      let answer = try Answer.to(Controlled.get("/feed"), port: session.port)
      #expect(text(answer.bytes).contains(mark))
    }
    let (_, verdict) = try replay.ask("DELETE /v1/sessions/\(session.id)")
    #expect((verdict["failed"] as? [String])?.contains("retry-after") == true)
    #expect(try replay.ask("GET /v1/sessions/\(session.id)").status == 404)
    #expect(try replay.isRefused(session.port, mark: mark))
  }

  @Test(arguments: [
    ("POST /v1/sessions", #"{"scenrio":"x"}"#, 400, "did you mean scenario?"),
    ("POST /v1/sessions", #"{"scenario":"GET /: statsu 1"}"#, 400, "line 1, column 8"),
    ("POST /v1/sessions", "[1", 400, "no JSON"),
    ("POST /v1/sessions", #"{"cassette":"../x"}"#, 400, "without /"),
    ("POST /v1/sessions", #"{"cassette":"none"}"#, 400, "none.db"),
    ("POST /v1/sessions", #"{"lease_s":0}"#, 400, "from 1 to 86400"),
    ("POST /v1/sessions", #"{"scenario":"GET /: body file ../../etc/passwd"}"#, 400, "beside"),
    ("PATCH /v1/sessions", "{}", 405, "GET, POST"),
    ("GET /v1/nothing", "", 404, "GET /v1/sessions"),
    ("GET /v1/sessions/s9", "", 404, "no session"),
    ("DELETE /v1/sessions/default", "", 409, "reset it"),
    ("POST /v1/sessions/default/flags", #"{"raise":["x"]}"#, 409, "no rules"),
    ("PUT /v1/sessions/default/clock", #"{"freeze":"soon"}"#, 400, "2031-01-31T12:00:00Z"),
    ("PUT /v1/sessions/default/scenario", #"{"scenario":"*: after 1s, refuse"}"#, 409, "settled"),
  ])
  func `what can't be done is refused by name, and changes nothing`(
    line: String, content: String, status: Int, detail: String
  ) throws {
    let replay = try Controlled()
    let answer = try replay.ask(line, content.isEmpty ? nil : content)
    #expect(answer.status == status)
    #expect((answer.json["detail"] as? String)?.contains(detail) == true)
    let (_, json) = try replay.ask("GET /v1/sessions")
    #expect((json["sessions"] as? [[String: Any]])?.count == 1)
    #expect(try replay.status("/feed") == 200)
  }

  @Test func `pages from elsewhere reach nothing`() throws {
    let replay = try Controlled()
    // A name that was made to lead here.
    #expect(try replay.ask("GET /v1/sessions", host: "evil.test").status == 403)
    #expect(
      try replay.ask("GET /v1/sessions", fields: "Origin: http://evil.test\r\n").status == 403)
    #expect(
      try replay.ask(
        "GET /v1/sessions", fields: "Origin: http://127.0.0.1:\(replay.control)\r\n"
      ).status == 200)
    // What a form of a page may send.
    let form = try Answer.to(
      bytes(
        "POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(replay.control)\r\nConnection: close\r\n"
          + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}"), port: replay.control)
    #expect(form.status == 415)
    #expect((try replay.ask("GET /v1/sessions").json["sessions"] as? [Any])?.count == 1)
  }

  @Test func `beyond loopback it needs a token`() throws {
    let recording = try Recording()
    let upstream = try ScriptedUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let recorder = try recording.recorder(upstream)
    _ = try Answer.to(Controlled.get("/"), port: recorder.port())
    #expect(recorder.stop().status == 0)
    upstream.stop()
    let ended = try Program.run(
      ["replay", recording.cassette, "--listen", "127.0.0.1:0", "--control", "0.0.0.0:0"],
      in: recording.folder)
    #expect(ended.status == 1)
    #expect(ended.errors.contains("FIXTURED_CONTROL_TOKEN"))
  }

  @Test(arguments: [
    ["replay", "x.db", "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0"], ["ctl", "sessions"],
  ])
  func `a token that no field can carry is refused`(arguments: [String]) throws {
    let recording = try Recording()
    let upstream = try ScriptedUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let recorder = try recording.recorder(upstream)
    _ = try Answer.to(Controlled.get("/"), port: recorder.port())
    #expect(recorder.stop().status == 0)
    let ended = try Program(
      arguments, in: recording.folder,
      through: ["/usr/bin/env", "FIXTURED_CONTROL_TOKEN=a\r\nX-Other: b"]
    ).waitForEnd()
    #expect(ended.status == 1)
    #expect(ended.output == "")
    #expect(
      ended.errors
        == "fixtured: FIXTURED_CONTROL_TOKEN can't be sent in a field: set one of visible"
        + " ASCII characters without spaces\n")
  }

  @Test func `its port is not that of the answers`() throws {
    let ended = try Program.run(
      ["replay", "x.db", "--listen", "127.0.0.1:9", "--control", "127.0.0.1:9"], in: Folder())
    #expect(ended.status == 2)
    #expect(ended.errors.contains("port 9 is that of --listen, give each its own"))
  }
}
