import FixtureCassette
import FixtureHTTP
import FixtureServer
import FixtureStore
import Foundation
import Testing

@testable import FixtureStub

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct RecordModes {
  @Test func `nothing is recorded unless it is asked for`() throws {
    #expect(try RecordMode.asked(by: [:]) == nil)
    #expect(try RecordMode.asked(by: ["FIXTURED_RECORD": ""]) == nil)
    #expect(try RecordMode.asked(by: ["FIXTURED_RECORD": "none"]) == nil)
    for mode in RecordMode.allCases {
      #expect(try RecordMode.asked(by: ["FIXTURED_RECORD": mode.rawValue]) == mode)
    }
  }

  @Test func `another word is refused`() {
    #expect(throws: RecordMode.Refusal.unknown("yes")) {
      try RecordMode.asked(by: ["FIXTURED_RECORD": "yes"])
    }
  }

  @Test func `a CI records only when it is told twice`() throws {
    for ci in ["true", "1", "yes"] {
      var environment = ["FIXTURED_RECORD": "all", "CI": ci]
      #expect(throws: RecordMode.Refusal.onCI) { try RecordMode.asked(by: environment) }
      environment["FIXTURED_RECORD_ON_CI"] = "1"
      #expect(try RecordMode.asked(by: environment) == .all)
    }
    for ci in ["", "0", "false"] {
      #expect(try RecordMode.asked(by: ["FIXTURED_RECORD": "all", "CI": ci]) == .all)
    }
  }
}

