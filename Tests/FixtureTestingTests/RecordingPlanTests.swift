import FixtureServer
import FixtureStub
import Foundation
import Testing

@testable import FixtureTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A live server, and a folder with the source of a test.
@Suite(.timeLimit(.minutes(2))) final class RecordingPlans {
  private let folder: URL
  private let server: FixtureServer

  init() async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Cassettes are looked for up to here.
    try Data().write(to: folder.appending(path: "Package.swift"))
    server = try await FixtureServer.start { request in .text("live \(request.path)") }
  }

  deinit {
    server.stop()
    // A folder left in the temporary directory is no reason to fail.
    try? FileManager.default.removeItem(at: folder)
  }

  private var place: URL { folder.appending(path: "Cassettes/feed.db") }
  private var plan: FixturePlan {
    FixturePlan([.cassette("feed", file: folder.appending(path: "Tests.swift").path)])
  }

  private func fixture(_ mode: String?) throws -> Fixture {
    try plan.makeFixture(environment: mode.map { ["FIXTURED_RECORD": $0] } ?? [:])
  }

  private func get(_ path: String, by fixture: Fixture) async throws -> String {
    let (data, _) = try await fixture.session.data(from: server.baseURL.appending(path: path))
    return String(decoding: data, as: UTF8.self)
  }

  private func end(_ fixture: Fixture) -> [String] {
    fixture.finish()
    return plan.conclude(fixture, of: "A.B/c()")
  }

  @Test func `nothing is recorded when nobody asks for it`() {
    #expect(throws: FixtureFailure.self) { try self.fixture(nil) }
    #expect(!FileManager.default.fileExists(atPath: place.path))
  }

  @Test func `a cassette that is missing is recorded beside the test, once`() async throws {
    let first = try fixture("once")
    #expect(try await get("feed", by: first) == "live /feed")
    #expect(end(first) == [])
    #expect(FileManager.default.fileExists(atPath: place.path))
    let replay = try fixture(nil)
    server.stop()
    #expect(try await get("feed", by: replay) == "live /feed")
    #expect(end(replay) == [])
  }

  @Test func `other tests of the run add to what the first one made`() async throws {
    for path in ["feed", "items", "feed"] {
      let fixture = try fixture("once")
      #expect(try await get(path, by: fixture) == "live /\(path)")
      #expect(end(fixture) == [])
    }
    #expect(server.exchanges.map(\.path) == ["/feed", "/items"])
    let replay = try fixture(nil)
    #expect(replay.unusedRecordings.map(\.target) == ["/feed", "/items"])
  }

  /// Made by somebody else than the tests of this run.
  private func makeCassette() throws {
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Example/Tests/FeedTests/Cassettes/feed.db")
    try FileManager.default.copyItem(at: source, to: place)
  }

  @Test func `a cassette that is there is replayed, and stays as it is`() async throws {
    try makeCassette()
    let before = try Data(contentsOf: place)
    let replay = try fixture("once")
    #expect(replay.recording == nil)
    _ = try await get("items", by: replay)
    #expect(end(replay).count == 1)
    #expect(try Data(contentsOf: place) == before)
  }

  @Test func `everything anew leaves nothing of before`() async throws {
    try makeCassette()
    let live = try fixture("all")
    #expect(live.unusedRecordings == [])
    #expect(try await get("feed", by: live) == "live /feed")
    #expect(end(live) == [])
    #expect(try fixture(nil).unusedRecordings.count == 1)
  }

  @Test func `everything anew keeps what was there when nothing was recorded`() throws {
    try makeCassette()
    #expect(end(try fixture("all")) == [])
    #expect(try fixture(nil).unusedRecordings.map(\.target) == ["/feed"])
  }

  @Test func `what can't be stored fails the test`() async throws {
    try makeCassette()
    let live = try fixture("new-episodes")
    #expect(try await get("items", by: live) == "live /items")
    let problems = end(live)
    #expect(problems.count == 1)
    #expect(problems[0].contains("has recordings of https://feed.example alone"))
  }

  @Test func `a CI is refused, and so is an unknown word`() {
    for environment in [
      ["FIXTURED_RECORD": "all", "CI": "true"], ["FIXTURED_RECORD": "everything"],
    ] {
      #expect(throws: RecordMode.Refusal.self) {
        try self.plan.makeFixture(environment: environment)
      }
    }
  }

  @Test func `a cassette written beside a test is never recorded`() throws {
    let plan = FixturePlan([.cassette([.get("/feed", .text("feed"))])])
    let fixture = try plan.makeFixture(environment: ["FIXTURED_RECORD": "all"])
    #expect(fixture.recording == nil)
  }
}
