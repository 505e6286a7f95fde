import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

/// What counts is what the options say.
@Suite struct PlannerMatchTests {
  static func replay(
    _ match: String, _ interactions: Interaction..., redactions: [String]? = []
  ) throws -> Replay {
    Replay(interactions, redactions: redactions, match: try MatchOptions(match))
  }

  static func get(_ target: String, _ lines: (StaticString, String)...) -> RequestHead {
    var fields = FieldSection()
    for (name, value) in lines { fields.append(name, value) }
    return request(.get, target, fields)
  }

  @Test func `the query can be left out, and names of it`() throws {
    let recorded = recording(1, Self.get("/s?a=1&ts=5"))
    var none = try Self.replay("-query", recorded)
    #expect(none.outcome(Self.get("/s?b")) == "1, 1 of 1")
    #expect(none.outcome(Self.get("/s")) == "1, 1 of 1")
    #expect(none.outcome(Self.get("/t?a=1&ts=5")) == "not-recorded")
    var ignoring = try Self.replay("+query-ignore:ts", recorded, recording(2, Self.get("/s?ts=7")))
    #expect(ignoring.outcome(Self.get("/s?t%73=6&a=1")) == "1, 1 of 1")
    #expect(ignoring.outcome(Self.get("/s?a=1")) == "1, 1 of 1")
    #expect(ignoring.outcome(Self.get("/s?a=2&ts=5")) == "not-recorded")
    #expect(ignoring.outcome(Self.get("/s?a=1&TS=5")) == "not-recorded")
    // All that is left is as good as no query.
    #expect(ignoring.outcome(Self.get("/s")) == "2, 1 of 1")
    #expect(ignoring.outcome(Self.get("/s?")) == "not-recorded")
  }

  @Test func `the path can be left out, and the method but for HEAD`() throws {
    var path = try Self.replay("-path", recording(1, Self.get("/a?x=1")))
    #expect(path.outcome(Self.get("/b?x=1")) == "1, 1 of 1")
    #expect(path.outcome(Self.get("/b?x=2")) == "not-recorded")
    var method = try Self.replay("-method", recording(1, request(.post, "/a")))
    #expect(method.outcome(request(.put, "/a")) == "1, 1 of 1")
    #expect(method.outcome(request(.head, "/a")) == "not-recorded")
  }

  @Test func `content can be left out`() throws {
    let post = request(.post, "/a")
    var replay = try Self.replay(
      "-content", recording(1, post, sent: body(1, "one")), recording(2, post),
      recording(3, post, sent: body(2, "a begin"), notes: [.requestCut]))
    #expect(replay.outcome(post, .pending(expectsContinue: false)) == "needs content")
    #expect(replay.outcome(post, content("two")) == "1, 1 of 3")
    #expect(replay.outcome(post) == "2, 2 of 3")
    #expect(replay.outcome(post, content("one")) == "3, 3 of 3")
  }

