import FixtureTesting
import Foundation
import XCTest

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tests that must fail, each in its own way.
final class FailingXCTests: XCTestCase {
  private let feed: Cassette = [.get("/feed", .text("feed"))]

  func testAMiss() async throws {
    let fixture = try makeFixture(feed)
    _ = try await fixture.session.data(from: URL(string: "http://feed.example/feed?page=2")!)
  }

  func testAStraggler() async throws {
    let session = try makeFixture(feed).session
    Task.detached {
      try await Task.sleep(for: .milliseconds(100))
      _ = try await session.data(from: URL(string: "http://feed.example/late")!)
    }
  }

  func testNoCassette() async throws {
    _ = try makeReplayingSession("nowhere")
  }

  func testTheNextOne() async throws {
    try await Task.sleep(for: .seconds(1))
    _ = try makeFixture(feed)
  }
}
