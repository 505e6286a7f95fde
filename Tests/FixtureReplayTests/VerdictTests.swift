import FixtureHTTP
import Testing

@testable import FixtureReplay

/// Each check with a client that deserves it and one that does not.
@Suite struct VerdictTests {
  // MARK: Retries

  @Test(
    arguments: [
      (
        "2", Int64(1990),
        [
          "retry-after: GET /feed was repeated after 1980ms, its answer said after 2 s "
            + "(exchanges 1, 2)"
        ]
      ),
      ("2", 2010, []),
      // 784111777 is Sun, 06 Nov 1994 08:49:37 GMT.
      (
        "Sun, 06 Nov 1994 08:49:39 GMT", 1500,
        [
          "retry-after: GET /feed was repeated 500ms before the date its answer gave, "
            + "Sun, 06 Nov 1994 08:49:39 GMT (exchanges 1, 2)"
        ]
      ),
      ("Sun, 06 Nov 1994 08:49:39 GMT", 2000, []),
      // Further away than nanoseconds can count.
      (
        "Fri, 31 Dec 9999 23:59:59 GMT", 1500,
        [
          "retry-after: GET /feed was repeated 9223372035354ms before the date its answer gave, "
            + "Fri, 31 Dec 9999 23:59:59 GMT (exchanges 1, 2)"
        ]
      ),
      ("soon", 20, []),
    ] as [(String, Int64, [String])])
  func `a repeat is judged by the Retry-After before it`(
    value: String, at: Int64, expected: [String]
  ) {
    var story = Story()
    story.exchange("GET /feed", from: 0, to: 10, 503, [("Retry-After", value)])
    story.exchange("GET /feed", from: at, to: at + 1)
    #expect(story.findings(.retryAfter) == expected)
  }

  @Test func `another request does not have to wait`() {
    var story = Story()
    story.exchange("GET /feed", from: 0, to: 10, 503, [("Retry-After", "2")])
    story.exchange("GET /user", from: 20, to: 21)
    // Under way before the answer came.
    story.exchange("GET /feed", from: 5, to: 21)
    #expect(Verdict(story.journal).failed == [])
  }

