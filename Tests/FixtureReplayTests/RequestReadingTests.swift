import FixtureCassette
import FixtureHTTP
import Testing

@testable import FixtureReplay

/// How the content of requests is read, and what is decided for it when the head comes.
@Suite struct RequestReadingTests {
  /// Reads pieces as soon as the pace lets it: when each begins, and when the request ends.
  private func instants(_ rate: ByteRate, _ pieces: [(ms: Int64, count: Int64)]) -> [Int64] {
    var pace = ReadingPace(rate)
    var now_ns: Int64 = 0
    var instants: [Int64] = []
    for (ms, count) in pieces {
      now_ns = max(now_ns, ms * 1_000_000)
      instants.append(now_ns / 1_000_000)
      now_ns = pace.took(count, at: now_ns)
    }
    return instants + [now_ns / 1_000_000]
  }

  @Test func `content is read no faster than its rate`() {
    #expect(
      instants(.perSecond(.kilobytes(10)), [(0, 1000), (0, 1000), (0, 500)])
        == [0, 100, 200, 250])
    #expect(instants(.perSecond(.bytes(3)), [(0, 1), (0, 1), (0, 1)]) == [0, 333, 666, 1000])
  }

  @Test func `the time counts from the first content, and a pause is not made up for`() {
    #expect(
      instants(.perSecond(.kilobytes(1)), [(500, 100), (5000, 100), (5000, 100)])
        == [500, 5000, 5080, 5180])
    // As much as timers are late: the line is kept on the whole.
    #expect(
      instants(.perSecond(.kilobytes(1)), [(0, 100), (115, 100), (0, 100)]) == [0, 115, 200, 300])
  }

  @Test func `a read takes a fiftieth of a second, or a byte`() {
    #expect(ReadingPace(.perSecond(.kilobytes(100))).readBytesMax == 2000)
    #expect(ReadingPace(.perSecond(.bytes(3))).readBytesMax == 1)
    #expect(ReadingPace(.perSecond(.megabytes(100_000))).readBytesMax == 65536)
  }

  private static let post = RuleRequest(
    method: .post, target: Array("/p".utf8), content: Array("{\"a\":1}".utf8))

  private func session(_ lines: [String]) throws -> ScenarioSession {
    ScenarioSetup(rules: try lines.map { try Rule(parsing: $0.utf8) }, seed: 3).begun(at: 0)
  }

  /// What a request meets whose head has come before.
  private func end(_ begun: BegunRequest?, in session: ScenarioSession) -> Encounter {
    session.planning { planning in
      let encounter = planning.encounter(
        Self.post, key: 1, isContentRead: true, now_ns: 0, begun: begun)
      planning.note(encounter)
      return encounter
    }
  }

  private func text(_ encounter: Encounter) -> [String] {
    encounter.met.map { "\($0.rule) \($0.fault)" }
  }

  @Test func `rules say how content is read, the last one for each word`() throws {
    let session = try session([
      "*: upload 1KB/s, continue off", "POST *: upload 2KB/s", "GET *: continue 1s",
    ])
    let begun = session.begin(Self.post, key: 1, now_ns: 0)
    #expect(
      begun?.reading
        == RequestReading(rate: .perSecond(.kilobytes(2)), leave: .off))
    #expect(try self.session(["*: delay 1s"]).begin(Self.post, key: 1, now_ns: 0) == nil)
  }

  @Test func `what was decided at the head holds to the end, whoever comes meanwhile`() throws {
    let session = try session([
      "*: first 1, upload 1KB/s, status 503", "*: with json /a 1, first 1, set A 1",
      "*: chance 50%, upload 2KB/s, set B 1",
    ])
    let first = session.begin(Self.post, key: 1, now_ns: 0)
    let second = session.begin(Self.post, key: 1, now_ns: 0)
    #expect(first?.reading.rate != nil)
    // Ends first, but its head came second.
    let ended = end(second, in: session)
    #expect(!text(ended).contains("1 status 503"))
    #expect(text(ended).contains("2 set A \"1\""))
    let late = end(first, in: session)
    #expect(text(late).contains("1 status 503"))
    #expect(!text(late).contains("2 set A \"1\""))
    #expect(
      text(late).contains("3 set B \"1\"")
        == (first?.reading.rate == .perSecond(.kilobytes(2))))
    #expect(
      text(session.foresee(Self.post, key: 1, now_ns: 0)).allSatisfy { !$0.hasPrefix("1 ") })
  }

  @Test(arguments: ["upload 1KB/s", "continue off", "continue 1s"])
  func `what must be known before the content can't depend on it`(_ clause: String) throws {
    let error = try #require(throws: RuleError.self) {
      try Rule(parsing: "*: with json /a 1, delay 1s, \(clause)".utf8)
    }
    #expect(error.column == 30)
    #expect(error.reason.contains("is decided before the content is read"))
  }
}
