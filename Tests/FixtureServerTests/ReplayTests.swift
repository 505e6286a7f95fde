import FixtureServer
import Foundation
import FoundationNetworking
import Testing

/// A cassette served inside the test, asked by a real URLSession.
@Suite(.ownThreads) struct ReplayTests {
  private static let cassette: Cassette = [
    .get("/users/42", .json(#"{"id":42}"#)),
    .get("/turn", .text("first")), .get("/turn", .text("second")), .get("/turn", .text("third")),
    .post("/users", .status(201, headers: [("Location", "/users/43")])),
  ]

  @Test func `a recorded answer comes whole, and the exchange names its recording`() async throws {
    let server = try await FixtureServer.start(replaying: Self.cassette)
    defer { server.stop() }
    let (status, body, response) = try await Client().get(
      server.baseURL.appending(path: "users/42"))
    #expect(status == 200)
    #expect(body == Data(#"{"id":42}"#.utf8))
    #expect(response.value(forHTTPHeaderField: "Content-Type") == "application/json")
    let exchange = try #require(server.exchanges.first)
    #expect(exchange.interaction == 1)
    #expect(exchange.status == 200)
    #expect(exchange.outcome == .completed)
    #expect(exchange.bodyBytesSent == 9)
    #expect(!exchange.isMiss)
    #expect(server.misses.isEmpty)
    #expect(server.seed == nil)
  }

  @Test func `content of a request is in its exchange`() async throws {
    let server = try await FixtureServer.start(replaying: Self.cassette)
    defer { server.stop() }
    var request = URLRequest(url: server.baseURL.appending(path: "users"))
    request.httpMethod = "POST"
    request.httpBody = Data("name=x".utf8)
    let (_, response) = try await Client().session.data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 201)
    #expect(server.exchanges.map(\.body) == [Data("name=x".utf8)])
  }

  @Test func `what was not recorded is a 501 that says what is near`() async throws {
    let server = try await FixtureServer.start(replaying: Self.cassette)
    defer { server.stop() }
    let (status, body, response) = try await Client().get(
      server.baseURL.appending(path: "users/43"))
    #expect(status == 501)
    #expect(response.value(forHTTPHeaderField: "Fixtured-Miss") == "1")
    #expect(String(decoding: body, as: UTF8.self).contains("/users/42"))
    #expect(server.exchanges.map(\.isMiss) == [true])
    #expect(server.misses.count == 1)
    let miss = try #require(server.misses.first)
    #expect(miss.contains("/users/43"))
    // What has no file of its own can't be recorded into one.
    #expect(!miss.contains(".db"))
  }

  @Test func `rules are in force, and an exchange names those that made its answer`() async throws {
    let server = try await FixtureServer.start(
      replaying: Self.cassette,
      scenario: """
        seed 7
        GET /users/*: first 2, status 503, retry-after 2s
        """,
      options: FixtureOptions(givesReceipts: true))
    defer { server.stop() }
    let client = Client()
    let url = server.baseURL.appending(path: "users/42")
    let first = try await client.get(url)
    #expect(first.status == 503)
    #expect(first.response.value(forHTTPHeaderField: "Retry-After") == "2")
    #expect(first.response.value(forHTTPHeaderField: "Fixtured-Seed") == "7")
    #expect(try await client.get(url).status == 503)
    #expect(try await client.get(url).status == 200)
    #expect(server.exchanges.map(\.rules) == [[1], [1], []])
    #expect(server.exchanges.map(\.status) == [503, 503, 200])
    #expect(server.seed == 7)
  }

  @Test func `a restart goes on where the server stopped, on the same port`() async throws {
    let server = try await FixtureServer.start(
      replaying: Self.cassette, scenario: "GET /turn: nth 3, set X-Turn 3")
    defer { server.stop() }
    let url = server.baseURL.appending(path: "turn")
    #expect(try await Client().get(url).body == Data("first".utf8))
    server.stop()
    #expect(await Client().failure(url) == .cannotConnectToHost)
    try server.restart()
    #expect(try await Client().get(url).body == Data("second".utf8))
    server.stop()
    try server.restart()
    let third = try await Client().get(url)
    #expect(third.body == Data("third".utf8))
    #expect(third.response.value(forHTTPHeaderField: "X-Turn") == "3")
    #expect(server.exchanges.count == 3)
  }

  @Test func `a play waits at its gate until the test releases it`() async throws {
    let server = try await FixtureServer.start(
      replaying: Self.cassette, scenario: "GET /users/*: hold answer")
    defer { server.stop() }
    let url = server.baseURL.appending(path: "users/42")
    let gate = server.gate("answer")
    async let first = Client().get(url)
    async let second = Client().get(url)
    try await gate.waitUntilEntered(2)
    #expect(server.exchanges.map(\.status) == [nil, nil])
    gate.release()
    #expect(try await first.status == 200)
    #expect(try await second.status == 200)
    #expect(try await Client().get(url).status == 200)
    #expect(gate.entered == 3)
  }

  @Test func `a client that leaves at a gate waits there no more`() async throws {
    let server = try await FixtureServer.start(
      replaying: Self.cassette, scenario: "GET /users/*: hold answer")
    defer { server.stop() }
    let url = server.baseURL.appending(path: "users/42")
    let gate = server.gate("answer")
    let task = Task { try await Client().get(url).status }
    try await gate.waitUntilEntered()
    task.cancel()
    #expect(try await eventually { gate.waiting == 0 })
    #expect(try await eventually { server.exchanges.map(\.outcome) == [.aborted] })
    #expect(server.aborted == 1)
  }

  @Test func `an ending that a rule makes is seen by the client and told by the exchange`()
    async throws
  {
    let server = try await FixtureServer.start(
      replaying: Self.cassette,
      scenario: """
        /users/*: reset before head
        POST /users: close before head
        """)
    defer { server.stop() }
    #expect(
      await Client().failure(server.baseURL.appending(path: "users/42")) == .networkConnectionLost)
    await server.waitUntilSettled()
    #expect(server.exchanges.map(\.outcome) == [.reset])
    let raw = try RawConnection(to: server.baseURL)
    raw.send("POST /users HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx")
    let (text, errno) = await raw.readAll()
    #expect(text.isEmpty && errno == 0)
    await server.waitUntilSettled()
    #expect(server.exchanges.map(\.outcome) == [.reset, .closed])
  }

