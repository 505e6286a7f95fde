import Testing

@testable import FixtureReplay

/// What clients may do though it looks like what they may not, beside the nearest that they may
/// not: two connections at once and two attempts of a request are allowed.
@Suite struct InnocentClientTests {
  typealias Fields = [(StaticString, String)]

  private let wait: Fields = [("Retry-After", "2")]
  private let tagged: Fields = [("ETag", "\"v1\"")]

  // MARK: Attempts

  @Test func `equal requests that go beside each other are no repeats`() {
    var story = Story()
    for number in 1...2 { story.exchange("GET /a", from: 0, to: 10, 503, on: number) }
    for number in 1...2 { story.exchange("GET /a", from: 300, to: 310, 503, on: number) }
    #expect(story.failed == [])
    story.exchange("GET /a", from: 900, to: 910)
    #expect(story.failed == [.attempts])
  }

  @Test func `each of them waits from its own answer on`() {
    var story = Story()
    story.exchange("GET /a", from: 0, to: 10, 503, wait)
    story.exchange("GET /a", from: 0, to: 500, 503, wait, on: 2)
    story.exchange("GET /a", from: 2015, to: 2020)
    story.exchange("GET /a", from: 2505, to: 2510, on: 2)
    #expect(story.failed == [])
  }

  @Test func `once it has worked it may be asked again`() {
    var story = Story()
    story.exchange("GET /a", from: 0, to: 10, 503, wait)
    story.exchange("GET /a", from: 5, to: 50, on: 2)
    story.exchange("GET /a", from: 51, to: 60)
    #expect(story.failed == [])
  }

  @Test func `others, and other methods, are other requests`() {
    var story = Story()
    story.exchange("GET /a", [("Authorization", "Bearer 1")], from: 0, to: 10, 503, wait)
    story.exchange("GET /a", [("Authorization", "Bearer 2")], from: 11, to: 20, 503, wait)
    story.exchange("HEAD /a", from: 21, to: 30, 503, wait)
    story.exchange("GET /a", from: 31, to: 40, 503, wait)
    story.exchange("GET /a", [("Host", "b.test")], from: 41, to: 50, 503, wait)
    #expect(story.failed == [])
  }

