import FixtureTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private let feed: Cassette = [.get("/feed", .text("feed")), .get("/old", .text("old"))]

/// Tests that must fail, each in its own way. `Tests/Acceptance/test_example.py` reads what they
/// say.
@Suite struct FailingTests {
  private func get(_ path: String) async throws -> URL {
    let url = URL(string: "http://feed.example\(path)")!
    _ = try await Fixture.current?.session.data(from: url)
    return url
  }

  @Test(.cassette(feed)) func aMiss() async throws {
    _ = try await get("/feed?page=2")
  }

  @Test(.cassette(feed), .usingEveryRecording) func unused() async throws {
    _ = try await get("/feed")
  }

  @Test(.cassette("nowhere")) func noCassette() {
    Issue.record("the test ran")
  }

  @Test(.cassette(feed), .scenario("GET /feed: perhaps")) func noScenario() {
    Issue.record("the test ran")
  }

  @Test(.cassette(feed), .scenario("seed 42\nGET /feed: status 503"))
  func anExpectation() async throws {
    _ = try await get("/feed")
    #expect(Fixture.current?.exchanges.map(\.status) == [200])
  }

  @Test(.cassette(feed)) func anError() async throws {
    _ = try await get("/feed")
    throw CancellationError()
  }

  /// The session outlives the test, as one that the app keeps does.
  @Test(.cassette(feed)) func aStraggler() async throws {
    let session = try #require(Fixture.current?.session)
    Task.detached {
      try await Task.sleep(for: .milliseconds(200))
      _ = try await session.data(from: URL(string: "http://feed.example/late")!)
    }
  }

  /// So that the straggler has somebody to come before.
  @Test func waits() async throws {
    try await Task.sleep(for: .seconds(2))
  }
}
