import FixtureServer
import Foundation
import FoundationNetworking
import Testing

/// What a handler and the list of exchanges say of requests.
@Suite(.ownThreads) struct RequestTests {
  @Test func `a request is given as it was received`() async throws {
    let server = try await FixtureServer.start { request in
      .text(request.head)
    }
    defer { server.stop() }
    let connection = try RawConnection(to: server.baseURL)
    connection.send(
      "POST /head%20x?q=a%20b%26c%C3%A9&n=1&n=2&flag HTTP/1.1\r\nHost: a.test\r\nX-One: 1\r\n"
        + "x-one: 2\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
    #expect(await connection.readAll().text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    let exchange = try #require(server.exchanges.first)
    #expect(exchange.method == "POST")
    #expect(exchange.target == "/head%20x?q=a%20b%26c%C3%A9&n=1&n=2&flag")
    #expect(exchange.path == "/head%20x")
    #expect(exchange.query == ["q": "a b&cé", "n": "1", "flag": ""])
    #expect(exchange.queryPairs.map(\.name) == ["q", "n", "n", "flag"])
    #expect(exchange.queryPairs.map(\.value) == ["a b&cé", "1", "2", ""])
    #expect(exchange.head.hasPrefix("POST /head%20x?q=a%20b%26c%C3%A9&n=1&n=2&flag HTTP/1.1\r\n"))
    #expect(exchange.headers.map(\.name).prefix(3) == ["Host", "X-One", "x-one"])
    #expect(exchange.header("X-ONE") == "1, 2")
    #expect(exchange.header("X-None") == nil)
    #expect(exchange.body == Data("hello".utf8))
    #expect(exchange.status == 200)
    #expect(exchange.outcome == .completed)
  }

  @Test func `content in chunks is given without them`() async throws {
    let server = try await FixtureServer.start { request in
      FixtureServer.Response(body: [.bytes(request.body)])
    }
    defer { server.stop() }
    let connection = try RawConnection(to: server.baseURL)
    connection.send(
      "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n")
    #expect(await connection.readAll().text.hasSuffix("\r\n\r\nabcde"))
  }

  @Test func `a client that waits for leave to send its content gets it`() async throws {
    let server = try await FixtureServer.start { request in
      .text("\(request.body.count)")
    }
    defer { server.stop() }
    let connection = try RawConnection(to: server.baseURL)
    connection.send(
      "POST / HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: 3\r\n"
        + "Connection: close\r\n\r\n")
    #expect(await connection.read() == "HTTP/1.1 100 Continue\r\n\r\n")
    connection.send("abc")
    #expect(await connection.readAll().text.hasSuffix("\r\n\r\n3"))
  }

  @Test func `exchanges stand in the order of their heads, the unanswered among them`()
    async throws
  {
    let server = try await FixtureServer.start { request in
      .text("late", delay: request.path == "/hang" ? .seconds(30) : .zero)
    }
    defer { server.stop() }
    let client = Client(idleTimeout: 1)
    for _ in 0..<3 {
      #expect(await client.failure(server.baseURL.appending(path: "hang")) == .timedOut)
    }
    _ = try await client.get(server.baseURL.appending(path: "now"))
    #expect(server.exchanges.map(\.path) == ["/hang", "/hang", "/hang", "/now"])
    #expect(try await eventually { server.aborted == 3 })
    #expect(server.exchanges.map(\.outcome) == [.aborted, .aborted, .aborted, .completed])
    #expect(server.exchanges.map(\.status) == [nil, nil, nil, 200])
  }

  @Test func `requests tell the connection they came on and when`() async throws {
    let server = try await FixtureServer.start { _ in .text("x") }
    defer { server.stop() }
    let client = Client(connections: 1)
    let before = ContinuousClock.now
    for _ in 0..<20 { _ = try await client.get(server.baseURL) }
    #expect(Set(server.exchanges.map(\.connection)).count == 1)
    let times = server.exchanges.map(\.received)
    #expect(times == times.sorted())
    #expect(try #require(times.first) >= before)
  }

  @Test(arguments: [(1, 20), (2, 20), (6, 20), (20, 20), (2, 40), (6, 40), (10, 40), (40, 40)])
  func `a client opens as many connections as it may have`(
    limit: Int, requests: Int
  ) async throws {
    let server = try await FixtureServer.start { _ in .text("x", delay: .milliseconds(300)) }
    defer { server.stop() }
    let client = Client(connections: limit)
    let url = server.baseURL
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<requests { group.addTask { _ = try await client.get(url) } }
      try await group.waitForAll()
    }
    let seconds = (ContinuousClock.now - start).seconds
    #expect(Set(server.exchanges.map(\.connection)).count == limit)
    let turns = (requests + limit - 1) / limit
    #expect(seconds >= Double(turns) * 0.3 * 0.95)
    for exchange in server.exchanges {
      #expect(try #require(exchange.timeToHead) >= .milliseconds(300))
    }
    let verdict = server.verdict(.init(connectionsMax: limit))
    #expect(verdict.findings(of: .connections).isEmpty)
  }

  @Test func `content beyond the limit is refused`() async throws {
    let server = try await FixtureServer.start { _ in .text("x") }
    defer { server.stop() }
    let connection = try RawConnection(to: server.baseURL)
    connection.send("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 67108865\r\n\r\n")
    let piece = String(repeating: "x", count: 1 << 20)
    for _ in 0..<64 { connection.send(piece) }
    connection.send("x")
    #expect(await connection.read(through: "}").hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
  }
}
