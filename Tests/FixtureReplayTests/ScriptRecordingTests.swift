import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct ScriptRecordingTests {
  /// Eleven bytes in three pieces: 100 ms, 150 ms and 150 ms after the head.
  static func response(
    _ framing: RecordedFraming, _ fields: FieldSection = .init(), trailers: FieldSection = .init()
  ) -> RecordedResponse {
    RecordedResponse(
      head: head(200, "OK", fields), framing: framing, body: body(9, "hello world"),
      trailers: trailers,
      arrivals: arrivals((100_000, 5), (150_000, 1), (150_000, 5)))
  }

  static func script(
    _ interaction: Interaction, _ pacing: Pacing = .immediate, to version: HTTPVersion = .http11
  ) -> String {
    Script(replaying: interaction, pacing: pacing, to: version).description
  }

  @Test func `a body of known length is one slice when nothing is paced`() {
    #expect(
      Self.script(recording(4, Self.response(.length, section(("Content-Length", "11"))))) == """
        interaction 4, framing length
        request end: head 200 OK | Content-Length: 11
        then: content body 9 at 0..<11
        then: end
        """)
  }

  @Test(arguments: [RecordedFraming.chunked, .untilClose])
  func `any other body keeps its pieces when nothing is paced`(framing: RecordedFraming) {
    #expect(
      Self.script(recording(4, Self.response(framing))) == """
        interaction 4, framing \(framing.rawValue)
        request end: head 200 OK
        then: content body 9 at 0..<5
        then: content body 9 at 5..<6
        then: content body 9 at 6..<11
        then: end
        """)
  }

  @Test(arguments: [RecordedFraming.length, .chunked, .untilClose])
  func `recorded pacing keeps every offset`(framing: RecordedFraming) {
    #expect(
      Self.script(recording(4, Self.response(framing)), .recorded) == """
        interaction 4, framing \(framing.rawValue)
        request end + 250ms: head 200 OK
        then + 100ms: content body 9 at 0..<5
        then + 50ms: content body 9 at 5..<6
        then: content body 9 at 6..<11
        then + 100ms: end
        """)
  }

  @Test func `scaled pacing divides every offset`() {
    #expect(
      Self.script(recording(4, Self.response(.length)), .scaled(2)) == """
        interaction 4, framing length
        request end + 125ms: head 200 OK
        then + 50ms: content body 9 at 0..<5
        then + 25ms: content body 9 at 5..<6
        then: content body 9 at 6..<11
        then + 50ms: end
        """)
    #expect(
      Self.script(recording(), .scaled(0.5)) == """
        interaction 1, framing length
        request end + 500ms: head 200 OK
        then + 500ms: end
        """)
  }

  @Test func `scaled pieces add up to the scaled whole`() {
    var response = Self.response(.untilClose)
    response.body = BodyReference(id: 9, size: 1000, digest: [])
    response.arrivals = Arrivals()
    for piece in 1...1000 {
      response.arrivals.append(offset_us: Int64(piece), count: 1)
    }
    var interaction = recording(4, response)
    interaction.firstByte_us = 0
    interaction.end_us = 1000
    let script = Script(replaying: interaction, pacing: .scaled(3))
    let sum = script.steps.reduce(Duration.zero) { $0 + $1.offset }
    #expect(sum == .nanoseconds(333_333))
  }

  @Test func `trailers follow the last piece`() {
    let response = Self.response(.chunked, trailers: section(("Digest", "x")))
    #expect(
      Self.script(recording(4, response), .recorded) == """
        interaction 4, framing chunked
        request end + 250ms: head 200 OK
        then + 100ms: content body 9 at 0..<5
        then + 50ms: content body 9 at 5..<6
        then: content body 9 at 6..<11
        then: trailers | Digest: x
        then + 100ms: end
        """)
  }

  @Test func `interim responses come before the head at their offsets`() {
    let interims = [
      RecordedInterim(offset_us: 0, head: head(103, "Early Hints", section(("Link", "</a>")))),
      RecordedInterim(offset_us: 120_000, head: head(102, "Processing")),
    ]
    let interaction = recording(interims: interims)
    #expect(
      Self.script(interaction) == """
        interaction 1, framing length
        request end: interim 103 Early Hints | Link: </a>
        request end: interim 102 Processing
        request end: head 200 OK
        then: end
        """)
    #expect(
      Self.script(interaction, .recorded) == """
        interaction 1, framing length
        request end: interim 103 Early Hints | Link: </a>
        request end + 120ms: interim 102 Processing
        request end + 250ms: head 200 OK
        then + 250ms: end
        """)
  }

  @Test func `an empty body has no content step`() {
    let response = RecordedResponse(head: head(200, "OK"), framing: .chunked, body: body(2, ""))
    #expect(
      Self.script(recording(1, response)) == """
        interaction 1, framing chunked
        request end: head 200 OK
        then: end
        """)
  }

  @Test(arguments: [
    (Method.head, 200), (.get, 204), (.get, 304), (.head, 404),
  ])
  func `an answer that can't have a body has none whatever the cassette holds`(
    method: Method, status: Int
  ) {
    var response = Self.response(.chunked, trailers: section(("Digest", "x")))
    response.head = head(status, "", section(("Content-Length", "1488324")))
    #expect(
      Self.script(recording(1, request(method, "/book"), response)) == """
        interaction 1, framing none
        request end: head \(status) | Content-Length: 1488324
        then: end
        """)
  }

  @Test(arguments: [
    (Outcome.truncated, RecordedFraming.length, "close"),
    (.truncated, .chunked, "close"),
    (.truncated, .untilClose, "reset"),
    (.cancelled, .length, "close"),
    (.cancelled, .chunked, "close"),
    (.cancelled, .untilClose, "reset"),
    (.reset, .length, "reset"),
    (.reset, .chunked, "reset"),
    (.reset, .untilClose, "reset"),
    (.timeout, .length, "reset"),
    (.timeout, .chunked, "reset"),
    (.timeout, .untilClose, "reset"),
  ])
  func `a response that ended badly ends so again and never looks whole`(
    outcome: Outcome, framing: RecordedFraming, ending: String
  ) {
    let response = Self.response(framing, trailers: section(("Digest", "x")))
    let interaction = recording(4, response, outcome: outcome)
    #expect(
      Self.script(interaction, .recorded) == """
        interaction 4, framing \(framing.rawValue)
        request end + 250ms: head 200 OK
        then + 100ms: content body 9 at 0..<5
        then + 50ms: content body 9 at 5..<6
        then: content body 9 at 6..<11
        then + 100ms: \(ending)
        """)
    #expect(
      Script(replaying: interaction, pacing: .immediate).steps.last?.action.description
        == ending)
  }

  @Test func `a response that broke off before its body sends the head`() {
    let response = RecordedResponse(head: head(200, "OK"), framing: .length)
    #expect(
      Self.script(recording(1, response, outcome: .truncated)) == """
        interaction 1, framing length
        request end: head 200 OK
        then: close
        """)
  }

  @Test func `an upstream that gave no response is answered for when the exchange ended`() {
    let interaction = recording(3, nil, outcome: .refused, detail: "connect: port 1 refused")
    let answer = GatewayAnswer(.refused, detail: "connect: port 1 refused")
    #expect(
      Script(replaying: interaction, pacing: .recorded)
        == Script(
          steps: [
            Step(.requestEnd, .milliseconds(500), .head(answer.head)),
            Step(.previous, .zero, .generated(answer.content)), Step(.previous, .zero, .end),
          ], framing: .length, interaction: 3))
  }

  @Test func `interim responses before a failure are kept`() {
    let interaction = recording(
      3, nil, interims: [RecordedInterim(offset_us: 5_000, head: head(103, "Early Hints"))],
      outcome: .reset)
    let steps = Script(replaying: interaction, pacing: .recorded).steps
    #expect(steps[0].description == "request end + 5ms: interim 103 Early Hints")
    #expect(steps[1].offset == .milliseconds(500))
    #expect(steps.count == 4)
  }

  @Test func `HEAD gets the head of an answer made here`() {
    let interaction = recording(3, request(.head, "/a"), nil, outcome: .dns)
    let script = Script(replaying: interaction, pacing: .immediate)
    #expect(script.framing == .none)
    #expect(
      script.steps == [
        Step(.requestEnd, .zero, .head(GatewayAnswer(.dns, detail: nil).head)),
        Step(.previous, .zero, .end),
      ])
  }

  @Test func `an answer that came before the content was sent does not wait for it`() {
    let request = request(
      .post, "/big", section(("Expect", "100-Continue"), ("Content-Length", "2017")))
    let response = RecordedResponse(head: head(417, "Expectation Failed"), framing: .length)
    #expect(
      Self.script(recording(1, request, response), .recorded) == """
        interaction 1, framing length
        request head + 250ms: head 417 Expectation Failed
        then + 250ms: end
        """)
    #expect(
      Self.script(recording(1, request, sent: body(2, "x"), response)) == """
        interaction 1, framing length
        request end: head 417 Expectation Failed
        then: end
        """)
  }

  @Test func `a client before HTTP 1-1 gets no interim responses and no chunks`() {
    let fields = section(
      ("Transfer-Encoding", "chunked"), ("Trailer", "Digest"), ("Server", "s"),
      ("transfer-encoding", "chunked"))
    let response = Self.response(.chunked, fields, trailers: section(("Digest", "x")))
    let interim = RecordedInterim(offset_us: 0, head: head(103, "Early Hints"))
    let expected = """
      interaction 4, framing close
      request end: head 200 OK | Server: s
      then: content body 9 at 0..<5
      then: content body 9 at 5..<6
      then: content body 9 at 6..<11
      """
    #expect(
      Self.script(recording(4, response, interims: [interim]), to: .http10) == expected
        + "\nthen: end")
    // Its end would look like that of a whole body.
    #expect(
      Self.script(recording(4, response, outcome: .truncated), to: .http10) == expected
        + "\nthen: reset")
  }

  @Test func `pieces are cut or completed to the size of the body`() {
    var response = Self.response(.chunked)
    response.arrivals = arrivals((0, 4), (10_000, 100), (10_000, 1))
    #expect(
      Self.script(recording(4, response), .recorded) == """
        interaction 4, framing chunked
        request end + 250ms: head 200 OK
        then: content body 9 at 0..<4
        then + 10ms: content body 9 at 4..<11
        then + 240ms: end
        """)
    response.arrivals = arrivals((10_000, 4))
    #expect(
      Self.script(recording(4, response), .recorded) == """
        interaction 4, framing chunked
        request end + 250ms: head 200 OK
        then + 10ms: content body 9 at 0..<4
        then: content body 9 at 4..<11
        then + 240ms: end
        """)
    response.arrivals = Arrivals()
    #expect(
      Self.script(recording(4, response)) == """
        interaction 4, framing chunked
        request end: head 200 OK
        then: content body 9 at 0..<11
        then: end
        """)
  }

  @Test func `offsets that no recorder writes are never negative and never overflow`() {
    var interaction = recording(4, Self.response(.length))
    interaction.firstByte_us = .max
    interaction.end_us = .min
    #expect(
      Self.script(interaction, .recorded) == """
        interaction 4, framing length
        request end + 9223372036854.775807ms: head 200 OK
        then: content body 9 at 0..<5
        then: content body 9 at 5..<6
        then: content body 9 at 6..<11
        then: end
        """)
    interaction.firstByte_us = -5
    #expect(
      Self.script(interaction, .scaled(1e-300)).split(separator: "\n")[1]
        == "request end: head 200 OK")
  }

  @Test(arguments: [
    (Outcome.complete, false), (.cancelled, false), (.truncated, true), (.reset, true),
    (.refused, true), (.dns, true), (.tls, true), (.timeout, true),
  ])
  func `without a response only a failure of the upstream can be replayed`(
    outcome: Outcome, isPlayable: Bool
  ) {
    #expect(recording(1, nil, outcome: outcome).isPlayable == isPlayable)
    #expect(recording(1, outcome: outcome).isPlayable)
    #expect(!recording(1, outcome: outcome, notes: [.contentOmitted]).isPlayable)
  }
}
