import FixtureCassette
import FixtureCoding
import FixtureHTTP
import FixtureReplay
import Testing

/// Recordings whose content is compared by value.
@Suite struct PlannerValueTests {
  static func post(_ type: String?, coding: String? = nil) -> RequestHead {
    var fields = FieldSection()
    if let type { fields.append("Content-Type", type) }
    if let coding { fields.append("Content-Encoding", coding) }
    return request(.post, "/o", fields)
  }

  static let json = post("application/json; charset=utf-8")

  /// Each recorded with its content, in this order, from 1.
  static func replay(
    _ requests: [(head: RequestHead, content: [UInt8])], exhausted: Exhausted = .repeatLast
  ) -> Replay {
    var contents: [Int64: [UInt8]] = [:]
    let interactions = requests.enumerated().map { index, request in
      let id = Int64(index + 1)
      contents[id * 10] = request.content
      return recording(
        id, request.head,
        sent: BodyReference(
          id: id * 10, size: Int64(request.content.count),
          digest: SHA256.digest(of: request.content)))
    }
    return Replay(interactions, exhausted: exhausted, contents: contents)
  }

  static func replay(_ texts: String..., as head: RequestHead) -> Replay {
    replay(texts.map { (head, Array($0.utf8)) })
  }

  @Test func `JSON is found by its value and takes part in one sequence however it is spelled`() {
    var replay = Self.replay(
      #"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, #"{"a":2}"#, #"{ "a": 1.0, "b": 2 }"#, as: Self.json)
    #expect(replay.outcome(Self.json, held(#"{"b":2,"a":1}"#)) == "1, 1 of 3")
    #expect(replay.outcome(Self.json, held(#"{"b":2.0,"a":1e0}"#)) == "2, 2 of 3")
    #expect(replay.outcome(Self.json, held(#"{"a":2}"#)) == "3, 1 of 1")
    #expect(replay.outcome(Self.json, held(#"{"a":1,"b":2}"#)) == "4, 3 of 3")
    #expect(replay.outcome(Self.json, held(#"{"a":1,"b":2}"#)) == "4, 3 of 3")
    #expect(replay.outcome(Self.json, held(#"{"a":3}"#)) == "differs")
  }

  @Test func `bytes are asked for only when a value may be needed`() {
    func needs(_ recorded: RequestHead, _ asked: RequestHead) -> String {
      var replay = Self.replay("x", as: recorded)
      return replay.outcome(asked, .pending(expectsContinue: false))
    }
    let text = Self.post("text/plain")
    let form = Self.post("application/x-www-form-urlencoded")
    let coded = Self.post("text/plain", coding: "gzip")
    #expect(needs(Self.json, Self.json) == "needs content, held")
    #expect(needs(form, Self.json) == "needs content, held")
    #expect(needs(text, Self.json) == "needs content")
    #expect(needs(Self.json, text) == "needs content")
    #expect(needs(text, text) == "needs content")
    #expect(needs(coded, text) == "needs content, held")
    #expect(needs(text, coded) == "needs content, held")
    var replay = Replay([recording(1, Self.json)])
    #expect(replay.outcome(Self.json, .pending(expectsContinue: false)) == "needs content")
  }

  @Test func `content that was not held is compared byte for byte`() {
    var replay = Self.replay(#"{"a":1}"#, as: Self.json)
    #expect(replay.outcome(Self.json, content(#"{"a":1}"#)) == "1, 1 of 1")
    #expect(replay.outcome(Self.json, content(#"{ "a":1}"#)) == "differs")
  }

  @Test func `equal bytes match whatever the media types say`() {
    var replay = Self.replay([
      (Self.post(nil), Array("{\"a\":1}".utf8)), (Self.json, Array("{\"a\": 1}".utf8)),
    ])
    #expect(replay.outcome(Self.json, held("{\"a\":1}")) == "1, 1 of 2")
    #expect(replay.outcome(Self.post("text/plain"), held("{\"a\": 1}")) == "2, 1 of 1")
    #expect(replay.outcome(Self.post("text/plain"), held("{ \"a\":1}")) == "differs")
  }

  @Test func `what is not well formed is compared byte for byte`() {
    var replay = Self.replay(#"{"a":1"#, #"{"a":01}"#, as: Self.json)
    #expect(replay.outcome(Self.json, held(#"{"a":01}"#)) == "2, 1 of 1")
    #expect(replay.outcome(Self.json, held(#"{ "a":01}"#)) == "differs")
  }

  @Test func `a recorded content that can't be read is found by its bytes alone`() {
    var replay = Replay([recording(1, Self.json, sent: body(10, "[1]"))])
    #expect(replay.outcome(Self.json, held("[1]")) == "1, 1 of 1")
    #expect(replay.outcome(Self.json, held("[1.0]")) == "differs")
  }

  @Test func `a form is found by its pairs and a multipart by its parts`() {
    let form = Self.post("application/x-www-form-urlencoded")
    var forms = Self.replay("a=1&b=x+y", as: form)
    #expect(forms.outcome(form, held("b=x%20y&a=1")) == "1, 1 of 1")
    #expect(forms.outcome(form, held("b=x%2By&a=1")) == "differs")
    func part(_ boundary: String, _ text: String) -> String {
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n\(text)\r\n--\(boundary)--\r\n"
    }
    var parts = Self.replay(part("AAA", "v"), as: Self.post("multipart/form-data; boundary=AAA"))
    let other = Self.post("multipart/form-data; boundary=BBB")
    #expect(parts.outcome(other, held(part("BBB", "v"))) == "1, 1 of 1")
    #expect(parts.outcome(other, held(part("BBB", "w"))) == "differs")
  }

  static func gzip(_ text: String) throws -> [UInt8] {
    try ContentEncoder.encoded(Array(text.utf8), [.gzip])
  }

  @Test func `codings are undone on either side`() throws {
    let (plain, coded) = (Self.json, Self.post("application/json", coding: "gzip"))
    var replay = Self.replay([
      (coded, try Self.gzip(#"{"a":1,"b":2}"#)), (plain, Array(#"{"b":2,"a":1}"#.utf8)),
    ])
    #expect(replay.outcome(plain, held(#"{"b":2,"a":1}"#)) == "1, 1 of 2")
    #expect(replay.outcome(coded, held(try Self.gzip(#"{ "a":1, "b":2 }"#))) == "2, 2 of 2")
    // What can't be undone is compared as it came.
    #expect(replay.outcome(coded, held("no gzip")) == "differs")
    let text = Self.post("text/plain")
    let codedText = Self.post("text/plain", coding: "x-gzip")
    var texts = Self.replay([(codedText, try Self.gzip("one")), (text, Array("two".utf8))])
    #expect(texts.outcome(text, held("one")) == "1, 1 of 1")
    #expect(texts.outcome(codedText, held(try Self.gzip("two"))) == "2, 1 of 1")
    #expect(texts.outcome(text, held("three")) == "differs")
  }

  @Test func `a thousand contents of one target keep their own sequences`() {
    let texts = (0..<1000).map { #"{"n":\#($0 % 250),"x":[\#($0 % 250)]}"# }
    var replay = Self.replay(texts.map { (Self.json, Array($0.utf8)) })
    for round in 0..<4 {
      for number in stride(from: 249, through: 0, by: -83) {
        let asked = held(#"{"x":[\#(number)],"n":\#(number).0}"#)
        #expect(
          replay.outcome(Self.json, asked) == "\(round * 250 + number + 1), \(round + 1) of 4")
      }
    }
  }
}
