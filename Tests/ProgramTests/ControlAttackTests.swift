import Foundation
import Testing

/// What a hostile or broken client does to the control API.
@Suite struct ControlAttackTests {
  @Test func `too much content is refused before it is sent`() throws {
    let replay = try Controlled()
    for expect in ["Expect: 100-continue\r\n", ""] {
      let answer = try Answer.to(
        bytes(
          "POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(replay.control)\r\n\(expect)"
            + "Content-Type: application/json\r\nContent-Length: 1048577\r\n\r\n"),
        port: replay.control)
      #expect(answer.status == 413)
    }
    let pieces = String(
      repeating: "8000\r\n\(String(repeating: " ", count: 0x8000))\r\n", count: 33)
    let chunked = try Answer.to(
      bytes(
        "POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(replay.control)\r\n"
          + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n\(pieces)"),
      port: replay.control)
    #expect(chunked.status == 413)
    #expect(try replay.ask("GET /v1/health").status == 200)
  }

  @Test func `HEAD is answered as GET, without the content`() throws {
    let replay = try Controlled()
    let answer = try Answer.to(
      bytes(
        "HEAD /v1/health HTTP/1.1\r\nHost: 127.0.0.1:\(replay.control)\r\n"
          + "Connection: close\r\n\r\n"), port: replay.control)
    #expect(answer.status == 200)
    #expect(answer.content.isEmpty)
    #expect(text(answer.bytes).contains("Content-Length: 16\r\n"))
  }

  @Test func `pipelined requests are answered in their order`() throws {
    let replay = try Controlled()
    let host = "Host: 127.0.0.1:\(replay.control)\r\n"
    let answers = try Answer.to(
      bytes(
        "GET /v1/health HTTP/1.1\r\n\(host)\r\n"
          + "POST /v1/sessions HTTP/1.1\r\n\(host)Content-Length: 0\r\n\r\n"
          + "GET /v1/nothing HTTP/1.1\r\n\(host)Connection: close\r\n\r\n"),
      port: replay.control)
    let statuses = text(answers.bytes).components(separatedBy: "HTTP/1.1 ").dropFirst()
      .map { $0.prefix(3) }
    #expect(statuses == ["200", "201", "404"])
  }

  @Test func `who stops in the middle of a request changes nothing`() throws {
    let replay = try Controlled()
    let whole = bytes(
      "POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(replay.control)\r\n"
        + "Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{}")
    let waiting = try RawSocket(port: replay.control)
    waiting.send(whole)
    for count in [1, 40, whole.count] {
      let socket = try RawSocket(port: replay.control)
      socket.send(Array(whole.prefix(count)))
      socket.reset()
    }
    // The one that waits on keeps nobody else waiting.
    let (_, json) = try replay.ask("GET /v1/sessions")
    #expect((json["sessions"] as? [Any])?.count == 1)
  }

  @Test func `a session with open exchanges can be deleted`() throws {
    let replay = try Controlled()
    let session = try replay.session(#"{"scenario":"GET /feed: hold door"}"#)
    let held = try RawSocket(port: session.port)
    #expect(held.send(Controlled.get("/feed")))
    try replay.waitForExchanges(1, in: session.id)
    let (status, verdict) = try replay.ask("DELETE /v1/sessions/\(session.id)?connections-max=1")
    #expect(status == 200)
    #expect(verdict["judged"] as? Int == 1)
    #expect(held.receive().bytes.isEmpty)
    #expect(try replay.ask("DELETE /v1/sessions/\(session.id)").status == 404)
    #expect(
      try replay.ask("POST /v1/sessions/\(session.id)/gates/door/release").status == 404)
  }

  @Test func `answers name what made them after a change of rules, too`() throws {
    let replay = try Controlled()
    let session = try replay.session(#"{"scenario":"GET /feed: status 418","receipts":true}"#)
    for content in [#"{"scenario":"GET /feed: status 500","seed":5}"#, "{}"] {
      #expect(
        try replay.ask("PUT /v1/sessions/\(session.id)/scenario", content).status == 200)
      let answer = try Answer.to(Controlled.get("/feed"), port: session.port)
      #expect(text(answer.bytes).contains("Fixtured-Seed: "))
    }
  }

  /// A request counts before a reset or after it: what its rules remember and what the journal says
  /// agree, however many loops there are.
  @Test func `a reset under load has one instant`() throws {
    let replay = try Controlled(
      ["--threads", "2", "--rule", "GET /feed: first 1, status 503"])
    let load = Load(target: "/feed", port: replay.port, connections: 4)
    defer { load.end() }
    for _ in 0..<30 {
      #expect(try replay.ask("POST /v1/sessions/default/reset").status == 200)
      let before = try #require(replay.ask("GET /v1/sessions/default").json["dropped"] as? Int)
      try replay.waitForExchanges(before + 20, in: "default")
      let (_, json) = try replay.ask("GET /v1/sessions/default/exchanges?after=0&limit=20")
      let rules = (json["exchanges"] as? [[String: Any]])?.filter { $0["rules"] as? [Int] == [1] }
      #expect(rules?.count == 1)
    }
  }

  @Test func `rules that change under load leave no request without an answer`() throws {
    let replay = try Controlled(["--threads", "2"])
    let load = Load(target: "/feed", port: replay.port, connections: 4)
    for number in 0..<40 {
      let rules = number % 2 == 0 ? #"{"scenario":"GET /feed: status 418"}"# : "{}"
      #expect(try replay.ask("PUT /v1/sessions/default/scenario", rules).status == 200)
      #expect(try replay.status("/feed") == (number % 2 == 0 ? 418 : 200))
    }
    load.end()
    #expect(load.statuses.subtracting([200, 418]).isEmpty)
    #expect(load.failures == 0)
  }

  @Test func `a lease ends what nobody uses, and requests renew it`() throws {
    let replay = try Controlled()
    // Asked for longer than its lease, with room for a machine that is slow to ask.
    let used = try replay.session(#"{"lease_s":8}"#)
    let unused = try replay.session(#"{"lease_s":1}"#)
    let start = ContinuousClock.now
    let deadline = start + .seconds(60)
    var ids: [String] = []
    repeat {
      #expect(try replay.status("/feed", port: used.port) == 200)
      let (_, json) = try replay.ask("GET /v1/sessions")
      ids = (json["sessions"] as? [[String: Any]])?.compactMap { $0["id"] as? String } ?? []
      Thread.sleep(forTimeInterval: 0.2)
    } while ContinuousClock.now < start + .seconds(10)
      || ids.contains(unused.id) && ContinuousClock.now < deadline
    #expect(ids == ["default", used.id])
    #expect(RawSocket.attempt(port: unused.port, within: .seconds(5)).errno == ECONNREFUSED)
    let errors = replay.program.stop().errors
    #expect(errors.contains("session \(unused.id) was abandoned, nobody used it for 1 s"))
  }
}
