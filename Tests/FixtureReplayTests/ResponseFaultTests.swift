import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct ResponseFaultTests {
  @Test(arguments: [
    (
      "*: status 503, retry-after 1500ms",
      "head 503 Service Unavailable | Date: Sun, 06 Nov 1994 08:49:37 GMT | Content-Length: 0 | Retry-After: 2"
    ),
    (
      "*: status 299, retry-after date 3s",
      "head 299 | Date: Sun, 06 Nov 1994 08:49:37 GMT | Content-Length: 0 | Retry-After: Sun, 06 Nov 1994 08:49:40 GMT"
    ),
    (
      "*: redirect /b",
      "head 302 Found | Date: Sun, 06 Nov 1994 08:49:37 GMT | Content-Length: 0 | Location: /b"
    ),
    (
      "*: status 308, redirect loop",
      "head 308 Permanent Redirect | Date: Sun, 06 Nov 1994 08:49:37 GMT | Content-Length: 0 | Location: /a?q=1"
    ),
    (
      "*: challenge bearer",
      "head 401 Unauthorized | Date: Sun, 06 Nov 1994 08:49:37 GMT | Content-Length: 0 | WWW-Authenticate: Bearer"
    ),
  ])
  func `rules make answers without a recording`(_ line: String, _ head: String) throws {
    #expect(
      "\(try faulted([line], plainAnswer).script)" == """
        no interaction, framing length
        request end: \(head)
        then: end
        """)
  }

  @Test(arguments: [
    ("*: set A 1", "head 200 OK | Content-Length: 10 | A: 1"),
    ("*: add A 1, add A 2, remove content-length", "head 200 OK | A: 1 | A: 2"),
    ("*: age 59500ms", "head 200 OK | Content-Length: 10 | Age: 60"),
    (
      "*: last-modified 10d ago",
      "head 200 OK | Content-Length: 10 | Last-Modified: Thu, 27 Oct 1994 08:49:37 GMT"
    ),
    (
      "*: expires 1m ago",
      "head 200 OK | Content-Length: 10 | Expires: Sun, 06 Nov 1994 08:48:37 GMT"
    ),
    (
      #"*: set Date "Sun, 06 Nov 1994 00:00:00 GMT", expires 1h"#,
      "head 200 OK | Content-Length: 10 | Date: Sun, 06 Nov 1994 00:00:00 GMT | Expires: Sun, 06 Nov 1994 01:00:00 GMT"
    ),
  ])
  func `rules change fields`(_ line: String, _ head: String) throws {
    #expect(
      "\(try faulted([line], plainAnswer).script)" == """
        interaction 1, framing length
        request end: \(head)
        then: content body 1 at 0..<10
        then: end
        """)
  }

  @Test(
    arguments: [
      ("*: body \"new\"", "Content-Length: 3", "generated new"),
      ("*: body file f", "Content-Length: 4", "generated file"),
      ("*: json /a 2", "Content-Length: 7", "generated {\"a\":2}"),
      ("*: body \"[1]\", json /- 2", "Content-Length: 5", "generated [1,2]"),
      ("*: body \"\"", "Content-Length: 0", nil),
    ] as [(String, String, String?)])
  func `rules change content, whole and with its length`(
    _ line: String, _ field: String, _ content: String?
  ) throws {
    var script = plainAnswer
    script.steps[0].action = .head(
      head(200, "OK", section(("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"))))
    let changed = try faulted([line], script, content: "{\"a\":1}").script
    #expect(
      "\(changed)" == """
        interaction 1, framing length
        request end: head 200 OK | \(field)
        \(content.map { "then: \($0)\n" } ?? "")then: end
        """)
  }

  @Test func `other content has another tag`() throws {
    let changed = try faulted(["*: body \"new\""], chunkedAnswer).script
    let again = try faulted(["*: body \"new\""], chunkedAnswer).script
    let other = try faulted(["*: body \"newer\""], chunkedAnswer).script
    #expect("\(changed)".contains("ETag: \"a-"))
    #expect(changed == again)
    #expect(changed.steps[0] != other.steps[0])
  }

  @Test func `a change of content leaves answers without any alone but for their length`() throws {
    let bare = Script(
      steps: [
        Step(.requestEnd, .zero, .head(head(200, "OK", section(("Content-Length", "10"))))),
        Step(.previous, .zero, .end),
      ], framing: .none, interaction: 1)
    #expect(
      try played("*: body \"new\"", bare, method: .head) == """
        0ms head 200 OK | Content-Length: 3
        0ms end
        """)
    var unchanged = bare
    unchanged.steps[0].action = .head(head(304, "Not Modified"))
    #expect(try faulted(["*: body \"new\""], unchanged).script == unchanged)
  }

  @Test(arguments: [
    ("*: corrupt json", ["Content-Length: 5", "content body 1 at 0..<5"]),
    (
      "*: corrupt utf8",
      [
        "Content-Length: 12", "content body 1 at 0..<5", #"generated \xff\xfe"#,
        "content body 1 at 5..<10",
      ]
    ),
    (
      "*: corrupt gzip",
      [
        "Content-Length: 10 | Content-Encoding: gzip", "content body 1 at 0..<5",
        #"generated \xff\x00\xff\x00"#, "content body 1 at 9..<10",
      ]
    ),
  ])
  func `corrupt content is framed rightly`(_ line: String, _ parts: [String]) throws {
    #expect(
      try played(line)
        == (["0ms head 200 OK | \(parts[0])"] + parts.dropFirst().map { "0ms \($0)" } + ["0ms end"])
        .joined(separator: "\n"))
  }

  @Test func `drawn content is that of the target, or new for each answer`() throws {
    func bytes(_ line: String, seed: UInt64, request: Int) throws -> Script {
      let setup = ScenarioSetup(rules: [try Rule(parsing: line.utf8)], seed: seed)
      let session = setup.begun(at: 0)
      let asked = RuleRequest(method: .get, target: [0x2F])
      for _ in 1..<request { _ = session.foresee(asked, key: 1, now_ns: 0) }
      return session.foresee(asked, key: 1, now_ns: 0)
        .changing(plainAnswer, FaultContext(method: .get, target: [0x2F], date: 0)).script
    }
    let line = "*: body size 20B"
    #expect(try bytes(line, seed: 1, request: 1) == bytes(line, seed: 1, request: 2))
    #expect(try bytes(line, seed: 1, request: 1) != bytes(line, seed: 2, request: 1))
    let fresh = "*: body size 20B fresh"
    #expect(try bytes(fresh, seed: 1, request: 1) != bytes(fresh, seed: 1, request: 2))
    #expect(try bytes(fresh, seed: 1, request: 2) == bytes(fresh, seed: 1, request: 2))
  }
}
