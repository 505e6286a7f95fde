import FixtureReplay
import Testing

/// What becomes of connections, as transcripts on a virtual clock.
@Suite struct ConnectionScriptTests {
  /// Something that happens to a server, at an instant in milliseconds.
  enum Event {
    case connects
    /// A connection that was served ends.
    case ends
    /// The client of one that is held or stalled leaves.
    case leaves(Int64)
    case raised([String])
  }

  /// Lets events happen at their instants, and time jump to the next thing to do.
  private func transcript(_ lines: [String], _ events: [(ms: Int64, event: Event)]) throws -> String
  {
    let session = ScenarioSetup(rules: try lines.map { try Rule(parsing: $0.utf8) }, seed: 1)
      .begun(at: 1_000_000)
    var playhead = ConnectionPlayhead(
      try #require(session.connections), began_ns: session.began_ns)
    var transcript = Transcript()
    var events = events[...]
    var now_ns: Int64 = 0
    for _ in 0..<1000 {
      while let next = events.first, next.ms * 1_000_000 <= now_ns {
        events.removeFirst()
        switch next.event {
        case .connects: _ = playhead.connected()
        case .ends: playhead.ended()
        case .leaves(let connection): playhead.left(connection)
        case .raised(let names): playhead.flagsChanged(to: Set(names.map { Flag($0) }))
        }
      }
      switch playhead.next(at: now_ns + session.began_ns) {
      case .perform(let action): transcript.performed(action, after_ns: now_ns)
      case .waitUntil(let due_ns):
        now_ns = min(due_ns - session.began_ns, events.first.map { $0.ms * 1_000_000 } ?? .max)
      case .waitForEvent:
        guard let next = events.first else { return transcript.description }
        now_ns = next.ms * 1_000_000
      }
    }
    return "\(transcript)\ndoes not end"
  }

  @Test func `nobody can connect in the time of a rule`() throws {
    #expect(
      try transcript(
        ["*: after 5s, for 10s, refuse"], [(1, .connects), (4999, .connects), (15_000, .connects)])
          == """
          1ms serve connection 1
          4999ms serve connection 2
          5000ms listeners refusing
          15000ms listeners accepting
          15000ms serve connection 3
          """)
    #expect(
      try transcript(["*: for 2s, blackhole"], []) == """
        0ms listeners silent
        2000ms listeners accepting
        """)
    #expect(try transcript(["*: after 2s, refuse"], []) == "2000ms listeners refusing")
  }

  @Test func `a flag closes the door and opens it, within the time of its rule`() throws {
    #expect(
      try transcript(
        ["*: while down, refuse", "*: while lost, after 2s, for 2s, blackhole"],
        [
          (100, .raised(["down"])), (200, .raised([])), (1000, .raised(["lost"])),
          (2500, .raised([])),
          (3000, .raised(["lost", "other"])),
        ]) == """
          100ms listeners refusing
          200ms listeners accepting
          2000ms listeners silent
          2500ms listeners accepting
          3000ms listeners silent
          4000ms listeners accepting
          """)
  }

  @Test func `of two words about listening the last rule counts`() throws {
    #expect(
      try transcript(["*: for 3s, refuse", "*: after 1s, for 1s, blackhole"], []) == """
        0ms listeners refusing
        1000ms listeners silent
        2000ms listeners refusing
        3000ms listeners accepting
        """)
  }

  @Test func `those beyond a limit wait for their turn, first come, first served`() throws {
    #expect(
      try transcript(
        ["*: connections 2 queue"],
        [
          (1, .connects), (2, .connects), (3, .connects), (4, .connects), (5, .connects),
          (10, .leaves(4)), (20, .ends), (30, .ends), (40, .ends), (50, .connects),
        ]) == """
          1ms serve connection 1
          2ms serve connection 2
          3ms hold connection 3
          4ms hold connection 4
          5ms hold connection 5
          20ms serve connection 3
          30ms serve connection 5
          50ms serve connection 6
          """)
  }

  @Test func `those beyond a limit are reset, or stall for good`() throws {
    let events: [(ms: Int64, event: Event)] = [
      (1, .connects), (2, .connects), (3, .ends), (4, .connects), (5, .connects),
    ]
    #expect(
      try transcript(["*: connections 1 refuse"], events) == """
        1ms serve connection 1
        2ms reset connection 2
        4ms serve connection 3
        5ms reset connection 4
        """)
    #expect(
      try transcript(["*: connections 1 stall"], events) == """
        1ms serve connection 1
        2ms stall connection 2
        4ms serve connection 3
        5ms stall connection 4
        """)
  }

  @Test func `a limit counts what was served before it, and lets all in when it ends`() throws {
    #expect(
      try transcript(
        ["*: after 10ms, for 20ms, connections 1 queue"],
        [
          (1, .connects), (2, .connects), (11, .connects), (12, .ends), (13, .ends),
          (14, .connects),
        ]
      ) == """
        1ms serve connection 1
        2ms serve connection 2
        11ms hold connection 3
        13ms serve connection 3
        14ms hold connection 4
        30ms serve connection 4
        """)
    #expect(
      try transcript(
        ["*: connections 1 refuse", "*: while calm, connections 3 queue"],
        [
          (1, .connects), (2, .connects), (3, .raised(["calm"])), (4, .connects), (5, .connects),
          (6, .connects), (7, .raised([])), (8, .ends), (9, .ends), (10, .ends),
        ])
          == """
          1ms serve connection 1
          2ms reset connection 2
          4ms serve connection 3
          5ms serve connection 4
          6ms hold connection 5
          10ms serve connection 5
          """)
  }

  @Test func `who waits when nothing listens any more is reset`() throws {
    #expect(
      try transcript(
        ["*: connections 1 queue", "*: while odd, connections 1 stall", "*: after 9ms, refuse"],
        [(1, .connects), (2, .connects), (3, .raised(["odd"])), (4, .connects)]) == """
          1ms serve connection 1
          2ms hold connection 2
          4ms stall connection 3
          9ms listeners refusing
          9ms reset connection 2
          9ms reset connection 3
          """)
  }

  @Test func `a script says in words what is in force when`() throws {
    let lines = [
      "/a: delay 1s", "*: after 5s, for 10s, refuse", "*: for 1s, while a, while b, blackhole",
      "*: after 1m, connections 3 stall", "*: connections 1 queue, delay 1s",
    ]
    let script = ConnectionScript(try lines.map { try Rule(parsing: $0.utf8) })
    #expect(
      script?.description == """
        from 5s to 15s: refuse (rule 2)
        to 1s, while a, while b: blackhole (rule 3)
        from 1m: connections 3 stall (rule 4)
        always: connections 1 queue (rule 5)
        """)
    #expect(ConnectionScript([try Rule(parsing: "*: delay 1s, upload 1B/s".utf8)]) == nil)
  }

  @Test func `words about connections are not met by requests`() throws {
    let session = ScenarioSetup(
      rules: [try Rule(parsing: "*: for 1s, refuse, connections 1 stall".utf8)], seed: 1
    ).begun(at: 0)
    let encounter = session.foresee(
      RuleRequest(method: .get, target: [0x2F]), key: 1, now_ns: 0)
    #expect(encounter.met.isEmpty)
  }
}
