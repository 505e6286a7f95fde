import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct PlayheadTests {
  static let ok = Step(.requestEnd, .zero, .head(head(200, "OK")))

  static func slice(_ range: Range<Int64>) -> BodySlice { BodySlice(body: 1, range: range) }

  static func script(_ steps: Step...) -> Script { Script(steps: steps, framing: .chunked) }

  @Test func `an immediate script is performed in one go`() {
    let script = Self.script(
      Self.ok, Step(.previous, .zero, .content(Self.slice(0..<5))), Step(.previous, .zero, .end))
    #expect(
      transcript(script) == """
        0ms head 200 OK
        0ms content body 1 at 0..<5
        0ms end
        """)
  }

  @Test func `offsets count from the due time before, not from when it was performed`() {
    let script = Self.script(
      Self.ok, Step(.previous, .milliseconds(100), .content(Self.slice(0..<1))),
      Step(.previous, .milliseconds(100), .end))
    #expect(
      transcript(script, [(0, .requestEnd), (0, .slow(20))]) == """
        0ms head 200 OK
        100ms content body 1 at 0..<1
        200ms end
        """)
  }

  @Test func `what a slow client delays by more than 20 ms moves what follows`() {
    let script = Self.script(
      Self.ok, Step(.previous, .milliseconds(100), .content(Self.slice(0..<1))),
      Step(.previous, .milliseconds(100), .content(Self.slice(1..<2))),
      Step(.previous, .zero, .end))
    let (transcript, rebases) = drive(script, [(0, .requestEnd), (50, .slow(21))])
    #expect(
      transcript.description == """
        0ms head 200 OK
        100ms content body 1 at 0..<1
        221ms content body 1 at 1..<2
        242ms end
        """)
    #expect(rebases == 1)
  }

  @Test func `a late script without offsets has nothing to move`() {
    let script = Self.script(
      Self.ok, Step(.previous, .zero, .content(Self.slice(0..<1))), Step(.previous, .zero, .end))
    let (transcript, rebases) = drive(script, [(0, .requestEnd), (0, .slow(500))])
    #expect(
      transcript.description == """
        0ms head 200 OK
        500ms content body 1 at 0..<1
        1000ms end
        """)
    #expect(rebases == 0)
  }

  @Test func `nothing is early by a nanosecond, and a question too soon changes nothing`() {
    let script = Self.script(Step(.requestEnd, .milliseconds(3), .end))
    var playhead = Playhead(
      script: script, accepted_ns: 0, requestHead_ns: 0, requestEnd_ns: 1_000)
    #expect(playhead.next(at: 1_000) == .waitUntil(3_001_000))
    #expect(playhead.next(at: 3_000_999) == .waitUntil(3_001_000))
    #expect(playhead.next(at: 3_000_999) == .waitUntil(3_001_000))
    #expect(playhead.next(at: 3_001_000) == .perform(.end))
    #expect(playhead.next(at: 3_001_000) == .finished)
    #expect(playhead.next(at: 9_000_000) == .finished)
  }

  @Test func `a part of a nanosecond rounds up`() {
    let script = Self.script(
      Step(.requestHead, Duration(secondsComponent: 0, attosecondsComponent: 1), .end))
    var playhead = Playhead(script: script, accepted_ns: 0, requestHead_ns: 7)
    #expect(playhead.next(at: 7) == .waitUntil(8))
  }

  @Test func `steps that need the request's end wait for it`() {
    let script = Self.script(
      Step(.requestHead, .milliseconds(10), .interim(head(103, "Early Hints"))),
      Step(.requestEnd, .milliseconds(100), .head(head(200, "OK"))), Step(.previous, .zero, .end))
    #expect(
      transcript(script, [(400, .requestEnd), (450, .requestEnd)]) == """
        10ms interim 103 Early Hints
        500ms head 200 OK
        500ms end
        """)
    #expect(
      transcript(script, []) == """
        10ms interim 103 Early Hints
        10ms waits for request end
        """)
  }

  @Test func `steps stay in order when a later one is due before`() {
    let script = Self.script(
      Step(.requestHead, .milliseconds(300), .interim(head(103, ""))),
      Step(.requestEnd, .milliseconds(100), .head(head(200, "OK"))),
      Step(.previous, .milliseconds(5), .end))
    #expect(
      transcript(script) == """
        300ms interim 103
        300ms head 200 OK
        305ms end
        """)
  }

  @Test func `offsets from the accept count from there`() {
    let script = Self.script(
      Step(.accept, .milliseconds(5), .interim(head(102, ""))),
      Step(.accept, .milliseconds(30), .reset))
    #expect(
      transcript(script) == """
        0ms interim 102
        20ms reset
        """)
  }

  @Test func `a gate holds what follows until it is opened`() {
    let gate = Gate("cart")
    let script = Self.script(
      Self.ok, Step(.previous, .milliseconds(10), .wait(gate)),
      Step(.previous, .milliseconds(100), .end))
    #expect(
      transcript(script, [(0, .requestEnd), (50, .open(Gate("other"))), (400, .open(gate))]) == """
        0ms head 200 OK
        10ms waits for cart
        50ms waits for cart
        500ms end
        """)
  }

  @Test func `a gate that is open already holds nothing`() {
    let gate = Gate("cart")
    let script = Self.script(
      Self.ok, Step(.previous, .milliseconds(10), .wait(gate)), Step(.previous, .zero, .end))
    #expect(
      transcript(script, [(0, .requestEnd), (5, .open(gate)), (6, .open(gate))]) == """
        0ms head 200 OK
        10ms end
        """)
  }

  @Test func `a link lets pass what it grants`() {
    let link = Link("shared", .perSecond(.bytes(1)))
    let script = Self.script(
      Self.ok, Step(.previous, .zero, .send(.stored(Self.slice(10..<20)), via: link)),
      Step(.previous, .milliseconds(5), .end))
    let other = Link("other", .perSecond(.bytes(1)))
    let events: [(ms: Int64, event: Event)] = [
      (0, .requestEnd), (100, .grant(4, link)), (150, .grant(4, other)),
      (200, .grant(0, link)), (300, .grant(100, link)),
    ]
    let (transcript, rebases) = drive(script, events)
    #expect(
      transcript.description == """
        0ms head 200 OK
        0ms waits for 10 B of shared
        100ms content body 1 at 10..<14
        100ms waits for 6 B of shared
        150ms waits for 6 B of shared
        200ms waits for 6 B of shared
        300ms content body 1 at 14..<20
        305ms end
        """)
    #expect(rebases == 0)
  }

  @Test func `two sends of one link are granted one by one`() {
    let link = Link("shared", .perSecond(.bytes(1)))
    let script = Self.script(
      Step(.requestEnd, .zero, .send(.stored(Self.slice(0..<2)), via: link)),
      Step(.previous, .zero, .send(.stored(Self.slice(2..<2)), via: link)),
      Step(.previous, .zero, .send(.stored(Self.slice(2..<5)), via: link)))
    #expect(
      transcript(script, [(0, .requestEnd), (1, .grant(5, link)), (2, .grant(5, link))]) == """
        0ms waits for 2 B of shared
        1ms content body 1 at 0..<2
        1ms waits for 3 B of shared
        2ms content body 1 at 2..<5
        """)
  }

  @Test(arguments: [Action.close, .reset])
  func `nothing follows the end of the connection`(ending: Action) {
    let script = Self.script(Self.ok, Step(.previous, .zero, ending), Step(.previous, .zero, .end))
    #expect(
      transcript(script) == """
        0ms head 200 OK
        0ms \(ending)
        """)
  }

  @Test func `offsets beyond all clocks never come`() {
    let script = Self.script(Step(.requestHead, .seconds(Int64.max), .end))
    var playhead = Playhead(script: script, accepted_ns: 0, requestHead_ns: 5)
    #expect(playhead.next(at: 1 << 60) == .waitUntil(.max))
  }
}
