import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct PlannerRedactionTests {
  static func replay(_ exhausted: Exhausted = .repeatLast) -> Replay {
    Replay(
      [
        recording(1, request(.get, "/f?token=REDACTED-1&q=a")),
        recording(2, request(.get, "/f?token=REDACTED-2&q=a")),
        recording(3, request(.get, "/f?token=REDACTED-1&q=a")),
      ], exhausted: exhausted)
  }

  @Test func `a secret matches by presence`() {
    var replay = Self.replay()
    #expect(replay.outcome(request(.get, "/f?token=s3cret&q=a")) == "1, 1 of 3")
    #expect(replay.outcome(request(.get, "/f?q=a&token=other")) == "2, 2 of 3")
    #expect(replay.outcome(request(.get, "/f?q=a")) == "not-recorded")
    #expect(replay.outcome(request(.get, "/f?token=s3cret&q=b")) == "not-recorded")
  }

  @Test func `a placeholder narrows to recordings with the same one`() {
    var replay = Self.replay(.miss)
    #expect(replay.outcome(request(.get, "/f?token=REDACTED-2&q=a")) == "2, 1 of 1")
    #expect(replay.outcome(request(.get, "/f?token=REDACTED-1&q=a")) == "1, 1 of 2")
    #expect(replay.outcome(request(.get, "/f?token=REDACTED-1&q=a")) == "3, 2 of 2")
    #expect(replay.outcome(request(.get, "/f?token=REDACTED-1&q=a")) == "exhausted")
    #expect(replay.outcome(request(.get, "/f?token=REDACTED-9&q=a")) == "differs")
    // The places of live secrets are counted for themselves.
    #expect(replay.outcome(request(.get, "/f?token=s3cret&q=a")) == "1, 1 of 3")
  }

  @Test func `without redaction a value is a value`() {
    var replay = Replay([recording(1, request(.get, "/f?token=a"))], redactions: nil)
    #expect(replay.outcome(request(.get, "/f?token=a")) == "1, 1 of 1")
    #expect(replay.outcome(request(.get, "/f?token=b")) == "not-recorded")
  }

  @Test func `a miss never prints a secret`() throws {
    var replay = Self.replay()
    let plan = replay.plan(request(.get, "/g?access_token=s3cret&q=a"))
    guard case .miss(let miss) = plan else {
      Issue.record("no miss")
      return
    }
    #expect(miss.target == Array("/g?access_token=REDACTED&q=a".utf8))
    #expect(!"\(miss)".contains("s3cret"))
    #expect(!String(decoding: miss.content, as: UTF8.self).contains("s3cret"))
    #expect(!"\(plan)".contains("s3cret"))
  }
}
