import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

/// Recordings in memory, planned under rules.
private struct RuledReplay {
  let source: MemorySource
  var planner: Planner<MemorySource>
  let session = ReplaySession()
  let scenario: ScenarioSession

  init(_ rules: [String], givesReceipts: Bool = false) throws {
    let response = RecordedResponse(
      head: head(200, "OK", section(("Content-Length", "7"))), framing: .length,
      body: body(9, #"{"a":1}"#))
    source = MemorySource(
      interactions: [
        recording(1, request(.get, "/a"), response), recording(2, request(.get, "/a"), response),
        recording(3, request(.post, "/p"), sent: nil, response),
        recording(4, request(.post, "/p"), sent: nil, response),
      ], contents: [9: Array(#"{"a":1}"#.utf8)])
    planner = source.planner()
    let setup = ScenarioSetup(
      rules: try rules.map { try Rule(parsing: $0.utf8) }, seed: 4, givesReceipts: givesReceipts)
    scenario = setup.begun(at: 0)
  }

  mutating func plan(
    _ request: RequestHead, _ content: ContentIdentity = .absent, _ begun: BegunRequest? = nil
  ) -> Plan {
    do {
      return try planner.plan(
        request, upstream: nil, content: content, session: session, scenario: scenario,
        begun: begun, at: RequestInstant(now_ns: 0, date: 0), source: source)
    } catch {
      preconditionFailure("the source does not hold what its index names: \(error)")
    }
  }

  /// The interaction and the head of an answer, or what else came.
  mutating func outcome(_ request: RequestHead, _ content: ContentIdentity = .absent) -> String {
    switch plan(request, content) {
    case .play(let play): "\(play.id) as recorded"
    case .ruled(let answer):
      "\(answer.play.map { "\($0.id)" } ?? "made") \(answer.script.steps[0].action)"
    case .miss(let miss): miss.reason.word
    case .needsContent: "needs content"
    }
  }
}

@Suite struct PlannerScenarioTests {
  private let get = request(.get, "/a")

  private func ruling(_ plan: Plan) -> Ruling? {
    switch plan {
    case .play(let play): play.ruling
    case .ruled(let answer): answer.ruling
    case .miss, .needsContent: nil
    }
  }

  @Test func `an answer tells the rules that it met, and what they drew`() throws {
    var replay = try RuledReplay([
      "/a: delay 100ms..400ms", "/a: chance 40%, set X y", "/a: raise busy",
      "/a: while busy, status 503, body size 1KB fresh",
    ])
    let first = try #require(ruling(replay.plan(get)))
    #expect(first.set === replay.scenario.ruleSet)
    #expect(first.rules == [1, 3])
    #expect(
      first.draws.map(\.description) == [
        "rule 1: delay 100ms..400ms, drawn 362.23665ms", "rule 2: chance 40%, drawn 49.6663%",
      ])
    #expect(first.draws.map(\.holds) == [nil, false])
    let second = try #require(ruling(replay.plan(get)))
    #expect(second.rules == [1, 2, 3, 4])
    #expect(
      second.draws.map(\.description) == [
        "rule 1: delay 100ms..400ms, drawn 377.486468ms", "rule 2: chance 40%, drawn 21.18%",
        "rule 4: body size 1KB fresh, drawn 610dc98c932602da",
      ])
    #expect(second.draws.map(\.holds) == [nil, true, nil])
  }

  @Test func `what was drawn is told also where it changed nothing`() throws {
    var replay = try RuledReplay(["/a: chance 0%, status 503"])
    let told = try #require(ruling(replay.plan(get)))
    #expect(told.rules.isEmpty)
    #expect(told.draws.map(\.rule) == [1])
    #expect(told.draws.map(\.holds) == [false])
    #expect(told.told == [1])
    var unruled = try RuledReplay(["/other: chance 0%, status 503"])
    #expect(ruling(unruled.plan(get)) == nil)
  }

  @Test func `rules that only raise a flag are told`() throws {
    var replay = try RuledReplay(["/a: raise busy"])
    #expect(ruling(replay.plan(get))?.rules == [1])
  }

  @Test func `an answer made by a rule uses up no recording`() throws {
    var replay = try RuledReplay(["/a: nth 2, status 299"])
    #expect(replay.outcome(get) == "1 as recorded")
    #expect(replay.outcome(get).hasPrefix("made head 299"))
    #expect(replay.outcome(get) == "2 as recorded")
    #expect(replay.session.summary.plays == 2 && replay.session.summary.made == 1)
  }

  @Test func `a changed answer uses up its recording, one that ends before the commit does not`()
    throws
  {
    var replay = try RuledReplay(["/a: nth 1, reset before commit", "/a: nth 2, reset"])
    #expect(replay.outcome(get) == "made reset")
    #expect(replay.outcome(get) == "1 reset")
    #expect(replay.outcome(get) == "2 as recorded")
  }

  @Test func `a miss is not counted, and stays a miss`() throws {
    var replay = try RuledReplay(["/**: nth 1 overall, reset"])
    #expect(replay.outcome(request(.get, "/none")) == "not-recorded")
    #expect(replay.outcome(get) == "1 reset")
    #expect(replay.outcome(get) == "2 as recorded")
  }

  @Test func `a request is counted once, though it is planned again with its content`() throws {
    var replay = try RuledReplay(["/p: with json /b 1, nth 1, reset"])
    let post = request(.post, "/p")
    #expect(replay.outcome(post, .pending(expectsContinue: false)) == "needs content")
    #expect(replay.outcome(post, .pending(expectsContinue: false)) == "needs content")
    #expect(replay.outcome(post, .absent) == "3 as recorded")
  }

  @Test func `what is read slowly counts when its head comes, and not at all when it is a miss`()
    throws
  {
    var replay = try RuledReplay(["POST *: first 1 overall, upload 1KB/s, set A 1"])
    func begin(_ target: String) -> BegunRequest? {
      replay.planner.begin(
        request(.post, target), upstream: nil, scenario: replay.scenario, now_ns: 0)
    }
    let missed = try #require(begin("/none"))
    // The second of two heads that came before either content.
    #expect(begin("/p") == nil)
    guard case .miss = replay.plan(request(.post, "/none"), content("x"), missed) else {
      Issue.record("not a miss")
      return
    }
    let first = try #require(begin("/p"))
    let second = replay.plan(request(.post, "/p"))
    guard case .play(let play) = second else {
      Issue.record("\(second)")
      return
    }
    #expect(play.id == 3)
    guard case .ruled(let answer) = replay.plan(request(.post, "/p"), .absent, first) else {
      Issue.record("no rule met the first")
      return
    }
    #expect(answer.play?.id == 4)
    #expect("\(answer)".contains("| A: 1"))
  }

  @Test func `content is edited where it is JSON, and what finds no place is told`() throws {
    var replay = try RuledReplay(["/a: json /a 2", "/a: json /b/c 3"])
    guard case .ruled(let answer) = replay.plan(get) else {
      Issue.record("not changed")
      return
    }
    #expect(
      "\(answer.script)" == """
        interaction 1, framing length
        request end: head 200 OK | Content-Length: 7
        then: generated {"a":2}
        then: end
        """)
    #expect(answer.unapplied.map { "\($0.rule) \($0.fault)" } == ["2 json /b/c 3"])
  }

  @Test func `receipts name what made an answer`() throws {
    var replay = try RuledReplay(
      ["*: set A 1", "/a: first 1, status 500"], givesReceipts: true)
    #expect(
      replay.outcome(get)
        == "made head 500 Internal Server Error | Date: Thu, 01 Jan 1970 00:00:00 GMT"
        + " | Content-Length: 0 | A: 1 | Fixtured-Rule: 1, 2 | Fixtured-Seed: 4")
    #expect(
      replay.outcome(get)
        == "1 head 200 OK | Content-Length: 7 | A: 1 | Fixtured-Interaction: 1"
        + " | Fixtured-Rule: 1 | Fixtured-Seed: 4")
  }

