import FixtureTesting
import Foundation
import XCTest

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

final class XCTestHelperTests: XCTestCase {
  private let feed: Cassette = [.get("/feed", .text("feed"))]
  private let url = URL(string: "http://feed.example/feed")!

  func testAFixtureReplaysAndKnowsWhatWasAsked() async throws {
    let fixture = try makeFixture(
      feed, scenario: "GET /feed: first 1, delay 60s", clock: .immediate)
    let (data, _) = try await fixture.session.data(from: url)
    XCTAssertEqual(String(decoding: data, as: UTF8.self), "feed")
    XCTAssertEqual(fixture.exchanges.map(\.status), [200])
    XCTAssertGreaterThanOrEqual(fixture.clock.now.offset, .seconds(60))
  }

  func testSeveralFixturesDoNotKnowOfEachOther() async throws {
    let (first, second) = (try makeFixture(feed), try makeFixture(feed))
    _ = try await first.session.data(from: url)
    XCTAssertEqual(first.exchanges.count, 1)
    XCTAssertEqual(second.exchanges.count, 0)
  }

  func testAMissCanBeLookedAt() async throws {
    let fixture = try makeFixture(feed, failsOnMiss: false)
    let (_, response) = try await fixture.session.data(from: url.appending(path: "other"))
    XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 501)
    XCTAssertEqual(fixture.misses.count, 1)
  }
}
