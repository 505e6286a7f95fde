import FixtureServer
import Foundation
import FoundationNetworking
import Synchronization
import Testing

/// What the server sees of clients that try again, log in, overtake themselves or leave.
@Suite(.ownThreads) struct AttemptTests {
  private typealias Response = FixtureServer.Response

  @Test func `a challenge is no failure of the network`() async throws {
    let server = try await FixtureServer.start { request in
      if request.header("Authorization") == "Bearer new" { return .text("Ada") }
      let challenge = request.path == "/none" ? [] : [("WWW-Authenticate", "Bearer")]
      return .text("log in", status: 401, headers: challenge)
    }
    defer { server.stop() }
    let client = Client()
    for path in ["none", "me"] {
      let refused = try await client.get(server.baseURL.appending(path: path))
      #expect(refused.status == 401)
      #expect(refused.body == Data("log in".utf8))
    }
    for token in ["Bearer new", "Bearer old", "Bearer old"] {
      var request = URLRequest(url: server.baseURL.appending(path: "me"))
      request.setValue(token, forHTTPHeaderField: "Authorization")
      let (_, response) = try await client.session.data(for: request)
      #expect(
        (response as? HTTPURLResponse)?.statusCode == (token == "Bearer new" ? 200 : 401))
    }
    #expect(server.verdict().findings(of: .staleCredentials).map(\.exchanges) == [[4, 5]])
  }

  /// Two seconds for all, one for each: the values are those of the log.
  @Test func `each attempt names the deadline that is left to it`() async throws {
    let server = try await FixtureServer.start { request in
      .text("busy", status: 503, delay: request.path == "/slow" ? .seconds(30) : .zero)
    }
    defer { server.stop() }
    let url = server.baseURL.appending(path: "a")
    let begin = ContinuousClock.now
    var named: [Int] = []
    // The waits of a client are loose on a real clock, what it names is what it had left.
    for wait in [400, 805, 0] {
      let left = max(.zero, .seconds(2) - (ContinuousClock.now - begin))
      named.append(Int(min(left, .seconds(1)) / .milliseconds(1)))
      var request = URLRequest(url: url)
      request.setValue("\(named.last ?? 0)", forHTTPHeaderField: "X-Client-Deadline-Ms")
      _ = try await Client().session.data(for: request)
      try await Task.sleep(for: .milliseconds(wait))
    }
    #expect(named[0] == 1000 && named[2] <= 795)
    #expect(
      server.exchanges.map { $0.header("X-Client-Deadline-Ms") } == named.map { "\($0)" })
    #expect(server.verdict(.init(attemptsMax: 3)).findings(of: .attempts).isEmpty)
    #expect(server.verdict(.init(attemptsMax: 2)).findings(of: .attempts).count == 1)
  }

  private final class Shown: Sendable {
    private let state = Mutex((number: -1, text: ""))

    var text: String { state.withLock { $0.text } }

    func show(_ number: Int, _ body: Data) {
      state.withLock { shown in
        if number > shown.number { shown = (number, String(decoding: body, as: UTF8.self)) }
      }
    }
  }

  /// As a field for a search does that shows nothing older than what it shows already.
  @Test func `the older answer comes last, and is not shown`() async throws {
    let server = try await FixtureServer.start { request in
      let query = request.query["q"] ?? ""
      return .text(query, delay: query == "old" ? .milliseconds(600) : .milliseconds(100))
    }
    defer { server.stop() }
    let client = Client()
    let shown = Shown()
    let url = server.baseURL
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, text) in ["old", "new"].enumerated() {
        group.addTask {
          let query = [URLQueryItem(name: "q", value: text)]
          shown.show(number, try await client.get(url.appending(queryItems: query)).body)
        }
      }
      try await group.waitForAll()
    }
    await server.waitUntilSettled()
    #expect(shown.text == "new")
    for exchange in server.exchanges {
      let delay = Duration.milliseconds(exchange.query["q"] == "old" ? 600 : 100)
      #expect(try #require(exchange.timeToHead) >= delay)
    }
  }

  /// A server that stops working when nobody waits for it any more.
  @Test func `a handler may end at the deadline that the client has named`() async throws {
    let server = try await FixtureServer.start { request in
      let ms = request.header("X-Client-Deadline-Ms").flatMap { Int($0) } ?? 60_000
      return Response(body: [.close], delay: .milliseconds(ms))
    }
    defer { server.stop() }
    var request = URLRequest(url: server.baseURL)
    request.setValue("200", forHTTPHeaderField: "X-Client-Deadline-Ms")
    await #expect(throws: URLError.self) { try await Client().session.data(for: request) }
    await server.waitUntilSettled()
    let exchange = try #require(server.exchanges.first)
    #expect(exchange.outcome == .closed)
    #expect(try #require(exchange.duration) >= .milliseconds(200))
  }

  /// Little more than the client took, and what the kernels hold.
  @Test func `sending stops when the client has left`() async throws {
    let server = try await FixtureServer.start { _ in
      Response(body: [.bytes(Data(repeating: 7, count: 4_000_000))])
    }
    defer { server.stop() }
    try await leave(server)
    #expect(try await eventually { server.aborted == 1 })
    #expect(server.exchanges.map(\.outcome) == [.aborted])
    #expect(server.bodyBytesSent < 2_660_000)
  }

  private func leave(_ server: FixtureServer) async throws {
    let connection = try RawConnection(to: server.baseURL)
    connection.send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
    _ = await connection.read()
  }
}
