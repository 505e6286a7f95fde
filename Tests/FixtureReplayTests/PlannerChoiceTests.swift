import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

/// Which of the recordings of one request is chosen.
@Suite struct PlannerChoiceTests {
  private static func get(_ lines: (StaticString, String)...) -> RequestHead {
    var fields = FieldSection()
    for (name, value) in lines { fields.append(name, value) }
    return request(.get, "/a", fields)
  }

  private static func varying(
    _ vary: String?, coding: String? = nil
  ) -> RecordedResponse {
    var fields = FieldSection()
    if let vary { fields.append("Vary", vary) }
    if let coding { fields.append("Content-Encoding", coding) }
    return RecordedResponse(head: head(200, "OK", fields), framing: .length)
  }

  @Test func `fields that Vary names choose, each variant with its own sequence`() {
    let (json, xml) = (Self.get(("Accept", "a/json")), Self.get(("Accept", "a/xml")))
    var replay = Replay([
      recording(1, json, Self.varying("Accept")), recording(2, xml, Self.varying("accept")),
      recording(3, json, Self.varying("Accept")),
    ])
    #expect(replay.outcome(xml) == "2, 1 of 1")
    #expect(replay.outcome(json) == "1, 1 of 2")
    #expect(replay.outcome(xml) == "2, 1 of 1")
    #expect(replay.outcome(json) == "3, 2 of 2")
    // Nothing else matters, and what agrees with none gets them in order.
    #expect(replay.outcome(Self.get(("Accept", "a/html"))) == "1, 1 of 3")
    #expect(replay.outcome(Self.get()) == "2, 2 of 3")
  }

  @Test func `a recording alone is served whatever it varied by`() {
    var replay = Replay([
      recording(
        1, Self.get(("Accept-Language", "en"), ("User-Agent", "one")),
        Self.varying("Accept-Language, User-Agent, *"))
    ])
    #expect(
      replay.outcome(Self.get(("Accept-Language", "de"), ("User-Agent", "two"))) == "1, 1 of 1")
  }

  @Test func `a name on which none agrees decides nothing, the others do`() {
    func recorded(_ accept: String) -> RequestHead {
      Self.get(("User-Agent", "recorder"), ("Accept", accept))
    }
    var replay = Replay([
      recording(1, recorded("a/json"), Self.varying("User-Agent, Accept")),
      recording(2, recorded("a/xml"), Self.varying("User-Agent, Accept")),
    ])
    #expect(
      replay.outcome(Self.get(("User-Agent", "app"), ("Accept", "a/xml"))) == "2, 1 of 1")
  }

  @Test func `a recording that says nothing of it comes before one that was for others`() {
    var replay = Replay([
      recording(1, Self.get(("Accept", "a/xml")), Self.varying("Accept")),
      recording(2, Self.get(), Self.varying(nil)),
    ])
    #expect(replay.outcome(Self.get(("Accept", "a/json"))) == "2, 1 of 1")
    #expect(replay.outcome(Self.get(("Accept", "a/xml"))) == "1, 1 of 2")
  }

  @Test func `what Vary names in a redacted field counts by presence`() {
    func session(_ value: String) -> RequestHead { Self.get(("Cookie", "s=\(value)")) }
    var replay = Replay([
      recording(1, Self.get(), Self.varying("Cookie")),
      recording(2, session("REDACTED-1"), Self.varying("Cookie")),
    ])
    #expect(replay.outcome(session("s3cret")) == "2, 1 of 1")
    #expect(replay.outcome(Self.get()) == "1, 1 of 1")
    #expect(replay.outcome(Self.get(("Cookie", "t=1"))) == "1, 1 of 2")
  }

  private static func coded() -> Replay {
    Replay([
      recording(
        1, Self.get(("Accept-Encoding", "gzip, br")), Self.varying(nil, coding: "br")),
      recording(2, Self.get(("Accept-Encoding", "gzip")), Self.varying(nil, coding: "gzip")),
      recording(3, Self.get(), Self.varying(nil)),
    ])
  }

  @Test func `a coding that was not offered is left out when something else is there`() {
    var replay = Self.coded()
    #expect(replay.outcome(Self.get()) == "3, 1 of 1")
    #expect(replay.outcome(Self.get(("Accept-Encoding", "gzip, x"))) == "2, 1 of 2")
    #expect(replay.outcome(Self.get(("Accept-Encoding", "gzip, x"))) == "3, 2 of 2")
    #expect(replay.outcome(Self.get(("Accept-Encoding", "br;q=0, identity"))) == "3, 1 of 1")
    #expect(replay.outcome(Self.get(("Accept-Encoding", "*"))) == "1, 1 of 3")
  }

  @Test func `where codings differ without a Vary, the same offer comes first`() {
    func accepting(_ codings: String) -> RequestHead { Self.get(("Accept-Encoding", codings)) }
    var replay = Replay([
      recording(1, Self.get(), Self.varying(nil)),
      recording(2, accepting("gzip"), Self.varying(nil, coding: "gzip")),
      recording(3, accepting("gzip"), Self.varying(nil)),
      recording(4, Self.get(), Self.varying(nil)),
    ])
    #expect(replay.outcome(accepting("gzip")) == "2, 1 of 2")
    #expect(replay.outcome(Self.get()) == "1, 1 of 2")
    #expect(replay.outcome(accepting("gzip")) == "3, 2 of 2")
    #expect(replay.outcome(Self.get()) == "4, 2 of 2")
  }

  @Test func `where no response has a coding, no offer matters`() {
    func accepting(_ codings: String) -> RequestHead { Self.get(("Accept-Encoding", codings)) }
    var replay = Replay([
      recording(1, accepting("gzip"), Self.varying(nil)),
      recording(2, accepting("br"), Self.varying(nil)),
    ])
    #expect(replay.outcome(accepting("br")) == "1, 1 of 2")
    #expect(replay.outcome(accepting("br")) == "2, 2 of 2")
  }

  @Test func `it is served and told when nothing else is there`() {
    var replay = Replay([recording(1, Self.get(), Self.varying(nil, coding: "gzip"))])
    func isUnoffered(_ request: RequestHead) -> Bool? {
      if case .play(let play) = replay.plan(request) { play.isCodingUnoffered } else { nil }
    }
    #expect(isUnoffered(Self.get()) == true)
    #expect(isUnoffered(Self.get(("Accept-Encoding", "br"))) == true)
    #expect(isUnoffered(Self.get(("Accept-Encoding", "br, x-gzip"))) == false)
    #expect(isUnoffered(Self.get(("Accept-Encoding", "*"))) == false)
    var plain = Replay([recording(1, Self.get(), Self.varying(nil))])
    if case .play(let play) = plain.plan(Self.get()) { #expect(!play.isCodingUnoffered) }
  }

  @Test func `a list of codings like no recorded one takes a coding it offers`() {
    func accepting(_ codings: String) -> RequestHead { Self.get(("Accept-Encoding", codings)) }
    var replay = Replay([
      recording(1, accepting("identity"), Self.varying("Accept-Encoding")),
      recording(2, accepting("gzip"), Self.varying("Accept-Encoding", coding: "gzip")),
    ])
    #expect(replay.outcome(accepting("gzip, deflate, br")) == "2, 1 of 1")
    #expect(replay.outcome(accepting("identity")) == "1, 1 of 1")
    #expect(replay.outcome(accepting("br")) == "1, 1 of 1")
    #expect(replay.outcome(accepting("gzip")) == "2, 1 of 1")
    #expect(replay.outcome(Self.get()) == "1, 1 of 1")
  }
}