/// A live server, and a folder to record into.
@Suite(.timeLimit(.minutes(1))) final class Recordings {
  private let folder: URL
  private let server: FixtureServer

  init() async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    server = try await FixtureServer.start { request in
      let content = String(decoding: request.body, as: UTF8.self)
      return switch request.path {
      case "/old": FixtureServer.Response(status: 302, headers: [("Location", "/new")])
      case "/new": .text("new")
      case "/login":
        .text("hello", headers: [("Set-Cookie", "id=s3cr3t-cookie-1; Path=/")])
      case "/echo": .text("\(request.method) \(content) \(request.header("X-App") ?? "-")")
      case "/empty": FixtureServer.Response(status: 204)
      case "/basic":
        .text("no", status: 401, headers: [("WWW-Authenticate", #"Basic realm="r""#)])
      case "/lost": FixtureServer.Response(body: [.reset])
      case "/slow": .text("slow", delay: .seconds(60))
      default: .text("not here", status: 404)
      }
    }
  }

  deinit {
    server.stop()
    // A folder left in the temporary directory is no reason to fail.
    try? FileManager.default.removeItem(at: folder)
  }

  private var file: EpisodeFile { EpisodeFile(path: folder.appending(path: "made/api.db").path) }

  private func recording(
    _ cassette: Cassette = [], replacing: Bool = false, bytesMax: Int = 1 << 20
  ) throws -> Fixture {
    try Fixture(
      replaying: cassette, scenario: nil, options: FixtureOptions(), clock: .real,
      recording: EpisodeRecording(into: file, replaces: replacing, bytesMax: bytesMax))
  }

  private func request(_ method: String, _ path: String, _ body: String? = nil) -> URLRequest {
    var request = URLRequest(url: server.baseURL.appending(path: path))
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    return request
  }

  private func get(_ path: String, by fixture: Fixture) async throws -> Answer {
    try await fixture.session.answer(request("GET", path))
  }

  private func store(_ fixture: Fixture) throws -> [String] {
    fixture.finish()
    return try fixture.recording?.store() ?? ["nothing is recorded"]
  }

  private func stored() throws -> [Interaction] {
    let reader = try CassetteReader(path: file.path)
    return try reader.interactionIDs().map { try reader.interaction(id: $0) }
  }

  @Test func `what was recorded is replayed without the server`() async throws {
    let live = try recording()
    let requests = [
      request("GET", "old"), request("POST", "echo", "some content"), request("GET", "empty"),
      request("HEAD", "new"), request("GET", "basic"), request("GET", "nowhere"),
      request("GET", "login"), request("GET", "login"),
    ]
    var answers: [Answer] = []
    for request in requests { answers.append(try await live.session.answer(request)) }
    #expect(live.misses == [])
    #expect(answers.map(\.status) == [200, 200, 204, 200, 401, 404, 200, 200])
    #expect(answers.map(\.text).prefix(2) == ["new", "POST some content -"])
    #expect(try store(live) == [])
    server.stop()

    let replay = try Fixture(replaying: Cassette(contentsOf: URL(filePath: file.path)))
    for (request, answer) in zip(requests, answers) {
      #expect(try await replay.session.answer(request) == answer)
    }
    #expect(replay.misses == [])
    #expect(try stored().allSatisfy { $0.notes.contains(.inProcess) })
    #expect(try CassetteVerifier.verify(path: file.path).findings.isEmpty)
  }

  @Test func `secrets are given to the app, and not stored`() async throws {
    let live = try recording()
    var asked = request("POST", "echo", #"{"password": "s3cr3t-word-22"}"#)
    asked.setValue("application/json", forHTTPHeaderField: "Content-Type")
    asked.setValue("Bearer s3cr3t-token-333", forHTTPHeaderField: "Authorization")
    let answer = try await live.session.answer(asked)
    #expect(answer.text.contains("s3cr3t-word-22"))
    _ = try await get("login", by: live)
    _ = try store(live)
    let bytes = try Data(contentsOf: URL(filePath: file.path))
    for secret in ["s3cr3t-word-22", "s3cr3t-token-333", "s3cr3t-cookie-1"] {
      #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)")
    }
  }

  @Test func `what the configuration adds is sent, and recorded`() async throws {
    let live = try recording()
    let configuration = live.configuration
    configuration.httpAdditionalHeaders = ["X-App": "yes"]
    let session = URLSession(configuration: configuration)
    #expect(try await session.answer(request("GET", "echo")).text == "GET  yes")
    _ = try store(live)
    let fields = try #require(try stored().first).request.fields
    #expect(fields.first(FieldName("x-app")).map { Array($0) } == Array("yes".utf8))
  }

  @Test func `only what the cassette has not is asked, and added`() async throws {
    let first = try recording()
    _ = try await get("new", by: first)
    _ = try store(first)
    #expect(file.isOfThisRun)
    let second = try recording(Cassette(contentsOf: URL(filePath: file.path)))
    _ = try await get("new", by: second)
    _ = try await get("login", by: second)
    #expect(server.exchanges.map(\.path) == ["/new", "/login"])
    #expect(try store(second) == [])
    #expect(
      try stored().map { String(decoding: $0.request.target, as: UTF8.self) } == [
        "/new", "/login",
      ])
  }

  @Test func `a recording of everything replaces that of an earlier run, and is then added to`()
    async throws
  {
    try FileManager.default.createDirectory(
      at: URL(filePath: file.path).deletingLastPathComponent(), withIntermediateDirectories: true)
    let old = try CassetteWriter.create(
      path: file.path, description: CassetteDescription(), durability: .process)
    try old.close()
    for path in ["new", "login"] {
      let live = try recording(replacing: true)
      _ = try await get(path, by: live)
      _ = try store(live)
    }
    #expect(
      try stored().map { String(decoding: $0.request.target, as: UTF8.self) } == [
        "/new", "/login",
      ])
  }

  @Test func `each server has a name of its own`() async throws {
    let other = try await FixtureServer.start { _ in .text("other") }
    defer { other.stop() }
    let live = try recording()
    _ = try await get("new", by: live)
    let (data, _) = try await live.session.data(from: other.baseURL.appending(path: "new"))
    #expect(String(decoding: data, as: UTF8.self) == "other")
    _ = try store(live)
    let upstreams = try CassetteReader(path: file.path).description.upstreams
    #expect(upstreams.map(\.name) == ["127-0-0-1", "127-0-0-1-2"])
    #expect(upstreams.map(\.url) == [server, other].map { $0.baseURL.absoluteString })
    let replay = try Fixture(replaying: Cassette(contentsOf: URL(filePath: file.path)))
    let (again, _) = try await replay.session.data(from: other.baseURL.appending(path: "new"))
    #expect(String(decoding: again, as: UTF8.self) == "other")
    #expect(try await get("new", by: replay).text == "new")
  }

  @Test func `a cassette of one server without a name takes no other`() async throws {
    try FileManager.default.createDirectory(
      at: URL(filePath: file.path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try CassetteWriter.create(
      path: file.path,
      description: CassetteDescription(
        upstreams: [.init(name: nil, url: "https://api.example.com")]), durability: .process
    ).close()
    let before = try Data(contentsOf: URL(filePath: file.path))
    let live = try recording()
    _ = try await get("new", by: live)
    #expect {
      try store(live)
    } throws: { error in
      "\(error)".contains("has recordings of https://api.example.com alone")
    }
    #expect(try Data(contentsOf: URL(filePath: file.path)) == before)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: URL(filePath: file.path).deletingLastPathComponent().path)
    #expect(names == ["api.db"])
  }

  @Test func `a request that fails is not recorded`() async throws {
    let live = try recording()
    await #expect(throws: URLError.self) { try await get("lost", by: live) }
    #expect(live.exchanges.map(\.outcome) == [.aborted])
    #expect(try store(live) == [])
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `a request that the app cancels ends at the server too`() async throws {
    let live = try recording()
    let (session, slow) = (live.session, request("GET", "slow"))
    let task = Task { try await session.answer(slow) }
    while server.exchanges.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    await server.waitUntilSettled()
    #expect(server.exchanges.map(\.outcome) == [.aborted])
    #expect(live.exchanges.map(\.outcome) == [.aborted])
    #expect(try store(live) == [])
  }

  @Test func `a request under way when the test ends is not recorded`() async throws {
    let live = try recording()
    let (session, slow) = (live.session, request("GET", "slow"))
    let task = Task { try await session.answer(slow) }
    while server.exchanges.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try store(live) == [])
    await #expect(throws: (any Error).self) { try await task.value }
    await server.waitUntilSettled()
  }

  @Test func `a request beyond what a test may record fails`() async throws {
    let large = try await FixtureServer.start { _ in
      FixtureServer.Response(body: [.bytes(Data(repeating: 7, count: 1001))])
    }
    defer { large.stop() }
    let live = try recording(bytesMax: 1000)
    await #expect(throws: URLError(.dataLengthExceedsMaximum)) {
      do {
        _ = try await live.session.data(from: large.baseURL)
      } catch let error as URLError {
        throw URLError(error.code)
      }
    }
    #expect(try store(live) == [])
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `long content is recorded whole`() async throws {
    let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let large = try await FixtureServer.start { _ in FixtureServer.Response(body: [.bytes(body)]) }
    defer { large.stop() }
    let live = try recording(bytesMax: body.count)
    let (data, _) = try await live.session.data(from: large.baseURL)
    #expect(data == body)
    _ = try store(live)
    let replay = try Fixture(replaying: Cassette(contentsOf: URL(filePath: file.path)))
    let (again, _) = try await replay.session.data(from: large.baseURL)
    #expect(again == body)
  }
}
