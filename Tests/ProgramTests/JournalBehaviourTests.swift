import Foundation
import Testing

/// What a journal says of an exchange, against what its client saw.
@Suite struct JournalBehaviourTests {
  private func exchanges(_ replay: Controlled, _ id: String = "default") throws -> [[String: Any]] {
    try #require(
      replay.ask("GET /v1/sessions/\(id)/exchanges").json["exchanges"] as? [[String: Any]])
  }

  private func whole(_ replay: Controlled, _ number: Int) throws -> [String: Any] {
    try replay.ask("GET /v1/sessions/default/exchanges/\(number)").json
  }

  /// An exchange, once none is open.
  private func ended(_ replay: Controlled, _ number: Int) throws -> [String: Any] {
    let deadline = ContinuousClock.now + .seconds(30)
    while try replay.ask("GET /v1/sessions/default").json["open"] as? Int != 0,
      ContinuousClock.now < deadline
    {}
    return try whole(replay, number)
  }

  @Test func `a request arrives when it comes, whatever its answer waits for`() throws {
    let replay = try Controlled(["--rule", "GET /feed: delay 300ms"])
    let sockets = try (0..<10).map { _ in try RawSocket(port: replay.port) }
    for socket in sockets { socket.send("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n") }
    for socket in sockets {
      #expect(Answer(bytes: socket.receiveAnswer().bytes, end: .open).status == 200)
    }
    let all = try exchanges(replay)
    for exchange in all {
      let received = try #require(exchange["received_ms"] as? Double)
      let head = try #require(exchange["head"] as? [String: Double])
      #expect(abs(try #require(head["due_ms"]) - received - 300) < 0.01)
      #expect(try #require(head["done_ms"]) - received >= 300)
    }
    // All were there before the first was answered.
    let last = all.compactMap { $0["received_ms"] as? Double }.max() ?? 0
    let first = all.compactMap { ($0["head"] as? [String: Double])?["done_ms"] }.min() ?? 0
    #expect(last < first)
    #expect(all.map { $0["concurrent"] as? Int } == Array(0..<10))
  }

  @Test func `requests that were never answered are in the journal as they came`() throws {
    let replay = try Controlled(["--rule", "/user?q=*: status 200, hang"])
    for number in 1...3 {
      let socket = try RawSocket(port: replay.port)
      socket.send(
        "GET /user?q=a%20b%26c%C3%A9 HTTP/1.1\r\nHost: a\r\nX-B: 1\r\nx-a: 2\r\nX-B: 3\r\n\r\n")
      try replay.waitForExchanges(number, in: "default")
      socket.reset()
    }
    for number in 1...3 {
      let exchange = try ended(replay, number)
      #expect(exchange["outcome"] as? String == "aborted")
      #expect(exchange["response"] is NSNull)
      let request = try #require(exchange["request"] as? [String: Any])
      #expect(request["target"] as? String == "/user?q=a%20b%26c%C3%A9")
      #expect(
        request["fields"] as? [[String]]
          == [["Host", "a"], ["X-B", "1"], ["x-a", "2"], ["X-B", "3"]])
    }
  }

  @Test func `a client that leaves is noticed, and nothing more is sent`() throws {
    let replay = try Controlled(["--rule", "GET /feed: body size 4MB"])
    let socket = try RawSocket(port: replay.port, receiveBuffer: 4096)
    socket.send("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = socket.receive(within: .seconds(20)) { $0.count > 20_000 }
    socket.reset()
    let exchange = try ended(replay, 1)
    #expect(exchange["outcome"] as? String == "aborted")
    #expect(exchange["left"] as? String == "reset")
    // Little more than it took, and what the kernels hold.
    #expect(try #require(exchange["body_bytes"] as? Int) < 2_660_000)
    #expect(try replay.ask("GET /v1/sessions/default").json["aborted"] as? Int == 1)
  }

  @Test func `a client that closes its side and goes is told from one that resets`() throws {
    let replay = try Controlled(["--rule", "GET /feed: hang"])
    let socket = try RawSocket(port: replay.port)
    socket.send("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n")
    try replay.waitForExchanges(1, in: "default")
    socket.close()
    // It may only have ended its side: it has a while to show that it is there.
    let unfinished = try RawSocket(port: replay.port)
    unfinished.send("POST /feed HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
    try replay.waitForExchanges(2, in: "default")
    unfinished.finishSending()
    for number in 1...2 {
      let exchange = try ended(replay, number)
      #expect(exchange["outcome"] as? String == "aborted")
      #expect(exchange["left"] as? String == "closed")
    }
  }

  @Test func `a plan that a slow client moved says so`() throws {
    let replay = try Controlled(["--rule", "GET /feed: body size 16MB, rate 100MB/s"])
    let socket = try RawSocket(port: replay.port, receiveBuffer: 4096)
    socket.send("GET /feed HTTP/1.1\r\nHost: a\r\n\r\n")
    usleep(500_000)
    let received = socket.receive(within: .seconds(60)) { $0.count > 16_000_000 }
    #expect(received.bytes.count > 16_000_000)
    let exchange = try ended(replay, 1)
    #expect(exchange["outcome"] as? String == "completed")
    #expect(exchange["left"] is NSNull)
    #expect(try #require(exchange["rebased"] as? Int) > 0)
    #expect(try whole(replay, 1)["rebased"] as? Int == exchange["rebased"] as? Int)
  }

  @Test func `counts are final before the client has the last byte`() throws {
    let replay = try Controlled(["--rule", "GET /feed: body size 5000B, delay 1ms"])
    for count in 1...30 {
      let answer = try Answer.to(Controlled.get("/feed"), port: replay.port)
      let head = try #require(answer.bytes.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
      let json = try replay.ask("GET /v1/sessions/default").json
      #expect(json["body_bytes_sent"] as? Int == 5000 * count)
      #expect(json["bytes_sent"] as? Int == (5000 + head) * count)
      let exchange = try whole(replay, count)
      #expect(exchange["outcome"] as? String == "completed")
      #expect(exchange["end_ms"] is Double)
    }
  }

  @Test func `conditional requests cost no body`() throws {
    let replay = try Controlled(["--rule", "GET /feed: body size 200KB, etag every 5"])
    var tag = ""
    var statuses: [Int] = []
    let socket = try RawSocket(port: replay.port)
    for _ in 0..<50 {
      let condition = tag.isEmpty ? "" : "If-None-Match: \(tag)\r\n"
      let answer = socket.ask("GET /feed HTTP/1.1\r\nHost: a\r\n\(condition)\r\n")
      statuses.append(answer.status)
      let line = text(answer.bytes.prefix(2000)).split(separator: "\r\n").first {
        $0.lowercased().hasPrefix("etag: ")
      }
      tag = line.map { String($0.dropFirst(6)) } ?? tag
    }
    #expect(statuses.filter { $0 == 200 }.count == 10)
    #expect(statuses.filter { $0 == 304 }.count == 40)
    #expect(
      try replay.ask("GET /v1/sessions/default").json["body_bytes_sent"] as? Int == 2_000_000)
  }

  @Test func `each hop of a redirect is an exchange, and shows what it carried`() throws {
    let replay = try Controlled([
      "--rule", "GET /feed: redirect /user", "--rule", "POST /feed: status 303, redirect /user",
    ])
    for method in ["GET", "POST"] {
      let first = try Answer.to(
        bytes(
          "\(method) /feed HTTP/1.1\r\nHost: a\r\nCookie: s=1\r\nContent-Length: 0\r\n"
            + "Connection: close\r\n\r\n"), port: replay.port)
      #expect(text(first.bytes).contains("Location: /user\r\n"))
      #expect(try replay.status("/user") == 200)
    }
    #expect(
      try exchanges(replay).map { ($0["response"] as? [String: Any])?["status"] as? Int }
        == [302, 200, 303, 200])
    let request = try #require(whole(replay, 1)["request"] as? [String: Any])
    #expect((request["fields"] as? [[String]])?.contains(["Cookie", "s=1"]) == true)
  }

  @Test(arguments: [true, false])
  func `a token that a redirect carries to another host is seen there, and judged`(
    leaks: Bool
  ) throws {
    let replay = try Controlled()
    let rules = #"{"scenario":"/feed: redirect http://localhost:\#(replay.port)/user"}"#
    #expect(try replay.ask("PUT /v1/sessions/default/scenario", rules).status == 200)
    for (target, host, isSent) in [("/feed", "127.0.0.1", true), ("/user", "localhost", leaks)] {
      let token = isSent ? "Authorization: Bearer secret\r\n" : ""
      _ = try Answer.to(
        bytes(
          "GET \(target) HTTP/1.1\r\nHost: \(host):\(replay.port)\r\n\(token)"
            + "Connection: close\r\n\r\n"), port: replay.port)
    }
    let request = try #require(whole(replay, 2)["request"] as? [String: Any])
    let fields = try #require(request["fields"] as? [[String]])
    #expect(fields.contains(["Authorization", "Bearer secret"]) == leaks)
    let verdict = try replay.ask("GET /v1/sessions/default/verdict").json
    let failed = (verdict["failed"] as? [String])?.filter { $0 != "unused" }
    #expect(failed == (leaks ? ["credentials-elsewhere"] : []))
  }

  @Test func `an answer that is lost, and the first result again`() throws {
    let replay = try Controlled([
      "--rule", "POST /feed: first 1, status 201, reset", "--rule", "POST /feed: status 201",
    ])
    func post(_ key: String) throws -> Answer {
      try Answer.to(
        bytes(
          "POST /feed HTTP/1.1\r\nHost: a\r\nIdempotency-Key: \(key)\r\nContent-Length: 3\r\n"
            + "Connection: close\r\n\r\nabc"), port: replay.port)
    }
    #expect(try post("k1").end == .reset)
    #expect(try post("k1").status == 201)
    #expect(try post("k2").status == 201)
    let keys = try (1...3).map { number in
      let request = try #require(whole(replay, number)["request"] as? [String: Any])
      return (request["fields"] as? [[String]])?.first { $0[0] == "Idempotency-Key" }?[1]
    }
    #expect(keys == ["k1", "k1", "k2"])
    #expect(
      try exchanges(replay).map { $0["outcome"] as? String } == ["reset", "completed", "completed"])
    #expect(
      try exchanges(replay).map { ($0["request"] as? [String: Any])?["content_size"] as? Int }
        == [3, 3, 3])
    let verdict = try replay.ask("GET /v1/sessions/default/verdict").json
    #expect((verdict["failed"] as? [String])?.contains("ambiguous-repeat") == false)
  }

  @Test func `a challenge is answered with credentials, and both are seen`() throws {
    let replay = try Controlled([
      "--rule", "GET /feed: without header Authorization, challenge bearer",
    ])
    #expect(try replay.status("/feed") == 401)
    let answer = try Answer.to(
      bytes(
        "GET /feed HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer t\r\nConnection: close\r\n\r\n"),
      port: replay.port)
    #expect(answer.status == 200)
  }

  @Test func `deadlines that the client names are as it sent them`() throws {
    let replay = try Controlled(["--rule", "GET /feed: status 503"])
    for deadline in ["1000", "1000", "795"] {
      _ = try Answer.to(
        bytes(
          "GET /feed HTTP/1.1\r\nHost: a\r\nX-Client-Deadline-Ms: \(deadline)\r\n"
            + "Connection: close\r\n\r\n"), port: replay.port)
    }
    let deadlines = try (1...3).map { number in
      let request = try #require(whole(replay, number)["request"] as? [String: Any])
      return (request["fields"] as? [[String]])?.first { $0[0] == "X-Client-Deadline-Ms" }?[1]
    }
    #expect(deadlines == ["1000", "1000", "795"])
  }

  @Test func `an exchange tells the rules that it met, also when others are in force since`() throws
  {
    let replay = try Controlled(["--rule", "GET /feed: delay 1ms..9ms, set X one", "--seed", "7"])
    #expect(try replay.status("/feed") == 200)
    let session = try replay.ask("GET /v1/sessions/default").json
    #expect(session["rule_set"] as? Int == 1)
    let rules = try #require(session["rules"] as? [[String: Any]])
    #expect(rules.map { $0["number"] as? Int } == [1])
    #expect(rules.map { $0["text"] as? String } == [#"GET /feed: delay 1ms..9ms, set X "one""#])
    #expect(rules.map { $0["origin"] as? String } == ["--rule"])
    let changed = try replay.ask(
      "PUT /v1/sessions/default/scenario", #"{"scenario":"\n/feed: chance 100%, status 503"}"#)
    #expect(changed.json["rule_set"] as? Int == 2)
    #expect(try replay.status("/feed") == 503)
    _ = try replay.ask("PUT /v1/sessions/default/scenario", #"{"scenario":""}"#)
    #expect(try replay.status("/feed") == 200)
    let found = try (1...3).map { try ended(replay, $0) }
    #expect(found.map { $0["rule_set"] as? Int } == [1, 2, nil])
    let texts = found.map { ($0["rule_texts"] as? [[String: Any]])?.first?["text"] as? String }
    #expect(
      texts == [
        #"GET /feed: delay 1ms..9ms, set X "one""#, "/feed: chance 100%, status 503", nil,
      ])
    let origins = found.map { ($0["rule_texts"] as? [[String: Any]])?.first?["origin"] as? String }
    #expect(origins == ["--rule", "scenario:2", nil])
    let draws = found.map { ($0["draws"] as? [[String: Any]])?.first }
    #expect(draws.map { $0?["clause"] as? String } == ["delay 1ms..9ms", "chance 100%", nil])
    let head = try #require(found[0]["head"] as? [String: Double])
    let due = try #require(head["due_ms"])
    let requestEnd = try #require(found[0]["request_end_ms"] as? Double)
    let drawn = try #require(draws[0]?["drawn"] as? String)
    let drawn_ms = try #require(Double(drawn.dropLast(2)))
    #expect(abs(due - requestEnd - drawn_ms) < 0.01)
    #expect(draws[1]?["holds"] as? Bool == true)
    // A page of the journal has all but the texts.
    let page = try exchanges(replay)
    #expect(page.map { $0["rule_set"] as? Int } == [1, 2, nil])
    #expect(page.allSatisfy { $0["rule_texts"] == nil })
  }

  /// Also of a client that is still there when its session ends; not of one that left in time and
  /// got a while to show that it had only closed its side.
  @Test func `who is there past its own deadline is told`() throws {
    let replay = try Controlled()
    let session = try replay.session(#"{"scenario":"GET /feed: hang"}"#)
    let sockets = try (0..<2).map { _ in try RawSocket(port: session.port) }
    for (number, socket) in sockets.enumerated() {
      socket.send("GET /feed HTTP/1.1\r\nHost: a\r\nX-Client-Deadline-Ms: 300\r\n\r\n")
      try replay.waitForExchanges(number + 1, in: session.id)
      if number == 0 { socket.close() }
    }
    usleep(800_000)
    let (_, verdict) = try replay.ask("DELETE /v1/sessions/\(session.id)")
    let findings = try #require(verdict["findings"] as? [[String: Any]])
    let told = findings.filter { $0["check"] as? String == "deadline" }
      .flatMap { $0["exchanges"] as? [Int] ?? [] }
    #expect(told == [2])
  }

  @Test func `answers come out of order, and a reset forgets them`() throws {
    let replay = try Controlled(
      [
        "--rule", "GET /feed?n=1: delay 600ms, status 201", "--rule",
        "GET /feed?n=2: delay 100ms, status 202",
      ])
    let slow = try RawSocket(port: replay.port)
    let fast = try RawSocket(port: replay.port)
    slow.send("GET /feed?n=1 HTTP/1.1\r\nHost: a\r\n\r\n")
    try replay.waitForExchanges(1, in: "default")
    fast.send("GET /feed?n=2 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(Answer(bytes: fast.receiveAnswer().bytes, end: .open).status == 202)
    #expect(Answer(bytes: slow.receiveAnswer().bytes, end: .open).status == 201)
    let ends = try (1...2).map { try #require(ended(replay, $0)["end_ms"] as? Double) }
    #expect(ends[1] < ends[0])
    for (number, delay) in [(1, 600.0), (2, 100.0)] {
      let exchange = try whole(replay, number)
      let head = try #require(exchange["head"] as? [String: Double])
      let received = try #require(exchange["received_ms"] as? Double)
      #expect(abs(try #require(head["due_ms"]) - received - delay) < 0.01)
    }
    _ = try replay.ask("POST /v1/sessions/default/reset")
    #expect(try exchanges(replay).isEmpty)
  }
}
