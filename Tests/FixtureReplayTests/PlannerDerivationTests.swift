import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

/// Which recording answers conditional and range requests, and HEAD.
@Suite struct PlannerDerivationTests {
  static func get(_ lines: (StaticString, String)...) -> RequestHead {
    var asked = request(.get, "/a")
    for (name, value) in lines { asked.fields.append(name, value) }
    return asked
  }

  static func ifNoneMatch(_ tag: String) -> RequestHead { get(("If-None-Match", "\"\(tag)\"")) }
  static func range(_ range: String) -> RequestHead { get(("Range", "bytes=\(range)")) }

  static func whole(_ id: Int64, _ tag: String, _ asked: RequestHead = get()) -> Interaction {
    recording(
      id, asked,
      RecordedResponse(
        head: head(200, "OK", section(("ETag", "\"\(tag)\""))), framing: .length,
        body: body(id, "0123456789")))
  }

  static func unchanged(_ id: Int64, _ tag: String, _ asked: RequestHead) -> Interaction {
    recording(
      id, asked,
      RecordedResponse(
        head: head(304, "Not Modified", section(("ETag", "\"\(tag)\""))), framing: .none))
  }

  static func part(_ id: Int64, _ range: String, of size: Int = 10) -> Interaction {
    let ends = range.split(separator: "-")
    let text = String(repeating: "x", count: Int(ends[1])! - Int(ends[0])! + 1)
    return recording(
      id, Self.range(range),
      RecordedResponse(
        head: head(
          206, "Partial Content",
          section(("ETag", "\"a\""), ("Content-Range", "bytes \(range)/\(size)"))),
        framing: .length, body: body(id, text)))
  }