  @Test func `a wait counts from when its head was sent, however late that was`() {
    var slow = Story()
    slow.exchange("GET /a", from: 0, to: 1800, 503, wait, head: 800)
    slow.exchange("GET /a", from: 2791, to: 2800)
    #expect(slow.failed == [])
    var early = Story()
    early.exchange("GET /a", from: 0, to: 1800, 503, wait, head: 800)
    early.exchange("GET /a", from: 2780, to: 2790)
    #expect(
      early.findings(.retryAfter)
        == [
          "retry-after: GET /a was repeated after 1980ms, its answer said after 2 s (exchanges 1, 2)"
        ])
  }

  /// The client of a server whose clock stands at another time counts from its `Date`.
  @Test(arguments: [(Int64(1995), 0), (1500, 1)])
  func `a date is as far away as the answer says`(at: Int64, count: Int) {
    var story = Story()
    let dates: Fields = [
      ("Date", "Fri, 31 Jan 2031 12:00:00 GMT"), ("Retry-After", "Fri, 31 Jan 2031 12:00:02 GMT"),
    ]
    story.exchange("GET /a", from: 0, to: 0, 503, dates)
    story.exchange("GET /a", from: at, to: at + 10)
    #expect(story.findings(.retryAfter).count == count)
  }

  @Test func `who may come again at once does`() {
    var story = Story()
    for (number, status) in [408, 425, 503].enumerated() {
      let start = Int64(number) * 100
      let answer: Fields = status == 503 ? [("Retry-After", "0")] : []
      story.exchange("GET /\(status)", from: start, to: start + 10, status, answer)
      story.exchange("GET /\(status)", from: start + 11, to: start + 20)
    }
    // Not to the same URL.
    story.exchange("GET /b", from: 400, to: 410, 301, [("Location", "/c")] + wait)
    story.exchange("GET /b", from: 411, to: 420, 301, [("Location", "/c")])
    #expect(story.failed == [])
  }

  @Test func `work that is not done yet is asked for as often as it takes`() {
    var story = Story()
    for number in 0..<5 as Range<Int64> {
      story.exchange("GET /job", from: number * 2010, to: number * 2010 + 5, 202, wait)
    }
    #expect(story.failed == [])
    story.exchange("GET /job", from: 8050, to: 8060)
    #expect(story.failed == [.retryAfter])
  }

  /// As libraries do of their own accord when the server has given up a kept connection.
  @Test func `a request that got lost on a kept connection is sent again on another`() {
    var story = Story()
    story.exchange("GET /a", from: 0, to: 10)
    story.exchange("GET /a", from: 100, to: 110, 503)
    story.exchange("GET /a", from: 400, to: 401, nil, ending: .reset, as: 3)
    story.exchange("GET /a", from: 402, to: 410, on: 2)
    #expect(story.failed == [])
    // The new one was refused as well.
    story.exchange("GET /b", from: 500, to: 501, nil, ending: .closed, as: 4)
    story.exchange("GET /b", from: 502, to: 503, nil, on: 2, ending: .closed)
    story.exchange("GET /b", from: 504, to: 510, on: 3)
    #expect(
      story.findings(.retryAtOnce)
        == ["retry-at-once: GET /b was repeated 1ms after it had failed (exchanges 6, 7)"])
    // A part of an answer was there; nobody but the app may repeat a POST.
    story.exchange("GET /c", from: 600, to: 601, 200, ending: .reset, as: 4)
    story.exchange("GET /c", from: 602, to: 610, on: 2)
    story.exchange("POST /d", from: 700, to: 701, nil, ending: .closed, as: 5)
    story.exchange("POST /d", from: 702, to: 710, on: 2)
    #expect(story.findings(.retryAtOnce).count == 3)
    #expect(story.findings(.ambiguousRepeat).count == 1)
  }

  @Test func `who has changed its mind may change it back`() {
    var story = Story()
    for number in 0..<6 as Range<Int64> {
      let word = "GET /search?q=\(number)"
      story.exchange(word, from: number * 100, to: number * 100 + 50, nil, ending: .aborted)
    }
    for number in 0..<6 as Range<Int64> {
      story.exchange("GET /search?q=\(number)", from: 551 + number, to: 551 + number)
    }
    #expect(story.failed == [])
    // Its deadline had passed: that is a failure.
    let deadline: Fields = [("X-Client-Deadline-Ms", "1000")]
    story.exchange("GET /a", deadline, from: 1000, to: 2001, nil, ending: .aborted)
    story.exchange("GET /a", deadline, from: 2002, to: 2010)
    #expect(story.failed == [.retryAtOnce])
  }

  @Test func `waits that are drawn may shrink, and who polls has no waits`() {
    var drawn = Story()
    for start in [0, 700, 1000, 2900] as [Int64] {
      drawn.exchange("GET /a", from: start, to: start + 10, 503)
    }
    #expect(drawn.findings(.backoff) == [])
    var polling = Story()
    for number in 0..<8 as Range<Int64> {
      polling.exchange(
        "GET /a", from: number * 5000, to: number * 5000 + 10, number % 2 == 0 ? 503 : 200)
    }
    #expect(polling.failed == [])
  }

  @Test func `who was told when to come is no herd`() {
    var told = Story()
    var untold = Story()
    for start in [0, 2011] as [Int64] {
      for number in 1...5 {
        told.exchange("GET /\(number)", from: start, to: start + 1, 503, wait, on: 1)
        untold.exchange("GET /\(number)", from: start, to: start + 1, 503, on: 1)
      }
    }
    #expect(told.failed == [])
    #expect(untold.failed == [.herd])
  }

  // MARK: Writes

  @Test func `the same content may be spelled otherwise`() {
    var story = Story()
    let json: Fields = [("Idempotency-Key", "k"), ("Content-Type", "application/json")]
    let contents = [#"{"a":1,"b":[2]}"#, #"{ "b": [2.0], "a": 1 }"#]
    for (number, content) in contents.enumerated() {
      let start = Int64(number) * 1000
      story.exchange("POST /a", json, content: content, from: start, to: start + 10, 503)
    }
    for boundary in ["x", "yy"] {
      let form: Fields = [
        ("Idempotency-Key", "m"), ("Content-Type", "multipart/form-data; boundary=\(boundary)"),
      ]
      let part = "--\(boundary)\r\nContent-Disposition: form-data; name=n\r\n\r\n1\r\n"
      story.exchange(
        "POST /a", form, content: part + "--\(boundary)--\r\n", from: 3000, to: 3010, 201)
    }
    #expect(story.failed == [])
    story.exchange("POST /a", json, content: #"{"a":2,"b":[2]}"#, from: 5000, to: 5010, 201)
    #expect(story.failed == [.attempts, .keyReuse])
  }

  @Test func `a key goes along with a redirect, and everybody has keys of their own`() {
    var story = Story()
    let key: Fields = [("Idempotency-Key", "1")]
    story.exchange("POST /a", key, content: "x", from: 0, to: 10, 307, [("Location", "/b")])
    story.exchange("POST /b", key, content: "x", from: 11, to: 20, 303, [("Location", "/c")])
    story.exchange("GET /c", key, from: 21, to: 30)
    let other: Fields = key + [("Authorization", "Bearer 2")]
    story.exchange("POST /b", other, content: "y", from: 40, to: 50, 201)
    #expect(story.failed == [])
  }

  @Test func `equal writes of two users are two, and so are those with two keys`() {
    var story = Story()
    for user in 1...2 {
      story.exchange(
        "POST /a", [("Authorization", "Bearer \(user)")], content: "x", from: Int64(user) * 100,
        to: Int64(user) * 100 + 10, nil, ending: .reset)
    }
    // Its end was noticed late.
    let key: Fields = [("Idempotency-Key", "k0")]
    story.exchange("POST /c", key, content: "x", from: 300, to: 320, nil, ending: .aborted)
    story.exchange("POST /c", key, content: "x", from: 310, to: 330, 201, on: 2)
    story.exchange("POST /c", content: "x", from: 340, to: 350, 201)
    for key in ["k1", "k2"] {
      story.exchange("POST /b", [("Idempotency-Key", key)], content: "x", from: 400, to: 410, 503)
    }
    #expect(story.failed == [])
  }

  @Test func `who was refused before the content, or has read the head, knows the outcome`() {
    var story = Story()
    story.exchange(
      "POST /a", [("Expect", "100-continue")], from: 0, to: 10, 417, ending: .closed, isRead: false)
    story.exchange("POST /a", content: "x", from: 100, to: 110, 201)
    story.exchange("POST /b", content: "x", from: 200, to: 210, 201, ending: .aborted)
    story.exchange("POST /b", content: "x", from: 300, to: 310, 201)
    story.exchange("POST /c", content: "x", from: 400, to: 410, 401)
    story.exchange("POST /c", [("Authorization", "t")], content: "x", from: 500, to: 510, 201)
    #expect(story.findings(.ambiguousRepeat) == [])
  }

  // MARK: Requests

  @Test(
    arguments: [
      // Another user; what is there now; an answer that fits nobody else.
      ([("Authorization", "Bearer 2")], []), ([("Cache-Control", "no-cache")], []),
      ([("Cache-Control", "max-age=0, no-store")], []), ([], [("Vary", "*")]),
    ] as [(Fields, Fields)])
  func `not every answer can be asked about`(_ second: Fields, _ answer: Fields) {
    var story = Story()
    story.exchange("GET /a", from: 0, to: 10, 200, tagged + answer)
    story.exchange("GET /a", second, from: 20, to: 30)
    #expect(story.failed == [])
  }

  @Test(
    arguments: [
      ("PUT /a", 204, []), ("POST /b", 201, [("Location", "/a")]),
      ("POST /b", 200, [("Content-Location", "http://A.test:80/a")]), ("GET /a", 200, []),
      ("GET /a", 404, []),
    ] as [(String, Int, Fields)])
  func `what a client has forgotten it can't ask about`(
    _ line: String, _ status: Int, _ answer: Fields
  ) {
    var story = Story()
    story.exchange("GET /a", from: 0, to: 10, 200, tagged)
    story.exchange(
      line, line == "GET /a" ? [("If-None-Match", "\"v1\"")] : [], from: 20, to: 30, status, answer)
    story.exchange("GET /a", from: 40, to: 50, 200, tagged)
    #expect(story.failed == [])
    story.exchange("GET /a", from: 60, to: 70, 200, tagged)
    #expect(story.failed == [.revalidation])
  }

  @Test func `what is fetched ahead, looked at, or forgotten by the journal is no matter`() {
    var story = Story()
    story.exchange("GET /a", [("Sec-Purpose", "prefetch")], from: 0, to: 30, 200, tagged)
    story.exchange("GET /a", from: 10, to: 30, 200, tagged, on: 2)
    story.exchange("HEAD /b", from: 40, to: 50, 200, tagged)
    story.exchange("GET /b", from: 60, to: 70, 200, tagged)
    #expect(story.failed == [])
    story.journal.reset()
    story.exchange("GET /b", from: 80, to: 90)
    #expect(story.failed == [])
  }

  @Test func `a token that was refused may be renewed, and may do elsewhere`() {
    var story = Story()
    let token: Fields = [("Authorization", "Bearer old")]
    story.exchange("GET /a", token, from: 0, to: 10, 401)
    story.exchange("GET /b", token, from: 5, to: 20, 401, on: 2)
    story.exchange("POST /token", token, from: 30, to: 40, 200)
    story.exchange("GET /c", [("Authorization", "DPoP t"), ("DPoP", "1")], from: 50, to: 60, 401)
    story.exchange("GET /c", [("Authorization", "DPoP t"), ("DPoP", "2")], from: 70, to: 80)
    #expect(story.failed == [])
  }

  @Test func `a refused token is told where it is refused again, or sent to the same`() {
    for target in ["/a", "/b"] {
      var story = Story()
      let token: Fields = [("Authorization", "Bearer old")]
      story.exchange("GET /a", token, from: 0, to: 10, 401)
      story.exchange("GET \(target)", token, from: 20, to: 30, target == "/a" ? 200 : 401)
      #expect(story.failed == [.staleCredentials])
    }
  }

  /// `Location` of the redirect, then host, target and whether something is told.
  @Test(
    arguments: [
      ("http://a.test:80/x", "a.test", "/x", false), ("/x", "a.test", "/x", false),
      // Cookies know no ports, and may be those of a domain.
      ("http://a.test:81/x", "a.test:81", "/x", false),
      ("http://www.a.test/x", "www.a.test", "/x", false),
      // The app asked for it by itself.
      ("http://b.test/x", "b.test", "/other", false),
      ("http://b.test/x", "b.test", "/x", true), ("//b.test/x?y#z", "B.test:80", "/x?y", true),
      ("http://u@b.test", "b.test", "/", true), ("http://127.0.0.2/x", "127.0.0.2", "/x", true),
    ] as [(String, String, String, Bool)])
  func `cookies go where they belong`(
    _ location: String, _ host: String, _ target: String, _ isTold: Bool
  ) {
    var story = Story()
    story.exchange("GET /", [("Cookie", "s=1")], from: 0, to: 10, 302, [("Location", location)])
    story.exchange("GET \(target)", [("Cookie", "s=1"), ("Host", host)], from: 20, to: 30)
    #expect(story.failed == (isTold ? [.credentialsElsewhere] : []))
  }

  @Test func `credentials that a host had before are its own`() {
    var story = Story()
    let token: Fields = [("Authorization", "Bearer t")]
    story.exchange("GET /y", token + [("Host", "b.test")], from: 0, to: 10)
    for start in [20, 60] as [Int64] {
      story.exchange("GET /", token, from: start, to: start, 302, [("Location", "http://b.test/x")])
      story.exchange("GET /x", token + [("Host", "b.test")], from: start + 20, to: start + 30)
    }
    #expect(story.failed == [])
    // The port is another origin.
    story.exchange("GET /", token, from: 100, to: 110, 302, [("Location", "http://a.test:81/")])
    story.exchange("GET /", token + [("Host", "a.test:81")], from: 120, to: 130)
    #expect(story.failed == [.credentialsElsewhere])
  }

  @Test func `what is under way at the end, or never ended, is held against nobody`() {
    var story = Story()
    story.exchange("GET /a", [("X-Client-Deadline-Ms", "5")], from: 0, to: 105)
    story.exchange("POST /b", from: 90, to: nil, nil)
    story.exchange("POST /b", from: 100, to: 210, nil, on: 2, ending: .stopped)
    story.exchange("POST /b", from: 211, to: 220, on: 2)
    #expect(Verdict(story.journal, limits: .init(connectionsMax: 2)).failed == [])
  }
}
