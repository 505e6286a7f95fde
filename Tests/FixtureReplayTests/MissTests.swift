import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct MissTests {
  static func miss(
    _ replay: inout Replay, _ request: RequestHead, upstream: String? = nil,
    _ content: ContentIdentity = .absent
  ) throws -> Miss {
    guard case .miss(let miss) = replay.plan(request, upstream: upstream, content) else {
      throw NoMiss()
    }
    return miss
  }

  struct NoMiss: Error {}

  static func text(_ miss: Miss) -> String { String(decoding: miss.content, as: UTF8.self) }

  @Test func `it says what was asked, what is near, and what to do`() throws {
    var replay = Replay([recording(1, request(.get, "/a?x=1&ts=1"))])
    let miss = try Self.miss(&replay, request(.get, "/a?ts=2&x=1"))
    #expect(
      Self.text(miss) == """
        {"type":"urn:fixtured:miss","title":"no interaction matched","status":501,\
        "detail":"GET /a?ts=2&x=1 is not in the cassette","reason":"not-recorded",\
        "request":{"method":"GET","target":"/a?ts=2&x=1"},\
        "nearest":[{"interaction":1,"method":"GET","target":"/a?x=1&ts=1",\
        "differs":[{"part":"query","name":"ts","recorded":"1","asked":"2"}],\
        "match":"+query-ignore:ts"}],\
        "what_to_do":"replay with --match +query-ignore:ts to get interaction 1, or record it with \
        fixtured record --mode new-episodes",\
        "option":"--match +query-ignore:ts","command":"fixtured record --mode new-episodes"}
        """)
    #expect(
      "\(miss)" == """
        GET /a?ts=2&x=1 is not in the cassette
          interaction 1 GET /a?x=1&ts=1, query ts: 1 recorded, 2 asked
          replay with --match +query-ignore:ts to get interaction 1, or record it with \
        fixtured record --mode new-episodes
        """)
    #expect(
      miss.brief == """
        GET /a?ts=2&x=1 is not in the cassette, nearest is interaction 1 GET /a?x=1&ts=1, \
        query ts: 1 recorded, 2 asked; --match +query-ignore:ts
        """)
  }

  @Test func `the answer is a 501 that no cache stores`() throws {
    var replay = Replay([])
    let miss = try Self.miss(&replay, request(.get, "/b"))
    let size = miss.content.count
    #expect(
      "\(miss.script)" == """
        no interaction, framing length
        request end: head 501 Not Implemented | Date: Thu, 01 Jan 1970 00:00:00 GMT \
        | Content-Type: application/problem+json \
        | Content-Length: \(size) | Cache-Control: no-store | Fixtured-Miss: 1
        then: generated \(Self.text(miss))
        then: end
        """)
    #expect(miss.head == head(501, "Not Implemented", miss.head.fields))
  }

  @Test func `HEAD gets no content, and a client that waits for a 100 no delay`() throws {
    var replay = Replay([])
    let head = try Self.miss(&replay, request(.head, "/b"))
    #expect(head.script.framing == .none)
    #expect(head.script.steps.map(\.action) == [.head(head.head), .end])
    let waiting = try Self.miss(
      &replay, request(.post, "/b"), .pending(expectsContinue: true))
    #expect(waiting.script.steps[0].anchor == .requestHead)
    #expect(Self.text(waiting).contains(#""content_read":false"#))
    let sending = try Self.miss(
      &replay, request(.post, "/b"), .pending(expectsContinue: false))
    #expect(sending.script.steps[0].anchor == .requestEnd)
  }

  @Test(arguments: [
    (1, "recorded 1 time, already used"), (2, "recorded 2 times, both used"),
    (4, "recorded 4 times, all used"),
  ])
  func `what is used up says so`(count: Int64, words: String) throws {
    var replay = Replay(
      (1...count).map { recording($0, request(.get, "/a")) }, exhausted: .miss)
    for _ in 0..<count { _ = replay.plan(request(.get, "/a")) }
    let miss = try Self.miss(&replay, request(.get, "/a"))
    let used = (1...min(count, 3)).map { "  interaction \($0) GET /a, used\n" }.joined()
    #expect(
      "\(miss)" == """
        GET /a is \(words)
        \(used)  replay with --exhausted repeat or --exhausted cycle, or start the replay again
        """)
    #expect(miss.option == "--exhausted repeat")
    #expect(Self.text(miss).contains(#""used":true,"differs":[]}"#))
  }

  @Test func `other content names the recordings of the target`() throws {
    let post = request(.post, "/o")
    var replay = Replay((1...5).map { recording($0, post, sent: body($0, "\($0)")) })
    let miss = try Self.miss(&replay, post, upstream: nil, content("99"))
    #expect(
      miss.nearest.map(\.description)
        == (1...3).map { interaction in
          "interaction \(interaction) POST /o, content: 1 byte recorded, 2 bytes asked"
        })
    #expect(miss.reason == .differs(recordings: 5))
  }

  @Test(arguments: [
    ("/a?x=1", "/a", "query x: not recorded, 1 asked", "+query-ignore:x"),
    ("/a", "/a?", "query: an empty one recorded, not asked", "-query"),
    ("/a?x=1", "/a?", "query x: not recorded, 1 asked", "-query"),
    ("/a/", "/a", "path: /a recorded, /a/ asked", nil),
    ("/a/?x=1", "/a?x=1", "path: /a recorded, /a/ asked", nil),
    (
      "/a?x=1&x=2", "/a?x=2&x=1", "query x: 2 recorded, 1 asked; query x: 1 recorded, 2 asked",
      "+query-ignore:x"
    ),
    ("/a?x%20y=1", "/a?x+y=2", "query x y: 2 recorded, 1 asked", "'+query-ignore:x y'"),
    ("/a?token=s", "/a", "query token: not recorded, REDACTED asked", "+query-ignore:token"),
    (
      "/a?token=REDACTED-2", "/a?token=REDACTED-1",
      "query token: REDACTED-1 recorded, REDACTED-2 asked", "+query-ignore:token"
    ),
    ("/b/c/d", "/b/x/d", "path: /b/x/d recorded, /b/c/d asked", nil),
  ])
  func `a recording of another target is near, with the words that make it match`(
    asked: String, recorded: String, difference: String, words: String?
  ) throws {
    var replay = Replay([
      recording(1, request(.post, "/x/y/z?q=1")), recording(2, request(.get, recorded)),
    ])
    let miss = try Self.miss(&replay, request(.get, asked))
    let shown = recorded
    #expect(miss.nearest.first?.description == "interaction 2 GET \(shown), \(difference)")
    #expect(miss.option == words.map { "--match \($0)" })
    guard let change = miss.nearest.first?.differences.change else { return }
    var matching = Replay(
      [recording(2, request(.get, recorded))], match: try MatchOptions(change))
    // What is no word for a part of the query is one for all of it.
    if change != "-query" || !asked.contains("x=1") {
      #expect(matching.outcome(request(.get, asked)) == "2, 1 of 1")
    }
  }

  @Test func `recordings of other upstreams are named after those of the same`() throws {
    var replay = Replay([
      recording(1, request(.put, "/a"), upstream: "img"),
      recording(2, request(.get, "/a"), upstream: "api"),
    ])
    let miss = try Self.miss(&replay, request(.put, "/a"), upstream: "api")
    #expect(
      miss.nearest.map(\.description) == [
        "interaction 2 GET /a, method: GET recorded, PUT asked",
        "interaction 1 PUT /a, upstream: img recorded, api asked",
      ])
    #expect(miss.description.hasPrefix("PUT /a of api is not in the cassette\n"))
    #expect(Self.text(miss).contains(#""target":"/a","upstream":"api"}"#))
  }

  @Test func `the command that records it can be pasted`() throws {
    let description = CassetteDescription(
      upstreams: [
        .init(name: "api", url: "https://api.test/v1"), .init(name: "img", url: "http://img.test"),
      ], redactions: ["header:x-a"])
    #expect(
      RecordingCommand(cassette: "it's/x y.db", description).text == """
        fixtured record --mode new-episodes --upstream api=https://api.test/v1 \
        --upstream img=http://img.test --redact header:x-a 'it'\\''s/x y.db'
        """)
    #expect(
      RecordingCommand(
        cassette: "x.db",
        .init(upstreams: [.init(name: nil, url: "http://a.test")], redactions: nil)
      ).text
        == "fixtured record --mode new-episodes --upstream http://a.test --no-redact x.db")
    #expect(
      RecordingCommand(
        cassette: "x.db", .init(upstreams: [.init(name: nil, url: "http://a.test")]),
        match: try MatchOptions("+query-ignore:it's")
      ).text
        == "fixtured record --mode new-episodes --upstream http://a.test "
        + "--match 'method,path,query,query-ignore:it'\\''s,content' x.db")
  }

  @Test func `the command sends the Host that was sent`() {
    let description = CassetteDescription(
      upstreams: [.init(name: nil, url: "http://a.test")], preservesHost: true)
    #expect(
      RecordingCommand(cassette: "x.db", description).text
        == "fixtured record --mode new-episodes --upstream http://a.test --preserve-host x.db")
  }

  /// Redaction found it there by its text, of a rule or of another place that no request of this
  /// replay has held yet.
  @Test(arguments: [
    ("/u/REDACTED-1/a", "/u/hunter2/b"), ("/u?q=x-REDACTED-1&n=1", "/u?q=hunter2&n=2"),
  ])
  func `what stands where the recording lost a secret is not shown`(
    _ recorded: String, _ asked: String
  ) throws {
    var replay = Replay([recording(1, request(.get, recorded), notes: [.redacted])])
    let miss = try Self.miss(&replay, request(.get, asked))
    for text in [Self.text(miss), miss.description, miss.brief] {
      #expect(text.contains("REDACTED") && !text.contains("hunter2"), "\(text)")
    }
  }

  @Test func `what looks like a credential is not shown`() throws {
    let token = "ghp_" + String(repeating: "aB3", count: 12)
    var replay = Replay([recording(1, request(.get, "/a?q=1"))])
    for asked in ["/a?q=\(token)", "/a?\(token)=1", "/\(token)", "/a?q=1&r=x%20\(token)"] {
      let miss = try Self.miss(&replay, request(.get, asked))
      for text in [Self.text(miss), miss.description, miss.brief] {
        #expect(!text.contains("ghp_"), "\(text)")
      }
    }
  }

  @Test func `long values and targets are cut`() throws {
    let long = String(repeating: "v", count: 15_000)
    var replay = Replay([recording(1, request(.get, "/a?x=\(long)"))])
    let miss = try Self.miss(&replay, request(.get, "/a?x=\(long)2"))
    #expect(miss.content.count < 3000)
    #expect(miss.description.utf8.count < 3000)
    let name = String(repeating: "n", count: 500)
    let other = try Self.miss(&replay, request(.get, "/a?\(name)=1"))
    #expect(other.content.count < 6000)
  }

  @Test func `what is near is looked for once for the same miss`() throws {
    let source = PlannerTests.CountingSource(
      recordings: MemorySource(interactions: [recording(1), recording(2)]))
    var planner = Planner<PlannerTests.CountingSource>(
      index: source.recordings.index, keys: MatchKeys(description: CassetteDescription()),
      pacing: .immediate, exhausted: .repeatLast)
    let session = ReplaySession()
    let plans = try (0..<3).map { _ in
      try planner.plan(
        request(.get, "/b"), upstream: nil, content: .absent, session: session, date: 0,
        source: source)
    }
    let fetches = source.fetches
    #expect(fetches > 0)
    let nearest: [[Int64]] = plans.map { plan in
      guard case .miss(let miss) = plan else { return [] }
      return miss.nearest.map(\.interaction)
    }
    #expect(nearest == [[1, 2], [1, 2], [1, 2]])
    _ = try planner.plan(
      request(.get, "/b"), upstream: nil, content: .absent, session: session, date: 0,
      source: source)
    #expect(source.fetches == fetches)
  }

  @Test func `the same miss again is marked as repeated`() throws {
    var replay = Replay([])
    #expect(try !Self.miss(&replay, request(.get, "/a")).isRepeated)
    #expect(try Self.miss(&replay, request(.get, "/a")).isRepeated)
    #expect(try !Self.miss(&replay, request(.get, "/b")).isRepeated)
  }

  @Test func `any byte in a request can be printed`() throws {
    var replay = Replay([])
    for byte in UInt8.min...UInt8.max {
      let miss = try Self.miss(
        &replay,
        RequestHead(
          method: Method([0x58, byte]), target: [0x2F, byte, 0x3F, byte, 0x3D, byte, 0xE2]))
      let valid = String(validating: miss.content, as: UTF8.self)
      #expect(valid != nil)
      #expect(!miss.content.contains { $0 < 0x20 || $0 == 0x7F })
      #expect(miss.brief.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    }
  }

  @Test func `an empty target is no crash`() throws {
    var replay = Replay([])
    let miss = try Self.miss(&replay, RequestHead(method: .get, target: []))
    #expect(miss.reason == .notRecorded)
  }
}
