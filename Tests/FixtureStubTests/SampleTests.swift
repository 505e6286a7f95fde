import FixtureCassette
import FixtureHTTP
import FixtureServer
import FixtureStore
import FixtureStub
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a client sees of a cassette in process is what it sees of the server, over a socket, with
/// URLSession's own HTTP.
@Suite struct SampleCassette {
  private static var sample: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "cassettes/httpbin.db")
  }

  /// One recorded request.
  struct Recorded: Sendable, CustomTestStringConvertible {
    let id: Int64
    let method: String
    let target: String
    let fields: [String: String]
    let content: Data

    var testDescription: String { "\(id) \(method) \(target)" }

    func request(to base: String) throws -> URLRequest {
      var request = URLRequest(url: try #require(URL(string: base + target)))
      request.httpMethod = method
      request.httpBody = content.isEmpty ? nil : content
      for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
      return request
    }
  }

  /// Fields that URLSession does not make by itself.
  private static let given = ["Accept", "Content-Type", "If-None-Match", "Range", "Authorization"]

  private static func recorded() throws -> [Recorded] {
    let reader = try CassetteReader(path: sample.path)
    return try reader.interactionIDs().map { id in
      let interaction = try reader.interaction(id: id)
      var fields: [String: String] = [:]
      let recorded = interaction.request.fields
      for index in 0..<recorded.count {
        let name = String(decoding: recorded.name(at: index), as: UTF8.self)
        if given.contains(name) {
          fields[name] = String(decoding: recorded.value(at: index), as: UTF8.self)
        }
      }
      var content = Data()
      if let body = interaction.requestBody, body.size > 0 {
        content = Data(try reader.content(StoredContent(id: body.id, size: body.size)) ?? [])
      }
      return Recorded(
        id: id, method: String(decoding: interaction.request.method.bytes, as: UTF8.self),
        target: String(decoding: interaction.request.target, as: UTF8.self), fields: fields,
        content: content)
    }
  }

  /// What a client sees.
  private struct Seen: Equatable, CustomStringConvertible {
    var status: Int
    var fields: [String: String]
    var content: Data
    var length: Int64
    var type: String?

    init(_ data: Data, _ response: URLResponse, _ base: String) throws {
      let response = try #require(response as? HTTPURLResponse)
      status = response.statusCode
      fields = [:]
      for (name, value) in response.allHeaderFields {
        // Where a redirect leads differs by the address.
        fields["\(name)"] = "\(value)".replacing(base, with: "")
      }
      // The answer to a miss is of now, and the two are not made in the same second.
      if fields["Fixtured-Miss"] != nil { fields["Date"] = nil }
      content = data
      length = response.expectedContentLength
      type = response.mimeType
    }

    var description: String {
      "\(status) \(fields.sorted { $0.key < $1.key }) \(content) of \(length) \(type ?? "")"
    }
  }

  /// Never let go of: to end a session whose connections are open ends the process now and then,
  /// with URLSession of Swift 6.3 on Linux.
  private static let overSocket = URLSession(configuration: .ephemeral)

  @Test func `every recording looks the same in process and over a socket`() async throws {
    let cassette = try Cassette(contentsOf: Self.sample)
    var options = FixtureOptions()
    options.dates = .recorded
    let server = try await FixtureServer.start(replaying: cassette, options: options)
    defer { server.stop() }
    let fixture = try Fixture(replaying: cassette, options: options)
    let base = "\(server.baseURL)".trimmingSuffix("/")
    for recorded in try Self.recorded() {
      // A challenge without credentials never ends in URLSession's own HTTP, see `Challenges`.
      if recorded.target.hasPrefix("/basic-auth"), recorded.fields["Authorization"] == nil {
        continue
      }
      let (data, response) = try await Self.overSocket.data(for: try recorded.request(to: base))
      let (stubData, stubResponse) = try await fixture.session.data(
        for: try recorded.request(to: "http://127.0.0.1"))
      let expected = try Seen(data, response, base)
      let seen = try Seen(stubData, stubResponse, "http://127.0.0.1")
      #expect(seen == expected, "\(recorded.testDescription)")
    }
    let sent = server.exchanges.map { "\($0.method) \($0.target) \($0.body.count)" }
    #expect(fixture.exchanges.map { "\($0.method) \($0.target) \($0.body.count)" } == sent)
    let own: Set = ["host"]
    for (one, other) in zip(fixture.exchanges, server.exchanges) {
      let fields = one.headers.filter { !own.contains($0.name.lowercased()) }
      let expected = other.headers.filter { !own.contains($0.name.lowercased()) }
      #expect(
        fields.map { "\($0.name): \($0.value)" }.sorted()
          == expected.map { "\($0.name): \($0.value)" }.sorted(), "\(one.target)")
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
