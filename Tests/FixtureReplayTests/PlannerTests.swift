import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct PlannerTests {
  static let get = request(.get, "/t/7")

  @Test func `reading, writing and reading again gives what was recorded in turn`() {
    var replay = Replay([
      recording(1, Self.get), recording(2, request(.put, "/t/7")), recording(3, Self.get),
      recording(4, request(.get, "/t/7?p=1")), recording(5, request(.get, "/t/7?p=2")),
      recording(6, request(.get, "/t/7?p=1")),
    ])
    #expect(replay.outcome(request(.get, "/t/7?p=2")) == "5, 1 of 1")
    #expect(replay.outcome(request(.get, "/t/7?p=2")) == "5, 1 of 1")
    #expect(replay.outcome(Self.get) == "1, 1 of 2")
    #expect(replay.outcome(request(.put, "/t/7")) == "2, 1 of 1")
    #expect(replay.outcome(Self.get) == "3, 2 of 2")
    #expect(replay.outcome(request(.get, "/t/7?p=1")) == "4, 1 of 2")
    #expect(replay.outcome(request(.get, "/t/7?p=1")) == "6, 2 of 2")
    #expect(replay.session.summary == .init(plays: 7))
  }

  @Test(arguments: [
    (Exhausted.repeatLast, ["1, 1 of 2", "2, 2 of 2", "2, 2 of 2", "2, 2 of 2"]),
    (.miss, ["1, 1 of 2", "2, 2 of 2", "exhausted", "exhausted"]),
    (.cycle, ["1, 1 of 2", "2, 2 of 2", "1, 1 of 2", "2, 2 of 2"]),
  ])
  func `when recordings run out comes what was asked for`(
    exhausted: Exhausted, expected: [String]
  ) {
    var replay = Replay([recording(1, Self.get), recording(2, Self.get)], exhausted: exhausted)
    #expect((0..<4).map { _ in replay.outcome(Self.get) } == expected)
  }

  @Test func `a play holds the interaction and its script`() throws {
    let interaction = recording(1, Self.get)
    var replay = Replay([interaction])
    let expected = Plan.play(
      Play(
        try #require(PreparedPlay(interaction, pacing: .immediate)), ordinal: 1, count: 1,
        isSettled: true))
    #expect(replay.plan(Self.get) == expected)
    #expect(replay.plan(Self.get) == expected)
    #expect(
      "\(expected)" == """
        play interaction 1, 1 of 1
        interaction 1, framing length
        request end: head 200 OK
        then: end
        """)
  }

  @Test func `a play is settled when every such request gets it`() {
    func isSettled(_ interactions: [Interaction], _ exhausted: Exhausted) -> Bool? {
      var replay = Replay(interactions, exhausted: exhausted)
      guard case .play(let play) = replay.plan(Self.get) else { return nil }
      return play.isSettled
    }
    let (one, two) = (recording(1, Self.get), recording(2, Self.get))
    #expect(isSettled([one], .repeatLast) == true)
    #expect(isSettled([one], .cycle) == true)
    #expect(isSettled([one], .miss) == false)
    #expect(isSettled([one, two], .repeatLast) == false)
    #expect(isSettled([one, two], .cycle) == false)
  }

  @Test func `pacing decides the script`() {
    let source = MemorySource(interactions: [recording(1, Self.get)])
    var planner = source.planner(pacing: .recorded)
    let plan = try? planner.plan(
      Self.get, upstream: nil, content: .absent, session: ReplaySession(), date: 0,
      source: source)
    #expect(plan?.description.contains("request end + 250ms: head 200 OK") == true)
  }

  @Test func `a client before HTTP 1-1 gets a script of its own`() {
    let response = RecordedResponse(head: head(200, "OK"), framing: .chunked)
    var replay = Replay([recording(1, Self.get, response)])
    var old = Self.get
    old.version = .http10
    for (request, framing) in [(Self.get, RecordedFraming.chunked), (old, .untilClose)] {
      guard case .play(let play) = replay.plan(request) else {
        Issue.record("no play")
        continue
      }
      #expect(play.script.framing == framing)
    }
  }

  @Test(arguments: [
    "/api/v4/projects/a%2Fb", "/file%3Atest.pdf", "/encoded%2520path", "/a//b", "/a/./b/../c",
    "/%7euser", "/~user", "/sp%20ace+plus", "/%e2%9c%93", "/%E2%9C%93", "/raw-ü",
    "/semi;v=1,2", "/q?", "/q", "/q?a=%5B%5D&b[]=1", "/q?u=http://x/y?z", "/pct%",
    "/q?s='|^{}",
  ])
  func `each target replays its own recording`(target: String) {
    let targets = [
      "/api/v4/projects/a%2Fb", "/api/v4/projects/a/b", "/file%3Atest.pdf", "/file:test.pdf",
      "/encoded%2520path", "/encoded%20path", "/a//b", "/a/b", "/a/./b/../c", "/a/c",
      "/%7euser", "/~user", "/sp%20ace+plus", "/sp ace+plus", "/%e2%9c%93", "/%E2%9C%93",
      "/raw-ü", "/semi;v=1,2", "/q?", "/q", "/q?a=%5B%5D&b[]=1", "/q?u=http://x/y?z", "/pct%",
      "/q?s='|^{}",
    ]
    var replay = Replay(
      targets.enumerated().map { recording(Int64($0.offset), request(.get, $0.element)) })
    let index = targets.firstIndex(of: target).map(String.init) ?? "none"
    #expect(replay.outcome(request(.get, target)) == "\(index), 1 of 1")
  }

  @Test func `each upstream has its own recordings`() {
    var replay = Replay([
      recording(1, Self.get, upstream: "api"), recording(2, Self.get, upstream: "img"),
    ])
    #expect(replay.outcome(Self.get, upstream: "img") == "2, 1 of 1")
    #expect(replay.outcome(Self.get, upstream: "api") == "1, 1 of 1")
    #expect(replay.outcome(Self.get) == "not-recorded")
  }

  @Test func `a failing source fails the plan`() {
    let source = MemorySource(interactions: [recording(1, Self.get)])
    var planner = source.planner()
    #expect(throws: MemorySource.Missing.self) {
      try planner.plan(
        Self.get, upstream: nil, content: .absent, session: ReplaySession(), date: 0,
        source: MemorySource(interactions: []))
    }
  }

  @Test func `what could not be stored is a miss in its place`() {
    var replay = Replay([
      recording(1, Self.get), recording(2, Self.get, notes: [.contentOmitted]),
      recording(3, Self.get),
    ])
    #expect(
      (0..<3).map { _ in replay.outcome(Self.get) } == [
        "1, 1 of 3", "content-omitted", "3, 3 of 3",
      ])
    #expect(replay.session.summary == .init(plays: 2, misses: 1, distinctMisses: 1))
  }

  @Test func `what the client did not wait for has no place, and is not answered when it is alone`()
  {
    var replay = Replay([
      recording(1, Self.get, nil, outcome: .cancelled), recording(2, Self.get),
      recording(3, request(.get, "/b"), nil, outcome: .cancelled),
    ])
    #expect(replay.outcome(Self.get) == "2, 1 of 1")
    #expect(replay.outcome(request(.get, "/b")) == "3, 1 of 1")
    #expect(
      replay.plan(request(.get, "/b")).description == """
        play interaction 3, 1 of 1
        interaction 3, framing none
        request end: wait for the client leaves
        """)
  }

  /// What is played once is not kept: a client that goes through a cassette leaves nothing behind.
  @Test func `a recording is fetched twice for all its plays`() {
    let source = CountingSource(
      recordings: MemorySource(interactions: [recording(1, Self.get), recording(2, Self.get)]))
    var planner = Planner<CountingSource>(
      index: source.recordings.index, keys: MatchKeys(description: CassetteDescription()),
      pacing: .immediate, exhausted: .cycle)
    let session = ReplaySession()
    let fetches = (0..<5).map { _ in
      _ = try? planner.plan(
        Self.get, upstream: nil, content: .absent, session: session, date: 0, source: source)
      return source.fetches
    }
    #expect(fetches == [1, 2, 3, 4, 4])
  }

  final class CountingSource: InteractionSource {
    let recordings: MemorySource
    var fetches = 0

    init(recordings: MemorySource) {
      self.recordings = recordings
    }

    func interaction(id: Int64) throws(MemorySource.Missing) -> Interaction {
      fetches += 1
      return try recordings.interaction(id: id)
    }

    func foldRequests<Part: Sendable>(
      from initial: Part, _ add: @escaping @Sendable (inout Part, RequestOutline) -> Void
    ) throws(MemorySource.Missing) -> [Part] {
      try recordings.foldRequests(from: initial, add)
    }

    func forEachRequest(
      of ids: [Int64], _ body: (RequestRow) -> Void
    ) throws(MemorySource.Missing) {
      try recordings.forEachRequest(of: ids, body)
    }

    func foldContents<Part: Sendable>(
      _ bodies: [StoredContent], from initial: Part,
      _ add: @escaping @Sendable (inout Part, _ place: Int, UnsafeRawBufferPointer) -> Void
    ) throws(MemorySource.Missing) -> [Part] {
      try recordings.foldContents(bodies, from: initial, add)
    }
  }
}
