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

  @Test func `many that say little keep nobody waiting`() throws {
    let replay = try Controlled()
    let head = bytes("GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1:\(replay.control)\r\n")
    let slow = try (0..<300).map { _ in try RawSocket(port: replay.control) }
    for index in head.indices.prefix(40) {
      for socket in slow { socket.send([head[index]]) }
      if index % 10 == 0 { #expect(try replay.ask("GET /v1/health").status == 200) }
    }
    #expect(try replay.session("{}").id == "s1")
    for socket in slow.prefix(100) { socket.reset() }
    // Who goes on is answered.
    slow[299].send(Array(head.dropFirst(40)) + bytes("Connection: close\r\n\r\n"))
    #expect(Answer(bytes: slow[299].receive().bytes, end: .finished).status == 200)
  }

  @Test func `so many read events, and no more`() throws {
    let replay = try Controlled()
    let request = bytes(
      "GET /v1/sessions/default/events HTTP/1.1\r\nHost: 127.0.0.1:\(replay.control)\r\n\r\n")
    let readers = try (0..<64).map { _ in
      let reader = try RawSocket(port: replay.control)
      reader.send(request)
      let told = reader.receive(within: .seconds(60)) { text($0).contains("event: session") }
      #expect(text(told.bytes).contains("event: session"))
      return reader
    }
    let (status, problem) = try replay.ask("GET /v1/sessions/default/events")
    #expect(status == 503)
    #expect(problem["detail"] as? String == "64 clients read events already")
    readers[0].close()
    let deadline = ContinuousClock.now + .seconds(60)
    var isIn = false
    while !isIn, ContinuousClock.now < deadline {
      let next = try RawSocket(port: replay.control)
      next.send(request)
      let told = next.receive(within: .seconds(10)) { text($0).contains("\r\n\r\n") }
      isIn = text(told.bytes).hasPrefix("HTTP/1.1 200 ")
    }
    #expect(isIn)
    // All of them hear of it.
    #expect(try replay.status("/feed") == 200)
    for reader in readers.dropFirst() {
      let told = reader.receive(within: .seconds(60)) { text($0).contains("\"number\":1,") }
      #expect(text(told.bytes).contains("\"number\":1,"))
    }
    #expect(replay.program.stop().status == 0)
  }

  /// A list of what is refused, by the words that say why; the sessions are the same afterwards.
  @Test func `what is wrong is said, and nothing is changed`() throws {
    let replay = try Controlled()
    let before = try text(
      Answer.to(
        bytes(
          "GET /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(replay.control)\r\n"
            + "Connection: close\r\n\r\n"), port: replay.control
      ).content)
    let long = String(repeating: "a", count: 20_000)
    let deep = String(repeating: "[", count: 100_000)
    let refused: [(line: String, content: String?, fields: String, status: Int)] = [
      ("POST /v1/sessions", "{", "", 400), ("POST /v1/sessions", deep, "", 400),
      ("POST /v1/sessions", #"{"seed":1,"seed":2}"#, "", 400),
      ("POST /v1/sessions", #"{"scenario":"\#(long)"}"#, "", 400),
      ("POST /v1/sessions", "{}", "Origin: http://evil.test\r\n", 403),
      ("POST /v1/sessions", "{}", "Origin: null\r\n", 403),
      ("DELETE /v1/sessions/default", nil, "", 409), ("DELETE /v1/sessions/s9", nil, "", 404),
      ("POST /v1/sessions/\(long.prefix(1000))/reset", nil, "", 404),
      ("GET /v1/sessions/default/exchanges/7", nil, "", 404),
      ("GET /v1/sessions/default/events", nil, "Last-Event-ID: 1;2\r\n", 400),
      ("PATCH /v1/sessions/default", nil, "", 405), ("GET /v1/\(long)", nil, "", 414),
      ("GET /v1/health", nil, "X: \(long)\(long)\(long)\(long)\r\n", 431),
      ("GET /v1/health", nil, "Host: 127.0.0.1:\(replay.control)\r\n", 400),
    ]
    for (line, content, fields, status) in refused {
      let (given, problem) = try replay.ask(line, content, fields: fields)
      #expect(given == status, "\(line.prefix(60)) \(fields.prefix(40))")
      #expect(problem["status"] as? Int == status)
      #expect((problem["detail"] as? String)?.isEmpty == false)
    }
    let types = try Answer.to(
      bytes(
        "POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(replay.control)\r\n"
          + "Connection: close\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}"),
      port: replay.control)
    #expect(types.status == 415)
    #expect(try replay.ask("GET /v1/health", host: "evil.test:\(replay.control)").status == 403)
    let after = try text(
      Answer.to(
        bytes(
          "GET /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(replay.control)\r\n"
            + "Connection: close\r\n\r\n"), port: replay.control
      ).content)
    #expect(after == before)
    #expect(replay.program.stop().status == 0)
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
    let mark = UUID().uuidString
    let unused = try replay.session(
      #"{"lease_s":1,"scenario":"*: set X-Mark \"\#(mark)\""}"#)
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
    #expect(try replay.isRefused(unused.port, mark: mark))
    let errors = replay.program.stop().errors
    #expect(errors.contains("session \(unused.id) was abandoned, nobody used it for 1 s"))
  }
}