  @Test func `a repeated key gets the first recording again, another one the next`() throws {
    var replay = try RuledReplay([
      "POST /p: idempotency replay", "POST /p: nth 1, reset after commit",
    ])
    func post(_ key: String?) -> RequestHead {
      request(.post, "/p", key.map { section(("idempotency-key", $0)) } ?? .init())
    }
    #expect(replay.outcome(post("k")) == "3 reset")
    let replayed = "3 head 200 OK | Content-Length: 7 | Idempotency-Replayed: true"
    #expect(replay.outcome(post("k")) == replayed)
    #expect(replay.outcome(post("k")) == replayed)
    #expect(replay.outcome(post("other")) == "4 as recorded")
    #expect(replay.outcome(post(nil)) == "4 as recorded")
  }

  @Test(arguments: [("conflict", ""), ("in-progress", " | Retry-After: 1")])
  func `a repeated key is a conflict`(_ kind: String, _ fields: String) throws {
    var replay = try RuledReplay(["*: idempotency \(kind)"])
    let post = request(.post, "/p", section(("Idempotency-Key", "k")))
    #expect(replay.outcome(post) == "3 as recorded")
    #expect(
      replay.outcome(post)
        == "3 head 409 Conflict | Date: Thu, 01 Jan 1970 00:00:00 GMT | Content-Length: 0\(fields)")
  }
}
