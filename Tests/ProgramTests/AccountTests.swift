import Foundation
import Testing

/// Bytes and times of exchanges, to the byte against what the client got, and to the microsecond
/// against the plan.
@Suite struct AccountTests {
  private func exchanges(_ replay: Controlled) throws -> [[String: Any]] {
    try #require(
      replay.ask("GET /v1/sessions/default/exchanges").json["exchanges"] as? [[String: Any]])
  }

  /// What a client got, head and content apart.
  private struct Got: Equatable {
    var heads: [Int] = []
    var bodies: [Int] = []
    var statuses: [Int] = []
  }

  /// Fifty requests for a catalog of 200 KB whose tag changes with every fifth of them.
  private func fetch(_ replay: Controlled, conditional: Bool) throws -> Got {
    let client = try Client(port: replay.port)
    var got = Got()
    var tag: String?
    for _ in 0..<50 {
      let condition = tag.map { "If-None-Match: \($0)\r\n" } ?? ""
      let response = try #require(
        client.exchange(bytes("GET /feed HTTP/1.1\r\nHost: a\r\n\(condition)\r\n")))
      if conditional { tag = response.value("ETag") }
      got.heads.append(response.head.utf8.count)
      got.bodies.append(response.content.count)
      got.statuses.append(response.status)
    }
    return got
  }

  @Test(arguments: [false, true])
  func `a catalog that is fetched fifty times costs what the formula says`(
    conditional: Bool
  ) throws {
    let replay = try Controlled(["--rule", "GET /feed: body size 200KB, etag every 5"])
    let got = try fetch(replay, conditional: conditional)
    let whole = conditional ? Array(stride(from: 0, to: 50, by: 5)) : Array(0..<50)
    #expect(got.statuses.indices.filter { got.statuses[$0] == 200 } == whole)
    let entries = try exchanges(replay)
    #expect(entries.map { $0["head_bytes"] as? Int } == got.heads)
    #expect(entries.map { $0["body_bytes"] as? Int } == got.bodies)
    let totals = try replay.ask("GET /v1/sessions/default").json
    let bodies = conditional ? 2_000_000 : 10_000_000
    #expect(totals["body_bytes_sent"] as? Int == bodies)
    let sent = try #require(totals["bytes_sent"] as? Int)
    #expect(sent == bodies + got.heads.reduce(0, +))
    // B + (n-1)(pB + (1-p)h): of 49 repeats 9 cost a body, the others a head.
    let head = Double(got.heads.dropFirst(1).first ?? 0)
    let changed = conditional ? 9.0 / 49 : 1
    let model = 200_000 + 49 * (changed * 200_000 + (1 - changed) * head)
    #expect(abs(Double(sent) / model - 1) < 0.02)
  }

  /// Everything an exchange is described by, of one that was answered whole, one whose answer a
  /// rule cut, and one whose client left.
  @Test func `an exchange says all that became of it`() throws {
    let replay = try Controlled([
      "--rule", "GET /feed: nth 2, delay 300ms, trickle 1B/100ms", "--rule",
      "GET /feed: nth 3, reset after head", "--rule", "POST /user: status 201, delay 30s",
    ])
    let client = try Client(port: replay.port)
    let first = try #require(client.get("/feed"))
    #expect(client.get("/feed")?.text == "ok")
    #expect(client.get("/feed") == nil)
    let other = try RawSocket(port: replay.port)
    other.send(
      "POST /user?n=1 HTTP/1.1\r\nHost: a\r\nIdempotency-Key: k\r\nContent-Length: 3\r\n\r\nabc")
    try replay.waitForExchanges(4, in: "default")
    other.close()
    let deadline = ContinuousClock.now + .seconds(30)
    while try replay.ask("GET /v1/sessions/default").json["open"] as? Int != 0,
      ContinuousClock.now < deadline
    {}
    let all = try exchanges(replay)
    func column(_ name: String) -> [Int?] { all.map { $0[name] as? Int } }
    #expect(column("number") == [1, 2, 3, 4])
    #expect(column("connection") == [1, 1, 1, 2])
    #expect(column("ordinal") == [1, 2, 3, 1])
    #expect(column("concurrent") == [0, 0, 0, 0])
    #expect(column("body_bytes") == [2, 2, 0, 0])
    #expect(column("head_bytes").prefix(2) == [first.head.utf8.count, first.head.utf8.count])
    #expect(all.map { $0["outcome"] as? String } == ["completed", "completed", "reset", "aborted"])
    #expect(all.map { $0["rules"] as? [Int] } == [[], [1], [2], [3]])
    let sources = all.map { $0["source"] as? [String: Any] }
    #expect(
      sources.map { $0?["kind"] as? String }
        == ["interaction", "interaction", "interaction", "rules"])
    #expect(sources.map { $0?["interaction"] as? Int } == [1, 1, 1, nil])
    #expect(
      all.map { ($0["response"] as? [String: Any])?["status"] as? Int } == [200, 200, 200, nil])
    let requests = all.map { $0["request"] as? [String: Any] }
    #expect(requests.map { $0?["method"] as? String } == ["GET", "GET", "GET", "POST"])
    #expect(
      requests.map { $0?["target"] as? String } == ["/feed", "/feed", "/feed", "/user?n=1"])
    #expect(requests.map { $0?["content_size"] as? Int } == [0, 0, 0, 3])
    try times(of: all[1])
    // Who left did so before the head was due.
    let left = try #require(all[3]["end_ms"] as? Double)
    let received = try #require(all[3]["received_ms"] as? Double)
    #expect(left >= received && left - received < 30_000)
    #expect(all[3]["head"] is NSNull)
  }

  /// Of an answer after 300 ms whose second and last byte comes 100 ms later: planned to the
  /// microsecond, and what it took beyond that is said.
  private func times(of exchange: [String: Any]) throws {
    let head = try #require(exchange["head"] as? [String: Double])
    let last = try #require(exchange["last"] as? [String: Double])
    let received = try #require(exchange["received_ms"] as? Double)
    let whole = try #require(exchange["request_end_ms"] as? Double)
    let end = try #require(exchange["end_ms"] as? Double)
    let (headDue, headDone) = (try #require(head["due_ms"]), try #require(head["done_ms"]))
    let (lastDue, lastDone) = (try #require(last["due_ms"]), try #require(last["done_ms"]))
    #expect(abs(whole - received) < 0.01)
    #expect(abs(headDue - received - 300) < 0.01)
    #expect(headDone >= headDue && lastDone >= lastDue && end >= lastDone)
    // Steps after the head count from when that was planned, but for a stall of the machine.
    #expect(lastDue - headDue >= 99.99)
    #expect(end - received >= 399.99)
    let late = lastDone - lastDue + max(0, lastDue - headDue - 100)
    #expect(abs(end - received - late - 400) < 50)
  }
}