  @Test func `counts are final when the client has the last byte`() async throws {
    let server = try await FixtureServer.start(
      replaying: [.get("/large", .data(Data(repeating: 7, count: 200_000)))],
      scenario: "GET /large: etag every 5")
    defer { server.stop() }
    let client = Client(connections: 1)
    var tag: String?
    for number in 1...50 {
      var request = URLRequest(url: server.baseURL.appending(path: "large"))
      request.setValue(tag, forHTTPHeaderField: "If-None-Match")
      let (_, response) = try await client.session.data(for: request)
      tag = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag")
      #expect(server.exchanges.count == number)
    }
    #expect(server.bodyBytesSent == 2_000_000)
    #expect(Set(server.exchanges.map(\.connection)).count == 1)
    #expect(server.exchanges.filter { $0.status == 304 }.count == 40)
  }

  @Test func `what can't be set up is refused by name`() async throws {
    let error = await #expect(throws: FixtureServer.Failure.self) {
      try await FixtureServer.start(replaying: Self.cassette, scenario: "GET /: statsu 503")
    }
    guard case .setup(.scenarioInvalid(let reason)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("statsu"))
  }

  @Test func `the sample cassette is served to a session`() async throws {
    try await withFixtureServer(replaying: try Cassette(named: "httpbin")) { server in
      let (status, body, _) = try await Client().get(server.baseURL.appending(path: "json"))
      #expect(status == 200)
      #expect(!body.isEmpty)
    }
  }
}
