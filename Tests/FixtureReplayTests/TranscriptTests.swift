import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct TranscriptTests {
  @Test func `a script prints one line a step`() {
    let script = Script(
      steps: [
        Step(.accept, .seconds(1), .wait(Gate("door"))),
        Step(.requestHead, .microseconds(1500), .interim(head(103, "Early Hints"))),
        Step(.requestEnd, .zero, .head(head(200, "OK", section(("A", "1"), ("b", "x, y"))))),
        Step(.previous, .nanoseconds(10), .content(BodySlice(body: 3, range: 0..<12))),
        Step(.previous, .zero, .generated(Array("{}\n".utf8))),
        Step(
          .previous, .zero,
          .send(
            .stored(BodySlice(body: 3, range: 12..<13)), via: Link("lte", .perSecond(.bytes(1))))),
        Step(.previous, .zero, .trailers(section(("T", "2")))),
        Step(.previous, .zero, .end), Step(.previous, .zero, .close),
        Step(.previous, .zero, .reset),
      ], framing: .chunked, interaction: 7)
    #expect(
      "\(script)" == #"""
        interaction 7, framing chunked
        accept + 1000ms: wait for door
        request head + 1.5ms: interim 103 Early Hints
        request end: head 200 OK | A: 1 | b: x, y
        then + 0.00001ms: content body 3 at 0..<12
        then: generated {}\x0a
        then: send body 3 at 12..<13 via lte
        then: trailers | T: 2
        then: end
        then: close
        then: reset
        """#)
  }

  @Test func `bytes that a terminal can't show and the separator are escaped`() {
    var fields = FieldSection()
    fields.append("X", [0x61, 0x7C, 0xE9, 0x5C, 0x1B])
    let action = Action.head(
      ResponseHead(version: .http10, status: 401, reason: [0x4E, 0xE9, 0x7C], fields: fields))
    #expect("\(action)" == #"head HTTP/1.0 401 N\xe9\x7c | X: a\x7c\xe9\\\x1b"#)
  }

  @Test func `a play prints when each action was performed`() {
    var transcript = Transcript()
    transcript.performed(.end, after_ns: 1_250_000)
    transcript.note("client left", after_ns: -2_000_000)
    #expect(transcript.lines == ["1.25ms end", "-2ms client left"])
  }
}
