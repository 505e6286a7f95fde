import FixtureServer
import Foundation
import FoundationNetworking
import Synchronization
import Testing

/// Orders that are taken while their answers are late or lost.
@Suite(.ownThreads) struct OrderTests {
  private typealias Response = FixtureServer.Response

  /// A shop that remembers what it has answered to each key.
  private final class Shop: Sendable {
    private let state = Mutex((orders: 0, answered: [String: Int](), asked: 0))

    var orders: Int { state.withLock { $0.orders } }

    /// - Parameter isFirst: of all requests.
    func take(_ key: String?) -> (order: Int, isReplayed: Bool, isFirst: Bool) {
      state.withLock { state in
        state.asked += 1
        if let key, let order = state.answered[key] { return (order, true, state.asked == 1) }
        state.orders += 1
        if let key { state.answered[key] = state.orders }
        return (state.orders, false, state.asked == 1)
      }
    }
  }

  /// - Parameter trouble: what becomes of the first answer.
  private func server(
    _ shop: Shop, _ trouble: @escaping @Sendable (inout Response) -> Void
  ) async throws -> FixtureServer {
    try await FixtureServer.start { request in
      let taken = shop.take(request.header("Idempotency-Key"))
      var response = Response.text(
        "order \(taken.order)", status: taken.isReplayed ? 200 : 201,
        headers: taken.isReplayed ? [("Idempotency-Replayed", "true")] : [])
      if taken.isFirst { trouble(&response) }
      return response
    }
  }

  private func order(
    _ server: FixtureServer, _ key: String?, by client: Client
  ) async throws -> (status: Int, text: String, isReplayed: Bool) {
    var request = URLRequest(url: server.baseURL.appending(path: "orders"))
    request.httpMethod = "POST"
    request.httpBody = Data("{}".utf8)
    request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
    let (data, response) = try await client.session.data(for: request)
    let http = try #require(response as? HTTPURLResponse)
    return (
      http.statusCode, String(decoding: data, as: UTF8.self),
      http.value(forHTTPHeaderField: "Idempotency-Replayed") == "true"
    )
  }

  @Test(arguments: [(URLError.Code.timedOut, 1.0), (.networkConnectionLost, 20)])
  func `the same key gets the first result, another one and none a new order`(
    code: URLError.Code, timeout: TimeInterval
  ) async throws {
    let shop = Shop()
    let server = try await server(shop) { response in
      if code == .timedOut { response.delay = .seconds(3) } else { response.body = [.reset] }
    }
    defer { server.stop() }
    let client = Client(idleTimeout: timeout)
    let error = await #expect(throws: URLError.self) {
      try await order(server, "a", by: client)
    }
    #expect(error?.code == code)
    #expect(shop.orders == 1)
    let patient = Client(idleTimeout: 20)
    let again = try await order(server, "a", by: patient)
    #expect(again == (200, "order 1", true))
    #expect(shop.orders == 1)
    #expect(try await order(server, "b", by: patient) == (201, "order 2", false))
    for number in [3, 4] {
      #expect(try await order(server, nil, by: patient) == (201, "order \(number)", false))
    }
    #expect(server.exchanges.map { $0.header("Idempotency-Key") } == ["a", "a", "b", nil, nil])
    #expect(
      try await eventually {
        server.exchanges.first?.outcome == (code == .timedOut ? .aborted : .reset)
      })
    #expect(server.verdict().findings(of: .ambiguousRepeat, .keyReuse).isEmpty)
  }

  @Test func `without a key the repeat is a second order, and told`() async throws {
    let shop = Shop()
    let server = try await server(shop) { $0.body = [.reset] }
    defer { server.stop() }
    let client = Client()
    _ = try? await order(server, nil, by: client)
    #expect(try await order(server, nil, by: client) == (201, "order 2", false))
    #expect(shop.orders == 2)
    await server.waitUntilSettled()
    #expect(server.verdict().findings(of: .ambiguousRepeat).map(\.exchanges) == [[1, 2]])
  }

  /// What a library sends again of its own accord is known by its connection: the first came on
  /// one that was kept, the second on another. The client had asked once.
  @Test func `a request that the library sends again is seen, and no fault`() async throws {
    let count = Mutex(0)
    let server = try await FixtureServer.start { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return number == 2 ? Response(body: [.close]) : .text("answer \(number)")
    }
    defer { server.stop() }
    let connections = try (0..<2).map { _ in try RawConnection(to: server.baseURL) }
    let get = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"
    for (connection, end) in zip([connections[0], connections[0]], ["answer 1", "never"]) {
      connection.send(get)
      _ = await connection.read(through: end)
    }
    connections[1].send(get)
    _ = await connections[1].read(through: "answer 3")
    #expect(server.exchanges.map(\.outcome) == [.completed, .closed, .completed])
    #expect(server.exchanges.map(\.connection) == [1, 1, 2])
    #expect(server.verdict(.init(attemptsMax: 1)).findings.isEmpty, "\(server.verdict())")
  }
}
