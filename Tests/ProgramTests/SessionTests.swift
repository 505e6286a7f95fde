import Foundation
import Testing

/// Sessions that are reached by a field, by ports of a range, and what is asked of them.
@Suite struct SessionTests {
  private func get(_ target: String, _ fields: String...) -> String {
    "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n"
  }

  @Test func `a field names the session, request by request on one connection`() throws {
    let replay = try Controlled(["--threads", "2"])
    let first = try replay.session(#"{"scenario":"GET /feed: first 1, status 503"}"#)
    let second = try replay.session(#"{"scenario":"GET /feed: status 418"}"#)
    let socket = try RawSocket(port: replay.port)
    let expected = [
      ("Fixtured-Session: \(first.id)", 503), ("Fixtured-Session: \(second.id)", 418),
      ("A: b", 200), ("fixtured-session:   \(first.id)", 200),
      ("Fixtured-Session: default", 200), ("Fixtured-Session: \(second.id)", 418),
      ("Fixtured-Session: \(second.id)", 418),
    ]
    for (field, status) in expected {
      #expect(socket.ask(get("/feed", field)).status == status, "\(field)")
    }
    for (id, count) in [(first.id, 2), (second.id, 3), ("default", 2)] {
      #expect(try replay.ask("GET /v1/sessions/\(id)").json["exchanges"] as? Int == count)
    }
    // And on the port of another session.
    let other = try RawSocket(port: first.port)
    #expect(other.ask(get("/feed", "Fixtured-Session: \(second.id)")).status == 418)
    #expect(other.ask(get("/feed")).status == 200)
    #expect(try replay.ask("GET /v1/sessions/\(first.id)").json["exchanges"] as? Int == 3)
  }

  @Test func `pipelined requests go to their sessions in order`() throws {
    let replay = try Controlled()
    let session = try replay.session(#"{"scenario":"GET /feed: delay 50ms, status 418"}"#)
    let socket = try RawSocket(port: replay.port)
    socket.send(
      get("/feed", "Fixtured-Session: \(session.id)") + get("/feed")
        + get("/feed", "Fixtured-Session: \(session.id)", "Connection: close"))
    let answers = text(socket.receive(within: .seconds(30)).bytes)
    #expect(
      answers.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
        == ["418", "200", "418"])
  }

  @Test func `content goes with its request, however it comes`() throws {
    let replay = try Controlled()
    let session = try replay.session(#"{"scenario":"POST /feed: status 201"}"#)
    for pieces in [
      ["3\r\nabc\r\n", "2\r\nde\r\n", "0\r\n\r\n"], ["3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"],
    ] {
      let socket = try RawSocket(port: replay.port)
      socket.send(
        "POST /feed HTTP/1.1\r\nHost: a\r\nFixtured-Session: \(session.id)\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n")
      for piece in pieces {
        Thread.sleep(forTimeInterval: 0.02)
        socket.send(piece)
      }
      #expect(Answer(bytes: socket.receiveAnswer().bytes, end: .open).status == 201)
    }
    let (_, exchange) = try replay.ask("GET /v1/sessions/\(session.id)/exchanges/2")
    let request = try #require(exchange["request"] as? [String: Any])
    #expect(request["content"] as? String == "abcde")
    #expect(request["content_size"] as? Int == 5)
  }

  @Test func `a name that no session has is refused, and in no journal`() throws {
    let replay = try Controlled()
    let session = try replay.session("{}")
    _ = try replay.ask("DELETE /v1/sessions/\(session.id)")
    for name in ["s99", session.id, "", "DEFAULT"] {
      let answer = try RawSocket(port: replay.port).ask(
        get("/feed", "Fixtured-Session: \(name)", "Connection: close"))
      #expect(answer.status == 404, "\(name)")
      #expect(text(answer.content).contains("POST /v1/sessions"))
    }
    #expect(try replay.ask("GET /v1/sessions/default").json["exchanges"] as? Int == 0)
  }

  /// A connection that is on its way to a session when that ends is closed: once, its client waited
  /// for ever.
  @Test func `who comes while a session ends is answered or sent away`() throws {
    let replay = try Controlled()
    let load = (0..<40).map { _ in DispatchSemaphore(value: 0) }
    for done in load {
      let session = try replay.session("{}")
      let sockets = try (0..<4).map { _ in try RawSocket(port: replay.port) }
      let request = get("/feed", "Fixtured-Session: \(session.id)", "Connection: close")
      DispatchQueue.global().async {
        for socket in sockets { socket.send(request) }
        done.signal()
      }
      #expect(try replay.ask("DELETE /v1/sessions/\(session.id)").status == 200)
      done.wait()
      for socket in sockets { #expect(socket.receive(within: .seconds(30)).end != .open) }
    }
  }

  @Test func `without the control API the field is like any other`() throws {
    let replay = try Controlled()
    let plain = try replay.recording.replayer()
    let answer = try RawSocket(port: plain.port()).ask(get("/feed", "Fixtured-Session: s1"))
    #expect(answer.status == 200)
  }

  @Test func `each upstream has its route in every session, and links lead back`() throws {
    let recording = try Recording()
    let api = try ScriptedUpstream.answering(
      "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n")
    let cdn = try ScriptedUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ncdn")
    let recorder = try Program(
      [
        "record", "--upstream", "api=\(api.url)", "--upstream", "cdn=\(cdn.url)", "--listen",
        "127.0.0.1:0", "--no-redact", recording.cassette,
      ], in: recording.folder)
    let ports = try recorder.ports(2)
    for port in ports { _ = try Answer.to(Controlled.get("/a"), port: port) }
    #expect(recorder.stop().status == 0)
    let program = try recording.replayer(["--control", "127.0.0.1:0"])
    let served = try program.ports(2)
    let control = try program.controlPort()
    let made = try Answer.to(
      bytes(
        "POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(control)\r\nContent-Length: 0\r\n"
          + "Connection: close\r\n\r\n"), port: control)
    let json = try JSONSerialization.jsonObject(with: Data(made.content)) as? [String: Any]
    #expect(
      (json?["urls"] as? [[String: Any]])?.map { $0["upstream"] as? String } == ["api", "cdn"])
    let field = "Fixtured-Session: \(json?["id"] as? String ?? "")"
    #expect(try RawSocket(port: served[0]).ask(get("/a", field)).status == 302)
    #expect(text(try RawSocket(port: served[1]).ask(get("/a", field)).content) == "cdn")
  }

  @Test func `another state of a resource has another tag, once it is said`() throws {
    let recording = try Recording()
    let upstream = try ScriptedUpstream.answering(
      "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 2\r\n\r\nok")
    let recorder = try recording.recorder(upstream)
    for target in ["/feed", "/user"] {
      _ = try Answer.to(Controlled.get(target), port: recorder.port())
    }
    #expect(recorder.stop().status == 0)
    let replay = try Controlled(recording: recording)
    func status(_ target: String, _ tag: String) throws -> Int {
      try RawSocket(port: replay.port).ask(get(target, "If-None-Match: \(tag)")).status
    }
    #expect(try status("/feed", #""a""#) == 304)
    let etags = "POST /v1/sessions/default/etags"
    #expect(try replay.ask(etags, #"{"target":"/feed"}"#).status == 200)
    #expect(try status("/feed", #""a""#) == 200)
    #expect(try status("/feed", #""a-g1""#) == 304)
    #expect(try status("/user", #""a""#) == 304)
    #expect(try replay.ask(etags, "{}").status == 200)
    #expect(try status("/feed", #""a-g1""#) == 200)
    #expect(try status("/feed", #""a-g2""#) == 304)
    #expect(try status("/user", #""a-g1""#) == 304)
    #expect(try replay.ask("POST /v1/sessions/default/reset").status == 200)
    #expect(try status("/user", #""a""#) == 304)
    // Rules about tags go on from there.
    let rules = #"{"scenario":"GET /feed: etag every 1"}"#
    #expect(try replay.ask("PUT /v1/sessions/default/scenario", rules).status == 200)
    #expect(try status("/feed", #""a""#) == 304)
    #expect(try replay.ask(etags, #"{"target":"/feed"}"#).status == 200)
    #expect(try status("/feed", #""a-g2""#) == 304)
    #expect(try replay.ask(etags, #"{"target":"feed"}"#).status == 400)
  }

  @Test func `sessions take ports of a range, and say when it is used up`() throws {
    let first = try RawSocket.unusedPort()
    // Others of the machine may have some of them.
    let last = first.addingReportingOverflow(9)
    guard !last.overflow else { return }
    let replay = try Controlled(["--session-ports", "\(first)-\(last.partialValue)"])
    var made: [String: UInt16] = [:]
    var refusal: (status: Int, json: [String: Any])?
    while refusal == nil, made.count < 11 {
      let answer = try replay.ask("POST /v1/sessions", "{}")
      guard answer.status == 201, let id = answer.json["id"] as? String,
        let url = (answer.json["urls"] as? [[String: Any]])?.first?["url"] as? String,
        let port = URL(string: url)?.port.map(UInt16.init)
      else {
        refusal = answer
        continue
      }
      made[id] = port
    }
    #expect(made.values.allSatisfy { (first...last.partialValue).contains($0) })
    #expect(Set(made.values).count == made.count)
    #expect(refusal?.status == 503)
    #expect(
      (refusal?.json["detail"] as? String)?.contains("--session-ports") == true)
    let (id, port) = try #require(made.first)
    _ = try replay.ask("DELETE /v1/sessions/\(id)")
    #expect(try replay.session("{}").port == port)
  }

  @Test func `ports of sessions make no sense without sessions`() throws {
    let folder = try Folder()
    for (words, text) in [
      (["--session-ports", "8400-8410"], "--control"),
      (["--session-ports", "9-8", "--control", "127.0.0.1:0"], "8400-8499"),
      (["--session-ports", "0", "--control", "127.0.0.1:0"], "8400-8499"),
    ] {
      let ended = try Program.run(["replay", "x.db"] + words, in: folder)
      #expect(ended.status == 2)
      #expect(ended.errors.contains(text))
    }
  }
}
