import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

/// The word `etag`: what a client that revalidates gets of one recorded 200.
@Suite struct TagRuleTests {
  /// A client with a cache, in front of a replay with one rule.
  struct Cache {
    let source: MemorySource
    var planner: Planner<MemorySource>
    let session = ReplaySession()
    let scenario: ScenarioSession
    var tag: [UInt8]?
    var now_ns: Int64 = 0

    init(_ rule: String, _ interactions: [Interaction], _ contents: [Int64: [UInt8]] = [:]) throws {
      source = MemorySource(interactions: interactions, contents: contents)
      planner = source.planner()
      scenario = ScenarioSetup(rules: [try Rule(parsing: rule.utf8)], seed: 1).begun(at: 0)
    }

    mutating func script(_ asked: RequestHead) -> Script? {
      do {
        switch try planner.plan(
          asked, upstream: nil, content: .absent, session: session, scenario: scenario,
          at: RequestInstant(now_ns: now_ns, date: 784_111_777), source: source)
        {
        case .ruled(let answer): return answer.script
        case .play(let play): return play.script
        case .miss, .needsContent: return nil
        }
      } catch {
        Issue.record(error)
        return nil
      }
    }

    /// Asks again with the tag that it has, and keeps the new one. The status.
    mutating func ask(_ method: Method = .get) -> Int? {
      var asked = request(method, "/a")
      if let tag { asked.fields.append("If-None-Match", tag) }
      let heads = script(asked)?.steps.compactMap { step -> ResponseHead? in
        if case .head(let head) = step.action { head } else { nil }
      }
      tag = heads?.first?.fields.first(.etag).map(Array.init)
      return heads?.first?.status
    }
  }

  static func json(_ id: Int64, _ tag: String?, _ text: String) -> Interaction {
    var fields = section(
      ("Content-Type", "application/json"), ("Content-Length", "\(text.utf8.count)"))
    if let tag { fields.append("ETag", tag) }
    return recording(
      id,
      RecordedResponse(head: head(200, "OK", fields), framing: .length, body: body(id, text)))
  }

  @Test(
    arguments: [
      ("etag every 5", [0, 5, 10, 15, 20, 25, 30, 35, 40, 45]), ("etag at 17 34", [0, 16, 33]),
      ("etag every 100", [0]),
    ], ["\"a\"", "W/\"a,b\"", nil])
  func `fifty requests fetch the content when its tag has changed`(
    _ given: (clause: String, fetched: [Int]), _ tag: String?
  ) throws {
    var cache = try Cache("GET /a: \(given.clause)", [Self.json(1, tag, "{}")])
    let statuses = (0..<50).map { _ in cache.ask() }
    #expect(statuses.indices.filter { statuses[$0] == 200 } == given.fetched)
    #expect(statuses.filter { $0 == 304 }.count == 50 - given.fetched.count)
  }

  @Test func `HEAD, conditions and ranges count for one target`() throws {
    var cache = try Cache("*: etag every 3", [Self.json(1, "\"a\"", "{}")])
    #expect(
      [cache.ask(), cache.ask(.head), cache.ask(), cache.ask(.head)] == [200, 304, 304, 200])
    #expect(cache.tag == Array("\"a-g1\"".utf8))
    let part = cache.script(
      request(.get, "/a", section(("Range", "bytes=1-"), ("If-Range", "\"a-g1\""))))
    #expect(part?.description.contains("206 Partial Content") == true)
    let old = cache.script(
      request(.get, "/a", section(("Range", "bytes=1-"), ("If-Range", "\"a\""))))
    #expect(old?.description.contains("200 OK") == true)
  }

  @Test func `a tag changes with time`() throws {
    var cache = try Cache("*: etag every 2s", [Self.json(1, "\"a\"", "{}")])
    let statuses = [0, 1999, 2000, 3999, 4000].map { (ms: Int64) in
      cache.now_ns = ms * 1_000_000
      return cache.ask()
    }
    #expect(statuses == [200, 304, 200, 304, 200])
  }

  @Test func `the generation is stamped into the content, which is sent without a coding`() throws {
    var cache = try Cache(
      "*: etag every 1 stamp /version", [Self.json(1, "\"a\"", #"{"version":7}"#)],
      [1: Array(#"{"version":7}"#.utf8)])
    for generation in 0..<3 {
      let script = cache.script(request(.get, "/a"))
      #expect(script?.description.contains(#"generated {"version":\#(generation)}"#) == true)
    }
  }

  @Test func `the next recorded version comes with the tag it was recorded with`() throws {
    var cache = try Cache(
      "*: etag every 2 next",
      [Self.json(1, "\"a\"", "[1]"), Self.json(2, "\"a\"", "[1]"), Self.json(3, "\"b\"", "[3]")])
    var seen: [String] = []
    for _ in 0..<6 {
      _ = cache.ask()
      seen.append(String(decoding: cache.tag ?? [], as: UTF8.self))
    }
    // Where there are no more, the last one gets new tags.
    #expect(seen == ["\"a\"", "\"a\"", "\"b\"", "\"b\"", "\"b-g1\"", "\"b-g1\""])
  }

  @Test func `a recorded 304 is not sent for a tag that has changed`() throws {
    let conditional = request(.get, "/a", section(("If-None-Match", "\"a\"")))
    let unchanged = recording(
      2, conditional,
      RecordedResponse(
        head: head(304, "Not Modified", section(("ETag", "\"a\""))), framing: .none))
    var cache = try Cache("*: etag at 2", [Self.json(1, "\"a\"", "{}"), unchanged])
    #expect([cache.ask(), cache.ask(), cache.ask()] == [200, 200, 304])
  }
}