  @Test func `a failed request that is repeated at once is told`() {
    var story = Story()
    story.exchange("GET /feed", from: 0, to: 10, nil, [], ending: .reset)
    story.exchange("GET /feed", from: 12, to: 13)
    story.exchange("GET /user", from: 0, to: 10, 503)
    story.exchange("GET /user", from: 60, to: 61)
    // It had not failed.
    story.exchange("GET /news", from: 0, to: 10)
    story.exchange("GET /news", from: 11, to: 12)
    #expect(
      story.findings(.retryAtOnce)
        == ["retry-at-once: GET /feed was repeated 2ms after it had failed (exchanges 1, 2)"])
  }

  @Test func `gaps between attempts must grow`() {
    var steady = Story()
    var growing = Story()
    for number in 0..<4 as Range<Int64> {
      steady.exchange("GET /feed", from: number * 110, to: number * 110 + 10, 503)
      let start = Int64(1 << number) * 100
      growing.exchange("GET /feed", from: start, to: start + 10, 503)
    }
    #expect(
      steady.findings(.backoff)
        == [
          "backoff: the gaps between attempts of GET /feed did not grow: 100ms, 100ms, 100ms "
            + "(exchanges 1, 2, 3, 4)"
        ])
    #expect(growing.findings(.backoff) == [])
  }

  @Test func `repeats of many that failed must be spread`() {
    var herd = Story()
    var spread = Story()
    for number in 0..<5 as Range<Int64> {
      herd.exchange("GET /\(number)", from: 0, to: 10 + number, 503, on: Int(number))
      spread.exchange("GET /\(number)", from: 0, to: 10 + number, 503, on: Int(number))
    }
    for number in 0..<5 as Range<Int64> {
      herd.exchange("GET /\(number)", from: 510 + number, to: 600, on: Int(number))
      spread.exchange("GET /\(number)", from: 510 + number * 70, to: 900, on: Int(number))
    }
    #expect(
      herd.findings(.herd)
        == [
          "herd: 5 failed requests were repeated within 4ms: their waits have no jitter "
            + "(exchanges 6, 7, 8, 9, 10)"
        ])
    #expect(spread.findings(.herd) == [])
  }

  @Test func `attempts are counted up to a success, which is one of them`() {
    var story = Story()
    story.exchange("GET /feed", from: 0, to: 10, 503)
    story.exchange("GET /feed", from: 100, to: 110, 503)
    story.exchange("GET /feed", from: 300, to: 310)
    story.exchange("GET /feed", from: 700, to: 710, 503)
    #expect(story.findings(.attempts, limits: .init(attemptsMax: 3)) == [])
    #expect(
      story.findings(.attempts, limits: .init(attemptsMax: 2))
        == ["attempts: GET /feed was tried 3 times, the limit is 2 (exchanges 1, 2, 3)"])
    story.exchange("GET /feed", from: 800, to: 810, 503)
    story.exchange("GET /feed", from: 900, to: 910, 503)
    #expect(
      story.findings(.attempts, limits: .init(attemptsMax: 2))
        == [
          "attempts: GET /feed was tried 3 times, the limit is 2 (exchanges 1, 2, 3)",
          "attempts: GET /feed was tried 3 times, the limit is 2 (exchanges 4, 5, 6)",
        ])
    #expect(story.findings(.attempts) == [])
  }

  // MARK: Writes

  @Test(
    arguments: [
      ([], [], ["without an Idempotency-Key"]),
      ([("Idempotency-Key", "k1")], [("Idempotency-Key", "k1")], []),
      (
        [("Idempotency-Key", "k1")], [("Idempotency-Key", "k2")],
        ["under another Idempotency-Key"]
      ),
    ] as [([(StaticString, String)], [(StaticString, String)], [String])])
  func `a write of unknown outcome may be repeated under its key only`(
    first: [(StaticString, String)], second: [(StaticString, String)], expected: [String]
  ) {
    var story = Story()
    story.exchange("POST /orders", first, content: "a", from: 0, to: 10, nil, [], ending: .reset)
    story.exchange("POST /orders", second, content: "a", from: 500, to: 510, 201)
    #expect(
      story.findings(.ambiguousRepeat)
        == expected.map {
          "ambiguous-repeat: POST /orders was repeated \($0), its first outcome is unknown to the "
            + "client (exchanges 1, 2)"
        })
  }

  @Test func `a write may be repeated when its outcome is known, and a PUT always`() {
    var story = Story()
    story.exchange("POST /orders", content: "a", from: 0, to: 10, 503)
    story.exchange("POST /orders", content: "a", from: 500, to: 510, 201)
    story.exchange("POST /orders", content: "b", from: 600, to: 610, nil, [], ending: .reset)
    story.exchange("POST /orders", content: "c", from: 700, to: 710, 201)
    story.exchange("PUT /orders/1", content: "a", from: 0, to: 10, nil, [], ending: .reset)
    story.exchange("PUT /orders/1", content: "a", from: 500, to: 510, 201)
    #expect(story.findings(.ambiguousRepeat) == [])
  }

  @Test func `a key is for one request`() {
    var story = Story()
    let key: [(StaticString, String)] = [("Idempotency-Key", "secret-key")]
    story.exchange("POST /orders", key, content: "a", from: 0, to: 10, 201)
    story.exchange("POST /orders", key, content: "a", from: 20, to: 30, 201)
    #expect(story.findings(.keyReuse) == [])
    story.exchange("POST /orders", key, content: "b", from: 40, to: 50, 201)
    story.exchange("POST /refunds", key, content: "a", from: 60, to: 70, 201)
    #expect(
      story.findings(.keyReuse)
        == [
          "key-reuse: the Idempotency-Key of POST /orders came again with other content "
            + "(exchanges 1, 3)",
          "key-reuse: the Idempotency-Key of POST /orders came again with another request, "
            + "POST /refunds (exchanges 1, 4)",
        ])
  }

  // MARK: Requests

  @Test func `what has a validator is asked with a condition`() {
    var story = Story()
    story.exchange("GET /feed", from: 0, to: 10, 200, [("ETag", "\"v1\"")])
    story.exchange("GET /feed", [("If-None-Match", "\"v1\"")], from: 20, to: 30, 304)
    #expect(story.findings(.revalidation) == [])
    story.exchange("GET /feed", from: 40, to: 50, 200, [("ETag", "\"v1\"")])
    #expect(
      story.findings(.revalidation)
        == [
          "revalidation: GET /feed was asked again without If-None-Match or If-Modified-Since, its "
            + "answer had an ETag (exchanges 1, 3)"
        ])
  }

  @Test(
    arguments: [
      // Not to be kept, without a validator, another variant, not whole, still under way.
      (
        [("ETag", "\"v1\""), ("Cache-Control", "no-store")], [], 200, JournalEntry.Outcome.completed
      ),
      ([], [], 200, .completed),
      ([("ETag", "\"v1\""), ("Vary", "Accept")], [("accept", "text/html")], 200, .completed),
      ([("ETag", "\"v1\"")], [], 200, .aborted),
      ([("ETag", "\"v1\"")], [], 404, .completed),
    ] as [([(StaticString, String)], [(StaticString, String)], Int, JournalEntry.Outcome)])
  func `without something to ask about no condition is missed`(
    answer: [(StaticString, String)], second: [(StaticString, String)], status: Int,
    outcome: JournalEntry.Outcome
  ) {
    var story = Story()
    story.exchange("GET /feed", from: 0, to: 10, status, answer, ending: outcome)
    story.exchange("GET /feed", second, from: 100, to: 110)
    #expect(story.findings(.revalidation) == [])
  }

  @Test func `refused credentials are not sent again`() {
    var story = Story()
    let old: [(StaticString, String)] = [("Authorization", "Bearer old-token")]
    let new: [(StaticString, String)] = [("Authorization", "Bearer new-token")]
    story.exchange("GET /me", old, from: 0, to: 10, 401)
    story.exchange("GET /me", new, from: 20, to: 30)
    story.exchange("GET /feed", new, from: 20, to: 30)
    #expect(story.findings(.staleCredentials) == [])
    story.exchange("GET /feed", old, from: 40, to: 50, 401)
    #expect(
      story.findings(.staleCredentials)
        == [
          "stale-credentials: GET /feed was sent with the credentials that GET /me was refused "
            + "with (exchanges 1, 4)"
        ])
  }

  @Test func `credentials stay with their host`() {
    var story = Story()
    let token: [(StaticString, String)] = [("Authorization", "Bearer t")]
    story.exchange("GET /a", token, from: 0, to: 10, 302, [("Location", "http://b.test/x")])
    story.exchange("GET /x", [("Host", "b.test")], from: 20, to: 30)
    story.exchange("GET /a", token, from: 40, to: 50, 302, [("Location", "/y")])
    story.exchange("GET /y", token, from: 60, to: 70)
    #expect(story.findings(.credentialsElsewhere) == [])
    story.exchange("GET /x", token + [("Host", "b.test")], from: 80, to: 90)
    #expect(
      story.findings(.credentialsElsewhere)
        == [
          "credentials-elsewhere: the Authorization of GET /a went to another host after a "
            + "redirect (exchanges 1, 5)"
        ])
  }

  @Test(
    arguments: [
      ("1000", Int64(1050), []),
      (
        "1000", 1500,
        [
          "deadline: GET /slow named a deadline of 1000ms, its client was there for "
            + "1500ms (exchange 1)"
        ]
      ),
      ("soon", 9000, []),
    ] as [(String, Int64, [String])])
  func `a client is gone at its own deadline`(value: String, end: Int64, expected: [String]) {
    var story = Story()
    story.exchange("GET /slow", [("X-Client-Deadline-Ms", value)], from: 0, to: end)
    #expect(story.findings(.deadline) == expected)
  }

  @Test(arguments: [("1S", Int64(900), 0), ("1S", 2000, 1), ("100m", 900, 1), ("5x", 9000, 0)])
  func `a deadline of gRPC counts too`(value: String, end: Int64, count: Int) {
    var story = Story()
    story.exchange("POST /rpc", [("grpc-timeout", value)], from: 0, to: end)
    #expect(story.findings(.deadline).count == count)
  }

  @Test func `connections are counted while they are in use`() {
    var story = Story()
    story.exchange("GET /1", from: 0, to: 100, on: 1)
    story.exchange("GET /2", from: 50, to: 100, on: 2)
    story.exchange("GET /3", from: 100, to: 200, on: 3)
    story.exchange("GET /4", from: 150, to: nil, nil, on: 4)
    #expect(story.findings(.connections, limits: .init(connectionsMax: 2)) == [])
    story.exchange("GET /5", from: 160, to: 170, on: 5)
    #expect(
      story.findings(.connections, limits: .init(connectionsMax: 2))
        == [
          "connections: 3 connections were in use at once, the limit is 2 (exchanges 3, 4, 5)"
        ])
  }

  /// Their end came before their beginning once, and the connection was in use for ever.
  @Test func `what is answered in no time uses its connection no longer`() {
    var story = Story()
    for number in 1...9 {
      story.exchange("GET /", from: Int64(number), to: Int64(number), on: number)
    }
    #expect(story.findings(.connections, limits: .init(connectionsMax: 1)) == [])
    story.exchange("GET /", from: 9, to: 9, on: 10)
    #expect(story.findings(.connections, limits: .init(connectionsMax: 1)).count == 1)
  }

  @Test func `misses and recordings that nobody asked for are told`() {
    var story = Story()
    story.exchange("GET /1", from: 0, to: 1, 501, source: .miss("GET /1 was not recorded"))
    story.exchange("GET /2", from: 2, to: 3, source: .interaction(1, ordinal: 1, count: 1))
    let verdict = Verdict(story.journal, unused: [7])
    #expect(verdict.failed == [.unused, .misses])
    #expect(
      verdict.description
        == """
        unused: interaction 7 was never asked for
        misses: GET /1 was not recorded (exchange 1)
        """)
  }

  @Test func `recordings that nobody asked for are told together`() {
    #expect(
      Verdict([], unused: [9, 1, 3, 4, 5]).description
        == "unused: 5 interactions were never asked for: 1, 3-5, 9")
  }

  @Test func `a verdict says what it could not see`() {
    let verdict = Verdict([], dropped: 12)
    #expect(
      verdict.description
        == "nothing against the client in 0 exchanges\n12 exchanges before these were not kept")
  }
}
