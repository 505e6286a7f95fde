import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct TimingFaultTests {
  @Test(arguments: [
    (
      "*: delay 100ms",
      "100ms head 200 OK | Content-Length: 10\n100ms content body 1 at 0..<10\n100ms end"
    ),
    (
      "*: pause 100ms",
      "0ms head 200 OK | Content-Length: 10\n100ms content body 1 at 0..<10\n100ms end"
    ),
    (
      "*: trickle 4B/1s",
      """
      0ms head 200 OK | Content-Length: 10
      0ms content body 1 at 0..<4
      1000ms content body 1 at 4..<8
      2000ms content body 1 at 8..<10
      2000ms end
      """
    ),
    (
      "*: trickle 4 pieces over 1s",
      """
      0ms head 200 OK | Content-Length: 10
      250ms content body 1 at 0..<3
      500ms content body 1 at 3..<5
      750ms content body 1 at 5..<8
      1000ms content body 1 at 8..<10
      1000ms end
      """
    ),
    (
      "*: rate 400B/s",
      """
      0ms head 200 OK | Content-Length: 10
      10ms content body 1 at 0..<4
      20ms content body 1 at 4..<8
      25ms content body 1 at 8..<10
      25ms end
      """
    ),
    (
      "*: trickle 5B/1s, rate 400B/s",
      """
      0ms head 200 OK | Content-Length: 10
      10ms content body 1 at 0..<4
      12.5ms content body 1 at 4..<5
      1000ms content body 1 at 5..<8
      1000ms content body 1 at 8..<10
      1000ms end
      """
    ),
    (
      "*: rate 400B/s, stall 1s at 60%",
      """
      0ms head 200 OK | Content-Length: 10
      10ms content body 1 at 0..<4
      15ms content body 1 at 4..<6
      1020ms content body 1 at 6..<8
      1025ms content body 1 at 8..<10
      1025ms end
      """
    ),
    (
      "*: stall 1s in head",
      """
      0ms head beginning 200 OK | Content-Length: 10
      1000ms head rest
      1000ms content body 1 at 0..<10
      1000ms end
      """
    ),
    (
      "*: stall 1s before head",
      "1000ms head 200 OK | Content-Length: 10\n1000ms content body 1 at 0..<10\n1000ms end"
    ),
    (
      "*: stall 1s before end",
      "0ms head 200 OK | Content-Length: 10\n0ms content body 1 at 0..<10\n1000ms end"
    ),
    ("*: hang", "0ms waits for the client leaves"),
    ("*: hang after head", "0ms head 200 OK | Content-Length: 10\n0ms waits for the client leaves"),
    ("*: hold door", "0ms waits for door"),
    ("*: rate 1KB/s shared", "0ms head 200 OK | Content-Length: 10\n0ms waits for 10 B of rule 1"),
  ])
  func `a word changes when an answer comes`(_ line: String, _ expected: String) throws {
    #expect(try played(line) == expected)
  }

  @Test func `a recorded pace is replaced by a trickle and capped by a rate`() throws {
    #expect(
      try played("*: trickle 6B/1s", chunkedAnswer) == """
        20ms head 200 OK | ETag: "a"
        20ms content body 1 at 0..<6
        1020ms content body 1 at 6..<12
        1020ms trailers | T: 1
        1070ms end
        """)
    // Four bytes take 80 ms: the second chunk comes when it was recorded, the third by the rate.
    #expect(
      try played("*: rate 50B/s", chunkedAnswer) == """
        20ms head 200 OK | ETag: "a"
        40ms content body 1 at 0..<1
        60ms content body 1 at 1..<2
        80ms content body 1 at 2..<3
        100ms content body 1 at 3..<4
        140ms content body 1 at 4..<5
        160ms content body 1 at 5..<6
        180ms content body 1 at 6..<7
        200ms content body 1 at 7..<8
        220ms content body 1 at 8..<9
        240ms content body 1 at 9..<10
        260ms content body 1 at 10..<11
        280ms content body 1 at 11..<12
        280ms trailers | T: 1
        330ms end
        """)
  }

  @Test func `a slow client moves a flow instead of getting a burst`() throws {
    let script = try faulted(["*: trickle 5B/100ms"], plainAnswer).script
    let (transcript, rebases) = drive(script, [(0, .requestEnd), (0, .slow(300)), (600, .slow(0))])
    #expect(
      transcript.description == """
        0ms head 200 OK | Content-Length: 10
        300ms content body 1 at 0..<5
        700ms content body 1 at 5..<10
        700ms end
        """)
    #expect(rebases > 0)
  }

  @Test func `an exact rate keeps its line over hours`() throws {
    let size: Int64 = 3_600 * 100_000 * 10
    let script = answer(framing: .length, .content(BodySlice(body: 1, range: 0..<size)))
    let flowing = try faulted(["*: rate 100KB/s"], script).script
    #expect(flowing.steps.count == 3)
    var playhead = Playhead(
      script: flowing, accepted_ns: 0, requestHead_ns: 0, requestEnd_ns: 0)
    var now_ns: Int64 = 0
    var pieces = 0
    while case let next = playhead.next(at: now_ns), next != .finished {
      if case .waitUntil(let due_ns) = next { now_ns = due_ns } else { pieces += 1 }
    }
    #expect(now_ns == 36_000_000_000_000)
    #expect(pieces == 3_600_000 + 2)
  }

  /// Of so many bytes, in so many pieces over so long: when each comes, and how long it is.
  private func pieces(_ size: Int, _ clause: String) throws -> [String] {
    let script = answer(framing: .length, .generated([UInt8](repeating: 0x78, count: size)))
    return try faulted(["*: \(clause)"], size == 0 ? answer(framing: .length) : script).script
      .transcriptLines
      .filter { !$0.contains("head") }
      .map { line in
        let words = line.split(separator: " ")
        return words[1] == "generated" ? "\(words[0]) \(words[2].count)" : String(line)
      }
  }

  @Test(arguments: [
    (10, "3 pieces over 1s", ["333.333334ms 4", "666.666667ms 3", "1000ms 3", "1000ms end"]),
    (2, "5 pieces over 1s", ["500ms 1", "1000ms 1", "1000ms end"]),
    (1, "4 pieces over 1s", ["1000ms 1", "1000ms end"]), (0, "3 pieces over 1s", ["0ms end"]),
    (10, "1 pieces over 1s", ["1000ms 10", "1000ms end"]),
    (10, "3 pieces over 0ms", ["0ms 4", "0ms 3", "0ms 3", "0ms end"]),
    (7, "3B/1s", ["0ms 3", "1000ms 3", "2000ms 1", "2000ms end"]), (0, "3B/1s", ["0ms end"]),
  ])
  func `pieces add up to the content, and the last one comes when it is said to`(
    _ size: Int, _ clause: String, _ expected: [String]
  ) throws {
    #expect(try pieces(size, "trickle \(clause)") == expected)
  }

  @Test func `pieces keep their time where the content changes hands`() throws {
    // Four bytes, two that are made, and six: the second piece ends with the first of them.
    let changed = try played("*: trickle 5B/1s, corrupt utf8")
    #expect(
      changed == """
        0ms head 200 OK | Content-Length: 12
        0ms content body 1 at 0..<5
        1000ms generated \\xff\\xfe
        1000ms content body 1 at 5..<8
        2000ms content body 1 at 8..<10
        2000ms end
        """)
    #expect(
      try played("*: trickle 4B/1s, stall 1s at 4B") == """
        0ms head 200 OK | Content-Length: 10
        0ms content body 1 at 0..<4
        2000ms content body 1 at 4..<8
        3000ms content body 1 at 8..<10
        3000ms end
        """)
  }

  @Test func `content on a shared rate waits for what stands before it`() throws {
    let link = Link("rule 1", .perSecond(.kilobytes(1)))
    let script = try faulted(["*: rate 1KB/s shared, pause 1s, stall 2s at 40%"], plainAnswer)
      .script
    #expect(script.steps[1] == Step(.previous, .seconds(1), script.steps[1].action))
    #expect(
      transcript(
        script,
        [
          (0, .requestEnd), (500, .grant(1, link)), (1500, .grant(10, link)),
          (2000, .grant(6, link)), (3700, .grant(6, link)),
        ]) == """
          0ms head 200 OK | Content-Length: 10
          1000ms waits for 4 B of rule 1
          1500ms content body 1 at 0..<4
          3500ms waits for 6 B of rule 1
          3700ms content body 1 at 4..<10
          3700ms end
          """)
  }
}

extension Script {
  fileprivate var transcriptLines: [String] { drive(self).transcript.lines }
}
