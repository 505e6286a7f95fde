import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

/// Answers without a recording are those of an origin server: they have a state that conditions and
/// ranges are compared with.
@Suite struct MadeAnswerTests {
  private static let rule = #"/a: status 200, body "0123456789", set ETag "\"v1\"", pause 1s"#

  /// The play of what a request gets, its fields without `Date`.
  private func play(
    _ asked: RequestHead, rule: String = rule, derives: Bool = true, date: Int64 = 0,
    in scenario: ScenarioSession? = nil
  ) throws -> String {
    let source = MemorySource(interactions: [], contents: [:])
    var planner = source.planner(derives: derives)
    let setup = ScenarioSetup(rules: [try Rule(parsing: rule.utf8)], seed: 1)
    let plan = try planner.plan(
      asked, upstream: nil, content: .absent, session: ReplaySession(),
      scenario: scenario ?? setup.begun(at: 0), at: RequestInstant(now_ns: 0, date: date),
      source: source)
    guard case .ruled(let answer) = plan else { return "\(plan)" }
    return transcript(answer.script)
      .replacing(" | Date: Thu, 01 Jan 1970 00:00:00 GMT", with: "")
  }

  private func get(_ lines: (StaticString, String)...) -> RequestHead {
    var fields = FieldSection()
    for (name, value) in lines { fields.append(name, value) }
    return request(.get, "/a", fields)
  }

  private static let whole = """
    0ms head 200 OK | Content-Length: 10 | ETag: "v1"
    1000ms generated 0123456789
    1000ms end
    """

  @Test func `a condition is compared with the tag that a rule set`() throws {
    #expect(try play(get()) == Self.whole)
    #expect(try play(get(("If-None-Match", "\"v0\""))) == Self.whole)
    #expect(
      try play(get(("If-None-Match", "W/\"v1\""))) == """
        0ms head 304 Not Modified | ETag: "v1"
        1000ms end
        """)
    #expect(try play(get(("If-Match", "\"v0\""))).hasPrefix("0ms head 412 Precondition Failed"))
  }

  @Test func `a range is cut from the content that a rule made`() throws {
    #expect(
      try play(get(("Range", "bytes=8-"), ("If-Range", "\"v1\""))) == """
        0ms head 206 Partial Content | Content-Length: 2 | ETag: "v1" | Content-Range: bytes 8-9/10
        1000ms generated 89
        1000ms end
        """)
    #expect(try play(get(("Range", "bytes=8-"), ("If-Range", "\"v0\""))) == Self.whole)
    #expect(
      try play(get(("Range", "bytes=10-"))).hasPrefix("0ms head 416 Range Not Satisfiable"))
  }

  @Test func `nothing is derived where that is off, or the answer is no success`() throws {
    #expect(try play(get(("If-None-Match", "\"v1\"")), derives: false) == Self.whole)
    let failing = #"/a: status 503, body "no", set ETag "\"v1\"""#
    #expect(
      try play(get(("If-None-Match", "\"v1\"")), rule: failing) == """
        0ms head 503 Service Unavailable | Content-Length: 2 | ETag: "v1"
        0ms generated no
        0ms end
        """)
  }

  @Test func `HEAD has the length and the conditions of GET`() throws {
    let head = request(.head, "/a", section(("If-None-Match", "\"v1\"")))
    #expect(
      try play(request(.head, "/a"))
        == "0ms head 200 OK | Content-Length: 10 | ETag: \"v1\"\n1000ms end")
    #expect(try play(head) == "0ms head 304 Not Modified | ETag: \"v1\"\n1000ms end")
  }

  @Test func `a date that a rule makes is the same for a whole session`() throws {
    let rule = "/a: status 200, last-modified 10s ago"
    let session = ScenarioSetup(rules: [try Rule(parsing: rule.utf8)], seed: 1).begun(at: 0)
    for date: Int64 in [784_111_777, 784_111_800] {
      let answer = try play(get(), rule: rule, date: date, in: session)
      #expect(answer.contains(" | Last-Modified: Sun, 06 Nov 1994 08:49:27 GMT"), "\(answer)")
    }
    let asked = get(("If-Modified-Since", "Sun, 06 Nov 1994 08:49:27 GMT"))
    #expect(try play(asked, rule: rule, date: 784_112_000, in: session).hasPrefix("0ms head 304"))
  }

  @Test func `drawn content is the same bytes for all answers of a target`() throws {
    let rule = "/a: status 200, body size 20B"
    let session = ScenarioSetup(rules: [try Rule(parsing: rule.utf8)], seed: 1).begun(at: 0)
    let first = try play(get(), rule: rule, in: session)
    #expect(try play(get(), rule: rule, in: session) == first)
    #expect(try play(get(), rule: rule) == first)
  }
}
