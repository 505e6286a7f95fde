import Testing

@testable import FixtureTesting

@Suite struct FixtureReports {
  private let report = FixtureReport(
    test: "FeedTests.Retries/twice()",
    place: "Retries.swift:12", cassette: "Cassettes/feed.db",
    scenario: "GET /feed: first 2, status 503\n*: delay 1s", seed: 42,
    clock: "manual, at 4.0 seconds",
    exchanges: [
      .init(
        number: 1, request: "GET /feed", status: 503, outcome: "completed", bytes: 0,
        interaction: nil, rules: [1, 2]),
      .init(
        number: 2, request: "GET /feed", status: 200, outcome: "completed", bytes: 120,
        interaction: 7, rules: [2]),
      .init(
        number: 3, request: "GET /other", status: nil, outcome: "open", bytes: 0,
        interaction: nil, rules: []),
    ],
    misses: ["GET /other is not in the cassette\n  interaction 7 GET /feed, path: …"],
    unused: ["interaction 8 GET /old"])

  @Test func `a report says how to get the same again, and all that happened`() {
    #expect(
      report.text == #"""
        test FeedTests.Retries/twice() at Retries.swift:12
        cassette Cassettes/feed.db
        scenario
          GET /feed: first 2, status 503
          *: delay 1s
        seed 42, clock manual, at 4.0 seconds
        reproduce it with: swift test --filter 'FeedTests\.Retries/twice\(\)'

        exchanges:
          1 GET /feed: 503, completed, 0 bytes, rules 1 2
          2 GET /feed: 200, completed, 120 bytes, interaction 7, rule 2
          3 GET /other: no status, open, 0 bytes

        not in the cassette:
          GET /other is not in the cassette
            interaction 7 GET /feed, path: …

        recordings never used:
          interaction 8 GET /old

        """#)
  }

  @Test func `what there is nothing of is left out`() {
    var report = report
    report.scenario = nil
    report.exchanges = []
    report.misses = []
    report.unused = []
    #expect(
      report.text == #"""
        test FeedTests.Retries/twice() at Retries.swift:12
        cassette Cassettes/feed.db
        seed 42, clock manual, at 4.0 seconds
        reproduce it with: swift test --filter 'FeedTests\.Retries/twice\(\)'

        no request came

        """#)
  }

  @Test func `a name with an apostrophe can be pasted into a shell`() {
    #expect(
      FixtureReport.command(running: "A.B/`it's (one) of 2+2`()")
        == #"swift test --filter 'A\.B/`it'\''s \(one\) of 2\+2`\(\)'"#)
  }
}
