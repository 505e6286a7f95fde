import FixtureExchange
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct `What the control API is asked` {
  private func parsed(
    _ method: Method, _ target: String, _ content: String? = nil, type: String = "application/json"
  ) throws -> ControlRequest {
    let lines = content == nil ? [] : ["Content-Type: \(type)"]
    let head = RequestHead(
      method: method, target: Array(target.utf8), fields: try section(lines))
    return try ControlRequest(head, content: Array((content ?? "").utf8))
  }

  private func refusal(
    _ method: Method, _ target: String, _ content: String? = nil, type: String = "application/json"
  ) -> ControlError? {
    do {
      _ = try parsed(method, target, content, type: type)
      return nil
    } catch {
      return error as? ControlError
    }
  }

  @Test func `each part has its path and its methods`() throws {
    let limits = Verdict.Limits(connectionsMax: 6, attemptsMax: 3)
    let expected: [(Method, String, String?, ControlRequest)] = [
      (.get, "/v1/health", nil, .health), (.head, "/v1/health", nil, .health),
      (.get, "/v1/openapi.json", nil, .description),
      (.post, "/v1/sessions/s1/etags", nil, .tags("s1", target: nil)),
      (
        .post, "/v1/sessions/s1/etags", #"{"target":"/a?b"}"#,
        .tags("s1", target: Array("/a?b".utf8))
      ),
      (.get, "/metrics", nil, .metrics), (.get, "/v1/sessions", nil, .sessions),
      (.post, "/v1/sessions", nil, .create(.init())),
      (.get, "/v1/sessions/s1", nil, .session("s1")),
      (.get, "/v1/sessions/s%31", nil, .session("s1")),
      (.delete, "/v1/sessions/s1", nil, .delete("s1", .init())),
      (.delete, "/v1/sessions/s1?attempts-max=3&connections-max=6", nil, .delete("s1", limits)),
      (.post, "/v1/sessions/s1/reset", "{}", .reset("s1")),
      (
        .put, "/v1/sessions/s1/scenario", #"{"scenario":"GET /: status 500","seed":7}"#,
        .scenario("s1", .init(text: "GET /: status 500", seed: 7))
      ),
      (
        .post, "/v1/sessions/s1/flags", #"{"raise":["a"],"clear":["b","c"]}"#,
        .flags("s1", raise: ["a"], clear: ["b", "c"])
      ),
      (.post, "/v1/sessions/s1/gates/a%20b/release", nil, .release("s1", gate: "a b")),
      (.put, "/v1/sessions/s1/clock", #"{"freeze":"now"}"#, .clock("s1", .freeze(nil))),
      (.put, "/v1/sessions/s1/clock", #"{"advance_s":60}"#, .clock("s1", .advance(seconds: 60))),
      (.put, "/v1/sessions/s1/clock", #"{"run":true}"#, .clock("s1", .run)),
      (.get, "/v1/sessions/s1/exchanges", nil, .exchanges("s1", after: 0, limit: 1000)),
      (
        .get, "/v1/sessions/s1/exchanges?after=7&limit=1", nil, .exchanges("s1", after: 7, limit: 1)
      ),
      (.get, "/v1/sessions/s1/exchanges/12", nil, .exchange("s1", 12)),
      (
        .get, "/v1/sessions/s1/verdict?connections-max=6&attempts-max=3", nil,
        .verdict("s1", limits)
      ),
    ]
    for (method, target, content, request) in expected {
      #expect(try parsed(method, target, content) == request, "\(target)")
    }
  }

  @Test func `a session is described by name`() throws {
    let content = #"""
      {"cassette":"feed","scenario":"*: delay 1s","seed":"18446744073709551615","match":"+body",
       "pace":"recorded","exhausted":"miss","date":"recorded","receipts":true,"lease_s":86400}
      """#
    var expected = ControlRequest.SessionRequest()
    expected.cassette = "feed"
    expected.scenario = .init(text: "*: delay 1s", seed: .max)
    expected.match = "+body"
    expected.pace = "recorded"
    expected.exhausted = "miss"
    expected.date = "recorded"
    expected.givesReceipts = true
    expected.lease_s = 86_400
    #expect(try parsed(.post, "/v1/sessions", content) == .create(expected))
    #expect(
      try parsed(.post, "/v1/sessions", #"{"seed":null,"lease_s":null}"#) == .create(.init()))
  }

  @Test(
    arguments: [
      (Method.get, "/x", nil, 404), (.get, "/v1", nil, 404), (.get, "/v2/sessions", nil, 404),
      (.get, "/v1/sessions/", nil, 404), (.get, "/v1/sessions/s1/", nil, 404),
      (.get, "/v1/sessions//reset", nil, 404), (.get, "/v1/health/x", nil, 404),
      (.get, "/v1/sessions/s1/exchanges/0", nil, 404),
      (.get, "/v1/sessions/s1/exchanges/+1", nil, 404),
      (.get, "/v1/sessions/s1/exchanges/99999999999999999999", nil, 404),
      (.get, "*", nil, 404), (.get, "evil.test:80", nil, 404),
      (.get, "/v1/sessions/s1/exchanges?after=-1", nil, 400),
      (.get, "/v1/sessions/s1/exchanges?limit=0", nil, 400),
      (.get, "/v1/sessions/s1/exchanges?limit=1001", nil, 400),
      (.get, "/v1/sessions/s1/exchanges?limits=1", nil, 400),
      (.get, "/v1/sessions/s1/verdict?connection-max=1", nil, 400),
      (.post, "/v1/sessions", "[]", 400), (.post, "/v1/sessions", #"{"seed":1,"seed":1}"#, 400),
      (.post, "/v1/sessions", #"{"seed":1.5}"#, 400), (.post, "/v1/sessions", #"{"seed":-1}"#, 400),
      (.post, "/v1/sessions", #"{"seed":18446744073709551616}"#, 400),
      (.post, "/v1/sessions", #"{"lease_s":86401}"#, 400),
      (.post, "/v1/sessions", #"{"receipts":"yes"}"#, 400),
      (.post, "/v1/sessions", #"{"cassette":".."}"#, 400),
      (.post, "/v1/sessions", #"{"cassette":"a/b"}"#, 400),
      (.post, "/v1/sessions", #"{"cassette":"a\u0000"}"#, 400),
      (.post, "/v1/sessions", "{\"scenario\":\"\u{FEFF}", 400),
      (.post, "/v1/sessions/s1/reset", #"{"hard":true}"#, 400),
      (.post, "/v1/sessions/s1/flags", "{}", 400),
      (.post, "/v1/sessions/s1/flags", #"{"raise":[1]}"#, 400),
      (.post, "/v1/sessions/s1/gates/a/release", #"{"count":1}"#, 400),
      (.put, "/v1/sessions/s1/clock", #"{"freeze":"now","run":true}"#, 400),
      (.put, "/v1/sessions/s1/clock", #"{"run":false}"#, 400),
      (.put, "/v1/sessions/s1/clock", #"{"advance_s":0}"#, 400),
      (.post, "/v1/sessions/s1/etags", #"{"target":"http://a/b"}"#, 400),
      (.post, "/v1/sessions/s1/etags", #"{"target":"/a b"}"#, 400),
    ] as [(Method, String, String?, Int)])
  func `what makes no sense is refused`(
    method: Method, target: String, content: String?, status: Int
  ) {
    #expect(refusal(method, target, content)?.status == status)
  }

  @Test func `another method is told which ones there are`() throws {
    #expect(refusal(.put, "/v1/sessions")?.allow == "GET, POST")
    #expect(refusal(.post, "/v1/sessions/s1")?.allow == "GET, DELETE")
    #expect(refusal(.get, "/v1/sessions/s1/reset")?.allow == "POST")
    #expect(lines(try #require(refusal(.put, "/metrics")).fields) == ["Allow: GET"])
  }

  /// Types that a page may send to another origin without being asked.
  @Test(arguments: [
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "",
    "application/jsonp",
  ])
  func `content of a form is not taken`(type: String) {
    #expect(refusal(.post, "/v1/sessions", "{}", type: type)?.status == 415)
  }

  @Test func `content has one type`() throws {
    #expect(
      try parsed(.post, "/v1/sessions", "{}", type: "Application/JSON; charset=utf-8")
        == .create(.init()))
    let head = RequestHead(
      method: .post, target: Array("/v1/sessions".utf8),
      fields: try section("Content-Type: application/json", "Content-Type: text/plain"))
    #expect(throws: ControlError.self) { try ControlRequest(head, content: Array("{}".utf8)) }
  }

  @Test func `deep nesting ends in a refusal`() {
    #expect(refusal(.post, "/v1/sessions", String(repeating: "[", count: 500_000))?.status == 400)
    #expect(
      refusal(.post, "/v1/sessions", String(repeating: #"{"a":"#, count: 100_000))?.status == 400)
  }
}

@Suite struct `Who may use the control API` {
  private let loopback = ControlAccess(host: "127.0.0.1", port: 8378, token: nil)
  private let guarded = ControlAccess(host: "192.0.2.7", port: 80, token: "s3cret")

  private func status(_ access: ControlAccess, _ lines: String...) throws -> Int? {
    let head = RequestHead(
      method: .post, target: Array("/v1/sessions".utf8), fields: try section(lines))
    do {
      try access.check(head)
      return nil
    } catch {
      return error.status
    }
  }

  @Test(
    arguments: [
      ("127.0.0.1:8378", nil), ("localhost:8378", nil), ("LOCALHOST:8378", nil),
      ("[::1]:8378", nil), ("127.0.0.1", 403), ("127.0.0.1:8379", 403), ("evil.test:8378", 403),
      ("localhost.evil.test:8378", 403), ("127.0.0.1:8378.evil.test", 403), ("", 403),
      ("127.0.0.1:08378", 403), ("localhost:8378, evil.test", 403),
    ] as [(String, Int?)])
  func `the host is one of ours`(host: String, expected: Int?) throws {
    #expect(try status(loopback, "Host: \(host)") == expected)
  }

  @Test func `a host is named once`() throws {
    #expect(try status(loopback) == 403)
    #expect(try status(loopback, "Host: 127.0.0.1:8378", "Host: 127.0.0.1:8378") == 403)
  }

  @Test(
    arguments: [
      ("http://127.0.0.1:8378", nil), ("http://localhost:8378", nil), ("null", 403), ("", 403),
      ("https://127.0.0.1:8378", 403), ("http://127.0.0.1", 403), ("http://evil.test", 403),
      ("http://127.0.0.1:8378@evil.test", 403), ("http://127.0.0.1:8378/", 403),
    ] as [(String, Int?)])
  func `pages from elsewhere are not answered`(origin: String, expected: Int?) throws {
    let host = "Host: 127.0.0.1:8378"
    #expect(try status(loopback, host, "Origin: \(origin)") == expected)
    // The last one that is given counts, too.
    #expect(
      try status(loopback, host, "Origin: http://localhost:8378", "Origin: \(origin)") == expected)
  }

  @Test func `a target that names another host counts, whatever the field says`() throws {
    let head = RequestHead(
      method: .get, target: Array("http://evil.test/v1/sessions".utf8),
      fields: try section("Host: 127.0.0.1:8378"))
    #expect(throws: ControlError.self) { try loopback.check(head) }
  }

  @Test(
    arguments: [
      ("Bearer s3cret", nil), ("bearer s3cret", nil), ("Bearer s3cre", 401),
      ("Bearer s3crett", 401), ("Bearer S3cret", 401), ("Bearer  s3cret", 401),
      ("Basic s3cret", 401),
      ("s3cret", 401), ("Bearer", 401),
    ] as [(String, Int?)])
  func `with a token, only who has it`(authorization: String, expected: Int?) throws {
    #expect(
      try status(guarded, "Host: 192.0.2.7", "Authorization: \(authorization)") == expected)
  }

  @Test func `with a token any name will do, as those of containers`() throws {
    let token = "Authorization: Bearer s3cret"
    #expect(try status(guarded, "Host: fixtures:8378", token) == nil)
    #expect(
      try status(guarded, "Host: fixtures:8378", "Origin: http://fixtures:8378", token) == nil)
    #expect(try status(guarded, "Host: fixtures:8378", "Origin: http://evil.test", token) == 403)
    #expect(try status(guarded, "Host: fixtures:8378") == 401)
    #expect(try status(guarded, token) == 403)
  }

  @Test func `a token is asked for by name`() throws {
    #expect(try status(guarded, "Host: 192.0.2.7:80") == 401)
    let asked = ControlError(401, "x").fields
    #expect(lines(asked) == [#"WWW-Authenticate: Bearer realm="fixtured""#])
  }
}
