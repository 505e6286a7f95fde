import FixtureStub
import Foundation
import Testing

/// What a fixture says of its client.
@Suite struct Verdicts {
  private let rule: FixtureScenario = "GET /a: first 1, status 503, retry-after 900s"

  @Test func `who comes back too early is told`() async throws {
    let fixture = try Fixture(.get("/a", .text("a")), scenario: rule)
    for status in [503, 200] { #expect(try await fixture.session.answer("/a").status == status) }
    #expect(fixture.verdict.findings(of: .retryAfter).map(\.exchanges) == [[1, 2]])
    #expect(fixture.verdict(.init(attemptsMax: 2)).findings(of: .attempts).isEmpty)
    #expect(
      fixture.verdict(.init(attemptsMax: 1)).findings(of: .attempts).map(\.exchanges) == [[1, 2]])
  }

  /// The times are those of the fixture's clock.
  @Test func `who waits on the clock as long as it was told is not`() async throws {
    let clock = FixtureClock.manual
    let fixture = try Fixture(.get("/a", .text("a")), scenario: rule, clock: clock)
    #expect(try await fixture.session.answer("/a").status == 503)
    await clock.advance(by: .seconds(900))
    #expect(try await fixture.session.answer("/a").status == 200)
    #expect(fixture.verdict.findings.isEmpty, "\(fixture.verdict)")
    #expect(fixture.verdict.judged == 2)
  }

  /// The members of a server's exchange.
  @Test func `an exchange tells how long its client waited, and whether it was a miss`()
    async throws
  {
    let fixture = try Fixture(
      .get("/a", .text("hello")), scenario: "GET /a: delay 2s, stall 3s at 2B", clock: .immediate)
    for path in ["/a", "/b"] { _ = try await fixture.session.answer(path) }
    #expect(fixture.exchanges.map(\.timeToHead) == [.seconds(2), .zero])
    #expect(fixture.exchanges.map(\.lateness) == [.zero, .zero])
    #expect(fixture.exchanges.map(\.duration) == [.seconds(5), .zero])
    #expect(fixture.exchanges.map(\.interaction) == [1, nil])
    #expect(fixture.exchanges.map(\.isMiss) == [false, true])
  }

  @Test func `validators, misses, unused recordings and what comes after the end`() async throws {
    let fixture = try Fixture(
      .get("/a", .text("a", headers: [("ETag", "\"1\"")])), .get("/b", .text("b")))
    for path in ["/a", "/a", "/c"] { _ = try? await fixture.session.answer(path) }
    fixture.finish()
    _ = try await fixture.session.failure("/b")
    let verdict = fixture.verdict
    #expect(verdict.failed == [.revalidation, .afterEnd, .unused, .misses])
    #expect(verdict.findings(of: .afterEnd).map(\.text).first?.contains("/b") == true)
  }
}
