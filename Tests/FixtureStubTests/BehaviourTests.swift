import FixtureStub
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What takes its time, on a clock that is exact.
@Suite struct Behaviours {
  /// Asks for each path at once, at the clock's begin, and goes on until all are answered.
  private func all(_ paths: [String], of fixture: Fixture) async throws {
    let session = fixture.session
    let asking = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for path in paths { group.addTask { _ = try await session.answer(path) } }
        try await group.waitForAll()
      }
    }
    while fixture.waiting < paths.count { try await Task.sleep(for: .milliseconds(5)) }
    try await fixture.waitForExchanges(paths.count, advancing: .seconds(3600))
    try await asking.value
  }

  @Test(arguments: [1, 2, 6, 20, 200])
  func `delays run beside each other, as many as there is room for`(limit: Int) async throws {
    let fixture = try Fixture(
      .get("/a", .text("x")),
      scenario: FixtureScenario("*: delay 300ms\n*: connections \(limit) queue"), clock: .manual)
    let count = max(20, limit)
    try await all(Array(repeating: "/a", count: count), of: fixture)
    let turns = (count + limit - 1) / limit
    #expect(fixture.clock.now.offset == .milliseconds(300 * turns))
    let arrivals = fixture.exchanges.map(\.received.offset)
    #expect(arrivals == (0..<count).map { .milliseconds(300 * ($0 / limit)) })
    #expect(fixture.exchanges.allSatisfy { $0.timeToHead == .milliseconds(300) })
  }

  /// Forty thumbnails: what a client waits for is its own connections.
  @Test func `the wait before a request comes is that for a connection`() async throws {
    var latencies: [[String: Duration]] = []
    for limit in [2, 6, 10, 40] {
      let paths = (0..<40).map { "/thumb/\($0)" }
      let fixture = try Fixture(
        replaying: Cassette(paths.map { .get($0, .text("x")) }, upstream: site),
        scenario: FixtureScenario("seed 42\n*: delay 100ms..400ms\n*: connections \(limit) queue"),
        clock: .manual)
      try await all(paths, of: fixture)
      let exchanges = fixture.exchanges
      let each = exchanges.compactMap(\.duration)
      #expect(each.count == 40)
      #expect(each.allSatisfy { $0 >= .milliseconds(100) && $0 <= .milliseconds(400) })
      latencies.append(Dictionary(uniqueKeysWithValues: zip(exchanges.map(\.path), each)))
      let total = fixture.clock.now.offset / .seconds(1)
      let sum = each.reduce(.zero, +) / .seconds(1)
      let longest = try #require(each.max()) / .seconds(1)
      #expect(total >= max(sum / Double(limit), longest) - 1e-9)
      #expect(total < sum / Double(limit) + longest)
      // Of forty, the 38th is at the 95th percentile.
      let wait = exchanges.map(\.received.offset).sorted()[37] / .seconds(1)
      if limit == 40 { #expect(wait == 0) }
      if limit == 2 { #expect(abs(wait / total - 37 / 40) < 0.05) }
    }
    // The seed decides, not the order of arrival.
    for other in latencies.dropFirst() { #expect(other == latencies[0]) }
  }

  @Test func `the newer answer may come first`() async throws {
    let fixture = try Fixture(
      .get("/s?q=old", .text("old")), .get("/s?q=new", .text("new")),
      scenario: "GET /s?q=old: delay 600ms\nGET /s?q=new: delay 100ms", clock: .manual)
    try await all(["/s?q=old", "/s?q=new"], of: fixture)
    let ends = fixture.exchanges.sorted { ($0.duration ?? .zero) < ($1.duration ?? .zero) }
    #expect(ends.map { $0.query["q"] } == ["new", "old"])
    #expect(ends.map(\.duration) == [.milliseconds(100), .milliseconds(600)])
  }

  /// A client with two seconds for all its attempts and one for each.
  @Test func `each attempt names the deadline that is left to it`() async throws {
    let fixture = try Fixture(
      .get("/a", .text("x")), scenario: "GET /a: first 2, status 503", clock: .manual)
    let session = fixture.session
    let clock = fixture.clock
    let client = Task {
      for wait in [400, 805, 0] {
        let left = Duration.seconds(2) - clock.now.offset
        var request = URLRequest(url: try url("/a"))
        let ms = Int(min(left, .seconds(1)) / .milliseconds(1))
        request.setValue("\(ms)", forHTTPHeaderField: "X-Client-Deadline-Ms")
        if try await session.answer(request).status == 200 { return }
        try await clock.sleep(for: .milliseconds(wait))
      }
    }
    try await fixture.waitForExchanges(3, advancing: .seconds(2))
    try await client.value
    #expect(
      fixture.exchanges.map { $0.header("X-Client-Deadline-Ms") } == ["1000", "1000", "795"])
    #expect(
      fixture.exchanges.map(\.received.offset) == [.zero, .milliseconds(400), .milliseconds(1205)])
    #expect(fixture.verdict(.init(attemptsMax: 3)).findings.isEmpty)
    #expect(fixture.verdict(.init(attemptsMax: 2)).failed == [.attempts])
  }

  @Test(arguments: [(1.0, Duration.seconds(1), false), (60, .milliseconds(1500), true)])
  func `a client is gone at its deadline, or that is told`(
    timeout: Double, duration: Duration, isTold: Bool
  ) async throws {
    let fixture = try Fixture(
      .get("/a", .text("x")), scenario: "GET /a: delay 1500ms", clock: .immediate)
    var request = URLRequest(url: try url("/a"), timeoutInterval: timeout)
    request.setValue("1000", forHTTPHeaderField: "X-Client-Deadline-Ms")
    _ = try? await fixture.session.answer(request)
    #expect(fixture.exchanges.map(\.duration) == [duration])
    #expect(fixture.verdict.failed == (isTold ? [.deadline] : []))
  }

  private func order(_ key: String?, timeout: Double = 60) throws -> URLRequest {
    var request = try request("POST", "/orders", "{}")
    request.timeoutInterval = timeout
    request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
    return request
  }

  /// The order is taken; its answer is lost, or comes after the client's patience.
  @Test(
    arguments: [
      ("delay 3s", URLError.Code.timedOut), ("reset after commit", .networkConnectionLost),
    ])
  func `a key gets the first result again`(fault: String, code: URLError.Code) async throws {
    let orders = (1...4).map { Cassette.Interaction.post("/orders", .text("order \($0)")) }
    let fixture = try Fixture(
      replaying: Cassette(orders, upstream: site),
      scenario: FixtureScenario("POST /orders: idempotency replay\nPOST /orders: nth 1, \(fault)"),
      clock: .immediate)
    let session = fixture.session
    let error = await #expect(throws: URLError.self) {
      try await session.answer(try order("a", timeout: 1))
    }
    #expect(error?.code == code)
    let (data, response) = try await session.data(for: try order("a"))
    #expect(String(decoding: data, as: UTF8.self) == "order 1")
    let http = try #require(response as? HTTPURLResponse)
    #expect(http.value(forHTTPHeaderField: "Idempotency-Replayed") == "true")
    let others = [try order("b"), try order(nil), try order(nil)]
    for (number, other) in others.enumerated() {
      #expect(try await session.answer(other).text == "order \(number + 2)")
    }
    #expect(fixture.exchanges.map { $0.header("Idempotency-Key") } == ["a", "a", "b", nil, nil])
    #expect(fixture.verdict.findings(of: .ambiguousRepeat, .keyReuse).isEmpty)
  }

  @Test func `without a key an order is made twice, which is told`() async throws {
    let orders = (1...2).map { Cassette.Interaction.post("/orders", .text("order \($0)")) }
    let fixture = try Fixture(
      replaying: Cassette(orders, upstream: site),
      scenario: "POST /orders: nth 1, reset after commit", clock: .immediate)
    _ = try? await fixture.session.answer(try order(nil))
    #expect(try await fixture.session.answer(try order(nil)).text == "order 2")
    #expect(fixture.verdict.findings(of: .ambiguousRepeat).map(\.exchanges) == [[1, 2]])
  }
}
