import FixtureCassette
import FixtureCoding
import FixtureHTTP
import Testing

@testable import fixtured

@Suite struct InteractionTextTests {
  private func excerpt(_ bytes: [UInt8], size: Int64? = nil) -> ContentExcerpt {
    excerpt(Excerpt(size: size ?? Int64(bytes.count), beginning: bytes))
  }

  private func excerpt(_ stored: Excerpt, decoded: DecodedExcerpt? = nil) -> ContentExcerpt {
    ContentExcerpt(
      stored: stored, digest: [0xAB] + [UInt8](repeating: 0, count: 31), decoded: decoded)
  }

  private let digest = "ab" + String(repeating: "00", count: 31)

  private func text(
    _ interaction: Interaction, request: ContentExcerpt? = nil, response: ContentExcerpt? = nil,
    withTimes: Bool = false
  ) -> String {
    InteractionText(
      interaction, requestContent: request, responseContent: response, withTimes: withTimes
    ).text
  }

  private var everything: Interaction {
    var interaction = Sample.interaction(
      request: RequestHead(
        method: .post, target: Array("/feed?a=1".utf8),
        fields: fields(("Host", "api.example.com"), ("X-Empty", ""))))
    interaction.upstream = "api"
    interaction.requestTrailers = fields(("X-Sum", "1"))
    interaction.interims = [
      RecordedInterim(
        offset_us: 3000,
        head: ResponseHead(
          status: 103, reason: Array("Early Hints".utf8), fields: fields(("Link", "</a.css>"))))
    ]
    interaction.response?.framing = .chunked
    interaction.response?.trailers = fields(("X-Check", "2"))
    interaction.response?.arrivals.append(offset_us: 0, count: 4)
    interaction.response?.arrivals.append(offset_us: 1500, count: 3)
    interaction.outcome = .truncated
    interaction.outcomeDetail = "closed after 7 bytes"
    interaction.notes = [.edited, .redacted]
    return interaction
  }

