import Feed
import FixtureTesting
import Foundation
import Testing

private let items = [
  Feed.Item(id: 1, title: "Swallows are back"), Feed.Item(id: 2, title: "Rain tomorrow"),
]

/// Every test has a replay of `Cassettes/feed.db` and a clock of its own; all run at once.
@Suite(.cassette("feed"), .clock(.manual), .timeLimit(.minutes(1)))
struct FeedTests {
  private let fixture: Fixture
  private let api: FeedAPI<FixtureClock>

  init() throws {
    fixture = try #require(Fixture.current)
    api = FeedAPI(session: fixture.session, clock: fixture.clock)
  }

  @Test func `the feed is what the server says`() async throws {
    #expect(try await api.feed().items == items)
    #expect(fixture.exchanges.map(\.target) == ["/feed"])
  }

  @Test func `a fresh feed is not asked for again, a stale one is revalidated`() async throws {
    _ = try await api.feed()
    await fixture.clock.advance(by: .seconds(59))
    _ = try await api.feed()
    #expect(fixture.exchanges.count == 1)
    await fixture.clock.advance(by: .seconds(2))
    #expect(try await api.feed().items == items)
    #expect(fixture.exchanges.map(\.status) == [200, 304])
    #expect(fixture.exchanges.last?.header("If-None-Match") == "\"v1\"")
    #expect(fixture.exchanges.last?.bodyBytesSent == 0)
  }

  @Test(.scenario("GET /feed: age 58s"))
  func `a feed that was old when it came is stale sooner`() async throws {
    _ = try await api.feed()
    await fixture.clock.advance(by: .seconds(3))
    _ = try await api.feed()
    #expect(fixture.exchanges.map(\.status) == [200, 304])
  }

  @Test(.scenario("GET /feed: first 2, status 503, retry-after 2s"))
  func `Retry-After is waited for, and not a moment longer`() async throws {
    async let feed = api.feed()
    try await fixture.waitForExchanges(3, advancing: .seconds(4))
    #expect(try await feed.items == items)
    #expect(fixture.exchanges.map(\.status) == [503, 503, 200])
    #expect(fixture.exchanges.map(\.received.offset) == [.zero, .seconds(2), .seconds(4)])
  }

  @Test(.scenario("GET /feed: status 503, retry-after 20s"))
  func `no attempt begins after the budget`() async throws {
    let task = Task { try await api.feed() }
    try await fixture.waitForExchanges(2, advancing: .seconds(20))
    await #expect(throws: FeedAPI<FixtureClock>.Failure.status(503)) { try await task.value }
    #expect(fixture.exchanges.count == 2)
  }

  @Test(.scenario("GET /feed: first 1, reset"))
  func `a lost connection is tried again`() async throws {
    async let feed = api.feed()
    try await fixture.waitForExchanges(2, advancing: .seconds(1))
    #expect(try await feed.items == items)
    #expect(fixture.exchanges.map(\.outcome) == [.reset, .completed])
  }

  @Test(.scenario("GET /feed: stall 60s at 50%"))
  func `a stall of a minute costs nothing`() async throws {
    async let feed = api.feed()
    try await fixture.waitForExchanges(1, advancing: .seconds(60))
    #expect(try await feed.items == items)
  }

  @Test(.scenario("GET /feed: hold answer"))
  func `a cancelled request is not tried again`() async throws {
    let task = Task { try await api.feed() }
    try await fixture.gate("answer").waitUntilEntered()
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    try await fixture.waitUntilSettled()
    await fixture.clock.advance(by: .seconds(60))
    #expect(fixture.exchanges.map(\.outcome) == [.aborted])
  }

  @Test(.scenario("GET /feed: status 503, retry-after 20s"))
  func `a cancelled client does not wait any longer`() async throws {
    let task = Task { try await api.feed() }
    try await fixture.clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
