import FixtureCassette
import FixtureCoding
import FixtureHTTP
import FixtureReplay
import Testing

@testable import fixtured

@Suite struct InspectTests {
  private func lines(_ table: InteractionTable) -> [String] {
    var lines: [String] = []
    table.forEachLine { lines.append($0) }
    return lines
  }

  @Test func `a line for every interaction`() {
    var first = Sample.interaction()
    first.response?.body = BodyReference(id: 1, size: 1234, digest: [])
    first.response?.head.fields = fields(("Content-Type", "text/html; charset=utf-8"))
    var second = Sample.interaction(
      id: 12, request: RequestHead(method: .delete, target: Array("/a b".utf8)), response: nil)
    second.outcome = .refused
    second.end_us = 999_960
    var table = InteractionTable(withUpstream: false)
    table.append(first)
    table.append(second)
    #expect(
      lines(table) == [
        "id  method  status  outcome   type       size      ms  target\n",
        " 1  GET     200     complete  text/html  1234    20.0  /feed\n",
        "12  DELETE  -       refused   -             -  1000.0  /a b\n",
      ])
  }

  @Test func `the upstream's name when there are several`() {
    var interaction = Sample.interaction()
    interaction.upstream = "api"
    var table = InteractionTable(withUpstream: true)
    table.append(interaction)
    #expect(
      lines(table) == [
        "id  upstream  method  status  outcome   type        size    ms  target\n",
        " 1  api       GET     200     complete  text/plain     -  20.0  /feed\n",
      ])
  }

  private func json(_ interaction: Interaction, response: InteractionJSON.Content) -> String {
    var json = JSONText()
    InteractionJSON.write(
      interaction, requestContent: .summary, responseContent: response, arrivals: true, to: &json)
    return json.description
  }

  @Test func `an interaction as JSON`() {
    var interaction = Sample.interaction(
      request: RequestHead(
        method: .get, target: [0x2F, 0xFF, 0x22], fields: fields(("Host", "a"))))
    interaction.response?.body = BodyReference(id: 1, size: 4, digest: [0xAB])
    interaction.response?.arrivals.append(offset_us: 5, count: 4)
    interaction.notes = [.redacted]
    #expect(
      json(interaction, response: .whole(Array("a\u{1}é".utf8)))
        == #"{"id":1,"started_at":"2025-01-31T12:00:00.500000Z","upstream":null,"#
        + #""scheme":"https","authority":"api.example.com","#
        + #""request":{"method":"GET","target":"/\u00ff\"","http_version":"HTTP/1.1","#
        + #""fields":[{"name":"Host","value":"a"}],"content":null,"trailers":[]},"#
        + #""interims":[],"#
        + #""response":{"http_version":"HTTP/1.1","status":200,"reason":"OK","#
        + #""fields":[{"name":"Content-Type","value":"text/plain"}],"framing":"length","#
        + #""content":{"size":4,"sha256":"ab","text":"a\u0001é"},"trailers":[],"#
        + #""arrivals":[{"offset_us":5,"size":4}]},"#
        + #""outcome":"complete","outcome_detail":null,"notes":["redacted"],"connection":1,"#
        + #""first_byte_us":12500,"end_us":20000}"#)
  }

  @Test func `content that is not UTF-8 is in base64`() {
    var interaction = Sample.interaction()
    interaction.response?.body = BodyReference(id: 1, size: 2, digest: [])
    #expect(
      json(interaction, response: .whole([0xFF, 0x00]))
        .contains(#""content":{"size":2,"sha256":"","encoding":"base64","text":"/wA="}"#))
  }

  @Test func `coded content has a decoded view beside it`() {
    var interaction = Sample.interaction()
    interaction.response?.body = BodyReference(id: 1, size: 2, digest: [])
    func content(_ beginning: [UInt8], trailingBytes: Int, flaw: CodingError?) -> String {
      let decoded = DecodedExcerpt(
        codings: [.gzip, .brotli],
        content: Excerpt(size: Int64(beginning.count), beginning: beginning),
        trailingBytes: trailingBytes, flaw: flaw)
      return json(interaction, response: .whole([0xFF, 0x00], decoded: decoded))
    }
    let stored = #""content":{"size":2,"sha256":"","encoding":"base64","text":"/wA=","#
    #expect(
      content(Array("é".utf8), trailingBytes: 0, flaw: nil)
        .contains(stored + #""decoded":{"codings":["gzip","br"],"size":2,"text":"é"}}"#))
    #expect(
      content([0xFF], trailingBytes: 0, flaw: .truncated(.gzip))
        .contains(
          stored + #""decoded":{"codings":["gzip","br"],"size":1,"#
            + #""flaw":"the gzip data end too early","encoding":"base64","text":"/w=="}}"#))
    #expect(
      content([], trailingBytes: 3, flaw: nil)
        .contains(
          stored + #""decoded":{"codings":["gzip","br"],"size":0,"trailing_size":3,"text":""}}"#))
  }

  @Test func `an interaction without a response has null there`() {
    #expect(
      json(Sample.interaction(response: nil), response: .summary).contains(#""response":null"#))
  }
}