  @Test func `everything about an interaction but its times`() {
    #expect(
      text(
        everything, request: excerpt(Array("{}".utf8)), response: excerpt(Array("one\n\ntwo".utf8)))
          == """
          interaction 1, to https://api.example.com (api)
          > POST /feed?a=1 HTTP/1.1
              Host: api.example.com
              X-Empty:
            content: 2 bytes, sha256 \(digest)
              | {}
            trailers:
              X-Sum: 1
          < HTTP/1.1 103 Early Hints
              Link: </a.css>
          < HTTP/1.1 200 OK
              Content-Type: text/plain
            content: 8 bytes, framing chunked, sha256 \(digest)
              | one
              |
              | two
            trailers:
              X-Check: 2
            outcome: truncated, closed after 7 bytes
            notes: redacted, edited

          """)
  }

  @Test func `times when they are asked for`() {
    var interaction = everything
    interaction.requestTrailers = FieldSection()
    #expect(
      text(interaction, response: excerpt(Array("one two".utf8)), withTimes: true) == """
        interaction 1, to https://api.example.com (api)
          started: 2025-01-31T12:00:00.500000Z
          connection: 1
        > POST /feed?a=1 HTTP/1.1
            Host: api.example.com
            X-Empty:
        < HTTP/1.1 103 Early Hints
            Link: </a.css>
          after: 3 ms
        < HTTP/1.1 200 OK
            Content-Type: text/plain
          after: 12.5 ms
          content: 7 bytes, framing chunked, sha256 \(digest)
            | one two
          arrivals: 2
            0 ms, 4 bytes
            1.5 ms, 3 bytes
          trailers:
            X-Check: 2
          outcome: truncated, closed after 7 bytes
          ended after: 20 ms
          notes: redacted, edited

        """)
  }

  @Test func `an interaction without a response`() {
    var interaction = Sample.interaction(response: nil)
    interaction.outcome = .refused
    #expect(
      text(interaction) == """
        interaction 1, to https://api.example.com
        > GET /feed HTTP/1.1
        < no response
          outcome: refused

        """)
  }

  /// The lines between the response's fields and the outcome.
  private func contentLines(_ content: ContentExcerpt?) -> [String] {
    let lines = text(Sample.interaction(), response: content).split(separator: "\n")
    return lines.dropFirst(4).dropLast().map(String.init)
  }

  @Test func `absent and empty content differ`() {
    #expect(contentLines(nil) == ["  content: none, framing length"])
    #expect(contentLines(excerpt([])) == ["  content: 0 bytes, framing length"])
  }

  @Test func `content that is no text shows its first bytes`() {
    #expect(contentLines(excerpt([0x1F, 0x8B, 0x00])).last == "    1f8b00")
    #expect(
      contentLines(excerpt([UInt8](repeating: 0xFF, count: 40))).last
        == "    " + String(repeating: "ff", count: 32) + "…")
    #expect(contentLines(excerpt(Array("a\0b".utf8))).last == "    610062")
  }

  /// Three stored bytes that are no text, and what they come to.
  private func coded(
    _ text: String, _ codings: ContentCoding..., trailingBytes: Int = 0, flaw: CodingError? = nil
  ) -> ContentExcerpt {
    let content = Excerpt(size: Int64(text.utf8.count), beginning: Array(text.utf8))
    return excerpt(
      Excerpt(size: 3, beginning: [0x1F, 0x8B, 0x00]),
      decoded: DecodedExcerpt(
        codings: codings, content: content, trailingBytes: trailingBytes, flaw: flaw))
  }

  @Test func `coded content is shown decoded`() {
    #expect(
      contentLines(coded("a\nb\n", .gzip)) == [
        "  content: gzip, 3 bytes, decoded 4, framing length, sha256 \(digest)",
        "    | a", "    | b",
      ])
    #expect(
      contentLines(coded("", .brotli, .zstd)) == [
        "  content: br, zstd, 3 bytes, decoded 0, framing length, sha256 \(digest)"
      ])
    #expect(
      contentLines(coded("a\0b", .deflate)) == [
        "  content: deflate, 3 bytes, decoded 3, framing length, sha256 \(digest)", "    610062",
      ])
  }

  @Test func `coded content that is flawed says so`() {
    #expect(
      contentLines(coded("a", .gzip, flaw: .truncated(.gzip))) == [
        "  content: gzip, 3 bytes, decoded 1, framing length, sha256 \(digest)",
        "  decoding: stopped, the gzip data end too early", "    | a",
      ])
    #expect(
      contentLines(coded("a", .gzip, trailingBytes: 2)) == [
        "  content: gzip, 3 bytes, decoded 1, framing length, sha256 \(digest)",
        "  decoding: left out 2 bytes behind the data", "    | a",
      ])
  }

  @Test func `content that cannot be decoded is shown as it is`() {
    let unknown = ContentCoding.unknown([0x78, 0x1B, 0xFF])
    #expect(
      contentLines(coded("", unknown, flaw: .codingUnknown(unknown))) == [
        "  content: x\\u{1b}\u{FFFD}, 3 bytes, not decoded, framing length, sha256 \(digest)",
        "  decoding: stopped, the coding x\\u{1b}\u{FFFD} is not known", "    1f8b00",
      ])
  }

  @Test func `content with control characters is escaped`() {
    #expect(
      contentLines(excerpt(Array("a\u{1B}[31m\tb\\n\r\n\u{202E}\u{9B}\n".utf8))).suffix(2)
        == ["    | a\\u{1b}[31m\\tb\\n\\r", "    | \\u{202e}\\u{9b}"])
  }

  @Test func `content that was cut says how much follows`() {
    #expect(
      contentLines(excerpt(Array("abc".utf8), size: 10)).suffix(2)
        == ["    | abc", "    … 7 more bytes"])
  }

  @Test(arguments: [1, 2, 3])
  func `a cut inside a scalar does not make text binary`(kept: Int) {
    let bytes = Array("a".utf8) + Array("😀".utf8).prefix(kept)
    #expect(
      contentLines(excerpt(bytes, size: 10)).suffix(2) == ["    | a", "    … 9 more bytes"])
    // The same bytes as the whole content are no text.
    #expect(contentLines(excerpt(bytes)).last == "    " + bytes.hexadecimal)
  }

  @Test func `fields, targets and reasons are escaped so that different bytes differ`() {
    var head = FieldSection()
    head.append("X", [0x5C, 0xFF, 0x1B])
    let interaction = Sample.interaction(
      request: RequestHead(method: .other([0x41, 0x7F]), target: [0x2F, 0xC3]),
      response: RecordedResponse(
        head: ResponseHead(status: 200, reason: [], fields: head), framing: .none))
    #expect(
      text(interaction) == """
        interaction 1, to https://api.example.com
        > A\\u{7f} /\\xc3 HTTP/1.1
        < HTTP/1.1 200
            X: \\\\\\xff\\u{1b}
          outcome: complete

        """)
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
    (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
    (1_709_251_199_000_001, "2024-02-29T23:59:59.000001Z"),
    (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
    (Sample.started_us, "2025-01-31T12:00:00.500000Z"),
  ])
  func `a date`(us: Int64, expected: String) {
    #expect(TimeText.date(us: us) == expected)
  }

  @Test func `extreme dates do not trap`() {
    #expect(TimeText.date(us: .max) == "294247-01-10T04:00:54.775807Z")
    #expect(TimeText.date(us: .min).hasSuffix("Z"))
    #expect(TimeText.milliseconds(us: .min) == "-9223372036854775.808 ms")
  }

  @Test func `JSON is laid out`() {
    var content = excerpt(Array(#"{"b":1.0,"a":[]}"#.utf8))
    content.isJSON = true
    #expect(
      text(Sample.interaction(), response: content).contains(
        """
          content: 16 bytes, framing length, sha256 \(digest), laid out
            | {
            |   "b": 1.0,
            |   "a": []
            | }
        """))
    var laidOut = excerpt(Array("{\n  \"a\": 1\n}\n".utf8))
    laidOut.isJSON = true
    #expect(!text(Sample.interaction(), response: laidOut).contains("laid out"))
    var broken = excerpt(Array("{\"a\":".utf8))
    broken.isJSON = true
    #expect(text(Sample.interaction(), response: broken).contains("    | {\"a\":\n"))
  }

  @Test func `what is told of coded content does not depend on its coding`() {
    let content = Excerpt(size: 2, beginning: Array("ok".utf8))
    let decoded = DecodedExcerpt(
      codings: [.gzip], content: content, trailingBytes: 0, flaw: nil,
      digest: [UInt8](repeating: 0xCD, count: 32))
    let coded = excerpt(Excerpt(size: 22, beginning: [0x1F, 0x8B]), decoded: decoded)
    let lasting = String(repeating: "cd", count: 32)
    #expect(text(Sample.interaction(), response: coded).contains("sha256 \(lasting)\n"))
    #expect(
      text(Sample.interaction(), response: coded, withTimes: true).contains("sha256 \(digest)\n"))
  }

  @Test func `multipart content is told without its boundary`() {
    func shown(_ boundary: String) -> String {
      var content = excerpt(Array("--\(boundary)\r\n\r\none\r\n--\(boundary)--\r\n".utf8))
      content.boundary = Array(boundary.utf8)
      return text(Sample.interaction(), request: content)
    }
    #expect(shown("abcd") == shown("efgh"))
    #expect(shown("abcd").contains("    | --(boundary)\\r\n"))
  }
}
