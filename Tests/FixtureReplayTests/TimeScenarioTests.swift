import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

/// The measured behaviours of slow servers, exact on a clock that only tests move: what comes when,
/// and what a client with a deadline or a least speed has seen by then.
@Suite struct TimeScenarioTests {
  /// When each byte count of an answer had come, since the request.
  private struct Arrivals {
    private(set) var pieces: [(at_ns: Int64, count: Int64)] = []
    private(set) var end_ns: Int64?

    init(_ clauses: String, size: Int64) throws {
      let script = answer(framing: .length, .content(BodySlice(body: 1, range: 0..<size)))
      let flowing = try faulted(["*: \(clauses)"], script).script
      var playhead = Playhead(script: flowing, accepted_ns: 0, requestHead_ns: 0, requestEnd_ns: 0)
      var now_ns: Int64 = 0
      while true {
        switch playhead.next(at: now_ns) {
        case .perform(.content(let slice)): pieces.append((now_ns, slice.count))
        case .perform(.end): end_ns = now_ns
        case .perform: break
        case .waitUntil(let due_ns): now_ns = due_ns
        case .finished, .waitFor, .waitForGrant, .waitForRequestEnd: return
        }
      }
    }

    func count(by time: Duration) -> Int64 {
      let time_ns = time.saturatedNanoseconds
      return pieces.prefix { $0.at_ns <= time_ns }.reduce(0) { $0 + $1.count }
    }

    /// Bytes in each whole second.
    var seconds: [Int64] {
      let last_ns = (pieces.last?.at_ns ?? 1) - 1
      var seconds = [Int64](repeating: 0, count: Int(last_ns / 1_000_000_000) + 1)
      for piece in pieces { seconds[Int((piece.at_ns - 1) / 1_000_000_000)] += piece.count }
      return seconds
    }
  }

  @Test(arguments: [100, 300, 1500])
  func `a delay is exact`(_ ms: Int64) throws {
    let answer = try Arrivals("delay \(ms)ms", size: 10)
    #expect(answer.end_ns == ms * 1_000_000)
  }

  /// Nothing ever comes.
  @Test func `a hang has no end`() throws {
    let answer = try Arrivals("hang", size: 10)
    #expect(answer.pieces.isEmpty && answer.end_ns == nil)
  }

  /// The pause after the last byte holds nothing back.
  @Test func `eight bytes at 600 ms are eight pieces in 4.2 s`() throws {
    let answer = try Arrivals("trickle 1B/600ms", size: 8)
    #expect(answer.pieces.map(\.count) == Array(repeating: 1, count: 8))
    #expect(answer.pieces.map(\.at_ns) == (0..<8).map { $0 * 600_000_000 })
    #expect(answer.end_ns == 4_200_000_000)
  }

  /// With what a deadline and a least speed make of it.
  @Test func `1 MB at 100 KB per second takes ten seconds`() throws {
    let answer = try Arrivals("rate 100KB/s", size: 1_000_000)
    #expect(answer.end_ns == 10_000_000_000)
    #expect(answer.count(by: .seconds(5)) == 500_000)
    #expect(answer.seconds == Array(repeating: 100_000, count: 10))
    // Pieces are even: never more than 10 ms behind the line, never ahead of it.
    for piece in answer.pieces.enumerated() {
      #expect(piece.element.at_ns == Int64(piece.offset + 1) * 10_000_000)
    }
  }

  @Test func `40 KB per second are too slow for who wants 50`() throws {
    let answer = try Arrivals("rate 40KB/s", size: 1_000_000)
    #expect(answer.count(by: .seconds(4)) == 160_000)
    #expect(answer.seconds.allSatisfy { $0 < 50_000 })
    #expect(answer.end_ns == 25_000_000_000)
  }

  @Test func `2 MB at 10 MB per second take 0.2 s`() throws {
    #expect(try Arrivals("rate 10MB/s", size: 2_000_000).end_ns == 200_000_000)
  }

  @Test func `a stall in the middle is made up by nobody`() throws {
    let answer = try Arrivals("rate 100KB/s, stall 2s at 500KB", size: 1_000_000)
    #expect(answer.end_ns == 12_000_000_000)
    #expect(answer.count(by: .seconds(5)) == 500_000)
    #expect(answer.count(by: .seconds(7)) == 500_000)
    #expect(answer.count(by: .milliseconds(7010)) == 501_000)
    // Patient for four seconds: fewer in a row are below 50 KB/s.
    #expect(answer.seconds.count { $0 < 50_000 } == 2)
    let forEver = try Arrivals("rate 100KB/s, hang at 50%", size: 1_000_000)
    #expect(forEver.count(by: .seconds(3600)) == 500_000 && forEver.end_ns == nil)
  }

  @Test func `the head comes at once and the content later`() throws {
    #expect(
      try played("*: pause 2s, rate 1KB/s") == """
        0ms head 200 OK | Content-Length: 10
        2010ms content body 1 at 0..<10
        2010ms end
        """)
  }

  /// A thousand answers that flow for a day forget nothing and keep little.
  @Test func `steps that were performed are not kept`() throws {
    let script = try faulted(["*: trickle 1B/1s"], plainAnswer).script
    var playhead = Playhead(script: script, accepted_ns: 0, requestHead_ns: 0, requestEnd_ns: 0)
    while case .perform = playhead.next(at: 0) {}
    #expect(!"\(playhead)".contains("Content-Length"))
    #expect(playhead.next(at: 0) == .waitUntil(1_000_000_000))
    let second = Action.content(BodySlice(body: 1, range: 1..<2))
    #expect(playhead.next(at: 1_000_000_000) == .perform(second))
  }
}