  @Test func `places of content can be ignored`() throws {
    let post = request(.post, "/a", section(("Content-Type", "application/json")))
    var replay = Replay(
      [recording(1, post, sent: body(10, #"{"ts":1,"a":2}"#))],
      contents: [10: Array(#"{"ts":1,"a":2}"#.utf8)],
      match: try MatchOptions("+content-ignore:/ts"))
    #expect(replay.outcome(post, held(#"{"a":2,"ts":{"x":1}}"#)) == "1, 1 of 1")
    #expect(replay.outcome(post, held(#"{"a":2}"#)) == "1, 1 of 1")
    #expect(replay.outcome(post, held(#"{"a":3,"ts":1}"#)) == "differs")
  }

  @Test func `a field counts when it is asked for, each value with its own sequence`() throws {
    func version(_ value: String?) -> RequestHead {
      value.map { Self.get("/a", ("X-Version", $0)) } ?? Self.get("/a")
    }
    var replay = try Self.replay(
      "+header:x-version", recording(1, version("1")), recording(2, version("2")),
      recording(3, version("1")), recording(4, version(nil)))
    #expect(replay.outcome(version("2")) == "2, 1 of 1")
    #expect(replay.outcome(Self.get("/a", ("x-version", "1"))) == "1, 1 of 2")
    #expect(replay.outcome(version("1")) == "3, 2 of 2")
    #expect(replay.outcome(version(nil)) == "4, 1 of 1")
    #expect(replay.outcome(version("")) == "differs")
    #expect(replay.outcome(version("3")) == "differs")
    var standard = try Self.replay("method,path", recording(1, version("1")))
    #expect(standard.outcome(version("2")) == "1, 1 of 1")
  }

  @Test func `lines of one name are one value, a media type is what it means`() throws {
    var accept = try Self.replay(
      "+header:Accept", recording(1, Self.get("/a", ("Accept", "a/b,c/d ,  e/f"))))
    #expect(
      accept.outcome(Self.get("/a", ("Accept", "a/b, c/d"), ("X", "y"), ("accept", "e/f")))
        == "1, 1 of 1")
    #expect(accept.outcome(Self.get("/a", ("Accept", "c/d, a/b, e/f"))) == "differs")
    var type = try Self.replay(
      "+header:Content-Type",
      recording(1, Self.get("/a", ("Content-Type", "multipart/form-data; boundary=a"))),
      recording(2, Self.get("/a", ("Content-Type", "text/plain; charset=utf-8"))))
    #expect(
      type.outcome(
        Self.get("/a", ("Content-Type", "Multipart/form-data; charset=utf-8; boundary=\"b c\"")))
        == "1, 1 of 1")
    #expect(
      type.outcome(Self.get("/a", ("Content-Type", "text/plain;Charset=\"UTF-8\"")))
        == "2, 1 of 1")
    #expect(type.outcome(Self.get("/a", ("Content-Type", "text/plain"))) == "differs")
  }

  @Test func `a redacted field counts by presence, or by its placeholder`() throws {
    func bearer(_ secret: String) -> RequestHead {
      Self.get("/a", ("Authorization", "Bearer \(secret)"))
    }
    var replay = try Self.replay(
      "+header:Authorization", recording(1, bearer("REDACTED-1")),
      recording(2, bearer("REDACTED-2")), recording(3, Self.get("/a")))
    #expect(replay.outcome(bearer("s3cret")) == "1, 1 of 2")
    #expect(replay.outcome(bearer("other")) == "2, 2 of 2")
    #expect(replay.outcome(bearer("REDACTED-2")) == "2, 1 of 1")
    #expect(replay.outcome(bearer("REDACTED-3")) == "differs")
    #expect(replay.outcome(Self.get("/a")) == "3, 1 of 1")
    #expect(replay.outcome(Self.get("/a", ("Authorization", "Basic x"))) == "differs")
    var plain = try Self.replay(
      "+header:Authorization", recording(1, bearer("a")), redactions: nil)
    #expect(plain.outcome(bearer("b")) == "differs")
  }
}

/// Recordings of several authorities in one cassette.
@Suite struct PlannerAuthorityTests {
  private static func host(_ host: String?, _ target: String = "/x") -> RequestHead {
    var fields = FieldSection()
    if let host { fields.append("Host", host) }
    return request(.get, target, fields)
  }

  private static func replay(_ match: String = "+path") throws -> Replay {
    Replay(
      [
        recording(1, request(.get, "/x"), authority: "a.test"),
        recording(2, request(.get, "/x"), authority: "B.test:8080"),
        recording(3, request(.get, "/x"), authority: "a.test"),
        recording(4, request(.get, "/only"), authority: "a.test"),
      ], match: try MatchOptions(match))
  }

  @Test func `a Host that names one of them counts`() throws {
    var replay = try Self.replay()
    #expect(replay.outcome(Self.host("b.TEST:8080")) == "2, 1 of 1")
    #expect(replay.outcome(Self.host("a.test")) == "1, 1 of 2")
    #expect(replay.outcome(Self.host("a.test:80")) == "3, 2 of 2")
    #expect(replay.outcome(Self.host("b.test:8080", "/only")) == "differs")
  }

  @Test func `any other stands for all of them, and is a miss where that is ambiguous`() throws {
    var replay = try Self.replay()
    for host in ["127.0.0.1:8377", "localhost:1", "fixtures:8377", nil] {
      #expect(replay.outcome(Self.host(host)) == "ambiguous")
      #expect(replay.outcome(Self.host(host, "/only")).hasPrefix("4,"))
    }
    guard case .miss(let miss) = replay.plan(Self.host(nil)) else { return #expect(Bool(false)) }
    #expect(
      "\(miss)" == """
        GET /x is recorded for a.test and b.test:8080, and its Host names none of them
          send one of them as Host, or replay with --match -authority to take them in recorded order
        """)
  }

  @Test func `it can be left out, or asked for where there is only one`() throws {
    var never = try Self.replay("-authority")
    #expect(never.outcome(Self.host("b.test:8080")) == "1, 1 of 3")
    var always = Replay(
      [recording(1, request(.get, "/x"), authority: "a.test")],
      match: try MatchOptions("+authority"))
    #expect(always.outcome(Self.host("c.test")) == "differs")
    #expect(always.outcome(Self.host("a.test")) == "1, 1 of 1")
    for own in ["127.0.0.1:8377", "localhost", "[::1]:80"] {
      #expect(always.outcome(Self.host(own)) == "1, 1 of 1")
    }
    var one = Replay([recording(1, request(.get, "/x"), authority: "a.test")])
    #expect(one.outcome(Self.host("c.test")) == "1, 1 of 1")
  }
}