  @Test func `a recorded 304 stands for what its client had`() {
    let interactions = [
      Self.whole(1, "a"), Self.unchanged(2, "a", Self.ifNoneMatch("a")),
      Self.whole(3, "b", Self.ifNoneMatch("a")), Self.unchanged(4, "b", Self.ifNoneMatch("b")),
    ]
    // Whoever asks as the recorded client did gets the same.
    var replay = Replay(interactions)
    #expect(
      [Self.get(), Self.ifNoneMatch("a"), Self.ifNoneMatch("a"), Self.ifNoneMatch("b")].map {
        replay.outcome($0)
      } == ["1, 1 of 4", "2, 2 of 4", "3, 3 of 4", "4, 4 of 4"])
    // Who has nothing, or something else, gets the content that the 304 stands for.
    replay = Replay(interactions)
    #expect(
      [Self.get(), Self.get(), Self.get(), Self.ifNoneMatch("a"), Self.get()].map {
        replay.outcome($0)
      } == ["1, 1 of 4", "1, 2 of 4", "3, 3 of 4", "3, 4 of 4", "3, 4 of 4"])
  }

  @Test func `a recorded 304 answers every condition that it fulfils`() {
    var replay = Replay([
      Self.whole(1, "a"), Self.unchanged(2, "a", Self.ifNoneMatch("a")),
    ])
    _ = replay.plan(Self.get())
    #expect(replay.outcome(Self.get(("If-None-Match", "\"x\", W/\"a\""))) == "2, 2 of 2")
    #expect(replay.outcome(Self.get(("If-None-Match", "*"))) == "2, 2 of 2")
    #expect(replay.outcome(Self.ifNoneMatch("b")) == "1, 2 of 2")
  }

  @Test func `a 304 whose content was never recorded is for those alone who have it`() {
    let only = [Self.unchanged(1, "a", Self.ifNoneMatch("a"))]
    var replay = Replay(only)
    #expect(replay.outcome(Self.ifNoneMatch("a")) == "1, 1 of 1")
    #expect(replay.outcome(Self.get(("If-None-Match", "W/\"a\", \"b\""))) == "1, 1 of 1")
    #expect(replay.outcome(Self.get()) == "partial")
    #expect(replay.outcome(Self.ifNoneMatch("b")) == "partial")
    #expect(replay.session.summary == .init(plays: 2, misses: 2, distinctMisses: 1))
    // What comes later will do.
    replay = Replay(only + [Self.whole(2, "b")])
    #expect(replay.outcome(Self.get()) == "2, 2 of 2")
    #expect(replay.outcome(Self.ifNoneMatch("a")) == "2, 2 of 2")
  }

  @Test func `a date finds what it is the date of`() {
    func dated(_ id: Int64, _ status: Int, _ asked: RequestHead) -> Interaction {
      let fields = section(("Last-Modified", DerivationTests.earlier))
      return recording(
        id, asked,
        RecordedResponse(head: head(status, "x", status == 200 ? fields : .init()), framing: .none))
    }
    var replay = Replay([
      dated(1, 200, Self.get()),
      dated(2, 304, Self.get(("If-Modified-Since", DerivationTests.date))),
    ])
    _ = replay.plan(Self.get())
    #expect(replay.outcome(Self.get()) == "1, 2 of 2")
    #expect(
      replay.outcome(Self.get(("If-Modified-Since", DerivationTests.earlier))) == "2, 2 of 2")
  }

  @Test func `a 304 without a condition is replayed as it is`() {
    var replay = Replay([Self.unchanged(1, "a", Self.get())])
    #expect(replay.outcome(Self.get()) == "1, 1 of 1")
    #expect(replay.outcome(Self.ifNoneMatch("b")) == "1, 1 of 1")
  }

  @Test func `a part answers its range, the whole all others`() {
    var replay = Replay([
      Self.part(1, "0-3"), Self.part(2, "4-9"), Self.whole(3, "a"), Self.part(4, "0-3"),
    ])
    let asked = [
      Self.range("4-9"), Self.range("0-3"), Self.range("0-3"), Self.range("0-3"),
      Self.range("1-2"), Self.get(), Self.range("4-9"),
    ]
    #expect(
      asked.map { replay.outcome($0) } == [
        "2, 1 of 1", "1, 1 of 2", "4, 2 of 2", "4, 2 of 2", "3, 1 of 1", "3, 1 of 1", "2, 1 of 1",
      ])
  }

  @Test func `a part is not sent to who has another version`() {
    var replay = Replay([Self.part(1, "4-9"), Self.whole(2, "b")])
    func ifRange(_ tag: String) -> RequestHead {
      Self.get(("Range", "bytes=4-9"), ("If-Range", "\"\(tag)\""))
    }
    #expect(replay.outcome(ifRange("a")) == "1, 1 of 1")
    #expect(replay.outcome(ifRange("b")) == "2, 1 of 1")
  }

  @Test func `parts alone answer what can be cut from them`() {
    var replay = Replay([Self.part(1, "0-3"), Self.part(2, "4-9")])
    #expect(replay.outcome(Self.range("5-6")) == "2, 1 of 1")
    #expect(replay.outcome(Self.range("-1")) == "2, 1 of 1")
    #expect(replay.outcome(Self.range("3-4")) == "partial")
    #expect(replay.outcome(Self.get()) == "partial")
    replay = Replay([Self.part(1, "0-9")])
    #expect(replay.outcome(Self.get()) == "1, 1 of 1")
    #expect(replay.outcome(request(.head, "/a")) == "1, 1 of 1")
  }

  @Test func `without derivation only what was recorded is given`() {
    let source = MemorySource(interactions: [
      Self.whole(1, "a"), Self.unchanged(2, "a", Self.ifNoneMatch("a")),
      recording(
        3, request(.get, "/b", section(("Range", "bytes=0-3"))), Self.part(3, "0-3").response),
    ])
    let session = ReplaySession()
    var planner = Planner<MemorySource>(
      index: source.index, keys: MatchKeys(description: source.description), pacing: .immediate,
      exhausted: .repeatLast, derives: false)
    func outcome(_ asked: RequestHead) -> String {
      let plan = try? planner.plan(
        asked, upstream: nil, content: .absent, session: session, date: 0, source: source)
      switch plan {
      case .play(let play): return "\(play.id)"
      case .miss(let miss): return miss.reason.word
      case .ruled, .needsContent, nil: return "-"
      }
    }
    #expect(outcome(Self.get()) == "1")
    #expect(outcome(Self.ifNoneMatch("a")) == "2")
    #expect(outcome(Self.ifNoneMatch("b")) == "1")
    #expect(outcome(Self.get()) == "1")
    #expect(outcome(request(.head, "/a")) == "not-recorded")
    #expect(outcome(request(.get, "/b", section(("Range", "bytes=0-3")))) == "3")
    #expect(outcome(request(.get, "/b", section(("Range", "bytes=1-2")))) == "partial")
  }

  @Test func `HEAD tells what the next GET will give, unless it was recorded itself`() {
    var replay = Replay([Self.whole(1, "a"), Self.whole(2, "b")])
    let head = request(.head, "/a")
    #expect(
      [head, head, Self.get(), head, Self.get(), head].map { replay.outcome($0) } == [
        "1, 1 of 2", "1, 1 of 2", "1, 1 of 2", "2, 2 of 2", "2, 2 of 2", "2, 2 of 2",
      ])
    replay = Replay([Self.whole(1, "a"), recording(2, head)])
    #expect(replay.outcome(head) == "2, 1 of 1")
    replay = Replay([Self.whole(1, "a")], match: try! MatchOptions("-method"))
    #expect(replay.outcome(head) == "not-recorded")
  }

  @Test func `the validators of a target are those that GET gave last`() throws {
    let source = MemorySource(interactions: [
      Self.whole(1, "a"), Self.unchanged(2, "a", Self.ifNoneMatch("a")), Self.whole(3, "b"),
      recording(4, request(.put, "/a")), recording(5, request(.put, "/b")),
    ])
    let session = ReplaySession()
    var planner = source.planner()
    func current(_ target: String = "/a") throws -> String? {
      let validators = try planner.currentValidators(
        of: request(.put, target), upstream: nil, session: session, source: source)
      return validators?.entityTag.map { String(decoding: $0.bytes, as: UTF8.self) }
    }
    func get() throws {
      _ = try planner.plan(
        Self.get(), upstream: nil, content: .absent, session: session, date: 0, source: source)
    }
    #expect(try current() == "\"a\"")
    try get()
    #expect(try current() == "\"a\"")
    try get()
    #expect(try current() == "\"a\"")
    try get()
    #expect(try current() == "\"b\"")
    #expect(try current("/b") == nil)
    #expect(session.summary == .init(plays: 3))
  }
}
