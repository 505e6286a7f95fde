import FixtureServer
import FixtureStub
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Something a client asks, and how often at the same time.
struct Ask: Sendable {
  var method = "GET"
  var path: String
  var fields: [String: String] = [:]
  var body: String?
  /// Requests that are under way together.
  var count = 1

  init(
    _ line: String, _ fields: [String: String] = [:], body: String? = nil, times count: Int = 1
  ) {
    let words = line.split(separator: " ")
    method = String(words[0])
    path = String(words[1])
    self.fields = fields
    self.body = body
    self.count = count
  }

  func request(at base: URL) -> URLRequest {
    var request = URLRequest(url: base.appending(path: path))
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }
}

/// What a client sees of the answers, a line each; those that were under way together in the order
/// of their text.
struct Seen: Equatable, CustomStringConvertible {
  var lines: [String] = []
  var description: String { lines.joined(separator: "\n") }

  /// Asks one after the other.
  init(_ asks: [Ask], by session: URLSession, at base: URL, timeout: TimeInterval) async {
    for ask in asks {
      var asked = ask.request(at: base)
      asked.timeoutInterval = timeout
      let request = asked
      let together = await withTaskGroup(of: String.self) { group in
        for _ in 0..<ask.count { group.addTask { await Self.line(request, session) } }
        return await group.reduce(into: [String]()) { $0.append($1) }
      }
      lines += together.sorted()
    }
  }

  private static func line(_ request: URLRequest, _ session: URLSession) async -> String {
    do {
      let (data, response) = try await session.data(for: request)
      guard let http = response as? HTTPURLResponse else { return "no HTTP response" }
      let body = data.count > 80 ? "\(data.count) bytes" : String(decoding: data, as: UTF8.self)
      let path = http.url?.path ?? "no URL"
      let fields = http.allHeaderFields.compactMap { name, value -> String? in
        let text = "\(name): \(value)"
        return isOfConnection("\(name)") ? nil : text
      }
      return "\(http.statusCode) \(path) \(fields.sorted()) \(body)"
    } catch {
      return "error \((error as? URLError)?.code.rawValue ?? 0)"
    }
  }

  /// Dates pass, and connections are the server's own.
  private static func isOfConnection(_ name: String) -> Bool {
    ["date", "connection", "keep-alive"].contains(name.lowercased())
  }
}

/// The two engines, with the same cassette and scenario and a real URLSession each.
enum Engine {
  /// Dates that don't pass between the two.
  private static let options = FixtureOptions(
    dates: .frozen(Date(timeIntervalSince1970: 1_900_000_000)))

  private static var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 4
    return configuration
  }

  static func server(
    _ cassette: Cassette, _ scenario: String, _ asks: [Ask], timeout: TimeInterval
  ) async throws -> Seen {
    let server = try await FixtureServer.start(
      replaying: cassette, scenario: FixtureScenario(scenario), options: options)
    let seen = await Seen(asks, by: wire, at: server.baseURL, timeout: timeout)
    server.stop()
    return seen
  }

  /// One for all, which is never let go of: to end a session whose connections are open ends the
  /// process now and then, with URLSession of Swift 6.3 on Linux.
  private static let wire = URLSession(configuration: configuration)

  /// - Throws: also what the stub refuses, by name.
  static func stub(
    _ cassette: Cassette, _ scenario: String, _ asks: [Ask], timeout: TimeInterval
  ) async throws -> Seen {
    let fixture = try Fixture(
      replaying: cassette, scenario: FixtureScenario(scenario), options: options,
      errorCodes: .platform)
    let session = URLSession(configuration: configuration.replaying(fixture))
    guard let base = URL(string: Corpus.upstream) else {
      preconditionFailure("\(Corpus.upstream) is no URL")
    }
    let seen = await Seen(asks, by: session, at: base, timeout: timeout)
    session.invalidateAndCancel()
    fixture.finish()
    return seen
  }
}
