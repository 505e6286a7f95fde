import Feed
import FixtureTesting
import XCTest

/// The same in XCTest.
final class FeedXCTests: XCTestCase {
  func testTheFeedIsWhatTheServerSays() async throws {
    let session = try makeReplayingSession("feed")
    let feed = try await FeedAPI(session: session, clock: ContinuousClock()).feed()
    XCTAssertEqual(feed.items.map(\.id), [1, 2])
  }

  func testRetryAfterIsWaitedFor() async throws {
    let fixture = try makeFixture(
      "feed", scenario: "GET /feed: first 2, status 429, retry-after 2s", clock: .immediate)
    let api = FeedAPI(session: fixture.session, clock: fixture.clock)
    _ = try await api.feed()
    XCTAssertEqual(fixture.exchanges.map(\.status), [429, 429, 200])
    XCTAssertEqual(fixture.clock.now.offset, .seconds(4))
  }
}
