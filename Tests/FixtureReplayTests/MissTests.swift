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
    var replay = Replay([recording(1, request(.get, "/a"))])
    let miss = try Self.miss(&replay, request(.post, "/a"), content("xyz"))
    #expect(
      Self.text(miss) == """
        {"type":"urn:fixtured:miss","title":"no interaction matched","status":501,\
        "detail":"POST /a is not in the cassette","reason":"not-recorded",\
        "request":{"method":"POST","target":"/a","content_size":3},\
        "nearest":[{"interaction":1,"method":"GET","target":"/a","differs":["method"]}],\
        "what_to_do":"record it with fixtured record --mode new-episodes"}
        """)
    #expect(
      "\(miss)" == """
        POST /a is not in the cassette, nearest is interaction 1 GET /a (other method), \
        record it with fixtured record --mode new-episodes
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

  @Test func `what is used up says so`() throws {
    var replay = Replay([recording(1, request(.get, "/a"))], exhausted: .miss)
    _ = replay.plan(request(.get, "/a"))
    let miss = try Self.miss(&replay, request(.get, "/a"))
    #expect(
      "\(miss)" == """
        GET /a is recorded 1 time, already used, \
        replay with --exhausted repeat or cycle, or start the replay again
        """)
  }

  @Test func `other content names the recordings of the target`() throws {
    let post = request(.post, "/o")
    var replay = Replay((1...5).map { recording($0, post, sent: body($0, "\($0)")) })
    let miss = try Self.miss(&replay, post, upstream: nil, content("9"))
    #expect(
      miss.nearest.map(\.description)
        == (1...3).map { interaction in
          "interaction \(interaction) POST /o (other content)"
        })
    #expect(miss.reason == .differs(recordings: 5))
  }

  @Test(arguments: [
    ("/a?x=1", "/a", "query"), ("/a", "/a?", "query"), ("/a?x=1", "/a?", "query"),
    ("/a/", "/a", "path"), ("/a", "/a/", "path"), ("/a?x=1", "/a/?x=1", "path"),
  ])
  func `a recording that differs in a part that can be guessed is near`(
    asked: String, recorded: String, part: String
  ) throws {
    var replay = Replay([recording(1, request(.get, recorded))])
    let miss = try Self.miss(&replay, request(.get, asked))
    #expect(
      miss.nearest.map(\.description) == ["interaction 1 GET \(recorded) (other \(part))"])
  }

  @Test func `nearest recordings are those of the same upstream`() throws {
    var replay = Replay([recording(1, request(.get, "/a"), upstream: "img")])
    let miss = try Self.miss(&replay, request(.put, "/a"), upstream: "api")
    #expect(miss.nearest == [])
    #expect(miss.description.hasPrefix("PUT /a of api is not in the cassette"))
    #expect(Self.text(miss).contains(#""target":"/a","upstream":"api"}"#))
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
      #expect(miss.description.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    }
  }

  @Test func `an empty target is no crash`() throws {
    var replay = Replay([])
    let miss = try Self.miss(&replay, RequestHead(method: .get, target: []))
    #expect(miss.reason == .notRecorded)
  }
}
