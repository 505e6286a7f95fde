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
      0ms content body 1 at 0..<2
      250ms content body 1 at 2..<5
      500ms content body 1 at 5..<7
      750ms content body 1 at 7..<10
      750ms end
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
}
