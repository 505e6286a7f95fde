import FixtureHTTP
import FixtureHTTP1
import Testing

@Suite struct RequestParserTests {
  private func parse(
    _ parser: inout RequestParser, _ input: String
  ) throws(ProtocolError) -> (event: RequestEvent, consumed: Int) {
    let bytes = Array(input.utf8)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { buffer.deallocate() }
    buffer.copyBytes(from: bytes)
    return try parser.parse(UnsafeRawBufferPointer(buffer))
  }

  private func chunkedRequest() throws -> RequestParser {
    var parser = RequestParser()
    let head = "PUT / HTTP/1.1\r\nHost: \r\nTransfer-Encoding: chunked\r\n\r\n"
    let (event, consumed) = try parse(&parser, head)
    #expect(consumed == head.utf8.count)
    guard case .head(_, .chunked) = event else {
      Issue.record("\(event)")
      return parser
    }
    return parser
  }

  @Test func `a head is consumed whole or not at all`() throws {
    var parser = RequestParser()
    #expect(try parse(&parser, "GET / HTTP/1.0\r\nA: 1\r\n\r") == (.needMore, 0))
    let (event, consumed) = try parse(&parser, "GET / HTTP/1.0\r\nA: 1\r\n\r\nrest")
    var fields = FieldSection()
    fields.append("A", "1")
    let head = RequestHead(
      method: .get, target: [UInt8(ascii: "/")], version: .http10, fields: fields)
    #expect(event == .head(head, .none))
    #expect(consumed == 24)
    #expect(try parse(&parser, "rest") == (.end(trailers: FieldSection()), 0))
  }

  @Test func `empty lines before a request are consumed without it`() throws {
    var parser = RequestParser()
    #expect(try parse(&parser, "\r") == (.needMore, 0))
    #expect(try parse(&parser, "\r\n\r\n") == (.needMore, 4))
    #expect(try parse(&parser, "\r\nGE") == (.needMore, 2))
  }

  @Test func `content says where it lies, one chunk an event`() throws {
    var parser = try chunkedRequest()
    #expect(try parse(&parser, "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n") == (.content(3..<6), 6))
    #expect(try parse(&parser, "\r\n2\r\nde\r\n0\r\n\r\n") == (.content(5..<7), 7))
    #expect(try parse(&parser, "\r\n0\r\n\r\nx") == (.end(trailers: FieldSection()), 7))
  }

  @Test func `part of a chunk is content at once`() throws {
    var parser = try chunkedRequest()
    #expect(try parse(&parser, "5\r\nab") == (.content(3..<5), 5))
    #expect(try parse(&parser, "") == (.needMore, 0))
    #expect(try parse(&parser, "cde") == (.content(0..<3), 3))
    #expect(try parse(&parser, "\r\n5") == (.needMore, 2))
  }

  @Test func `a chunk-size line is consumed when it is whole`() throws {
    var parser = try chunkedRequest()
    #expect(try parse(&parser, "5\r") == (.needMore, 0))
    #expect(try parse(&parser, "5\r\n") == (.needMore, 3))
  }

  @Test func `a parser that has thrown throws the same for ever`() {
    var parser = RequestParser()
    for input in ["(", "GET / HTTP/1.0\r\n\r\n", ""] {
      #expect(throws: ProtocolError.notHTTP(firstByte: 0x28, in: .request)) {
        try parse(&parser, input)
      }
    }
    #expect(throws: ProtocolError.notHTTP(firstByte: 0x28, in: .request)) {
      try parser.parseEnd()
    }
  }

  @Test func `a field section of many lines is read to its last`() throws {
    var parser = RequestParser()
    let lines = (0..<500).map { "X-\($0): \($0)\r\n" }.joined()
    let (event, _) = try parse(&parser, "GET / HTTP/1.0\r\n\(lines)\r\n")
    guard case .head(let head, .none) = event else {
      Issue.record("\(event)")
      return
    }
    #expect(head.fields.bytes == Array(lines.utf8))
    #expect(head.fields.count == 500)
    #expect(head.fields.name(at: 499) == Array("X-499".utf8)[...])
  }

  /// The transcript of a connection's requests.
  private func transcript(_ input: String, limits: Limits = .init()) -> [String] {
    var transcriber = Transcriber(.request, messageCount: .max, limits: limits)
    transcriber.feed(input.utf8)
    return transcriber.finish()
  }

  @Test func `fields that are repeated are read as the first time`() {
    let fields = "Host: a\r\nContent-Length: 1\r\n\r\n"
    let input = "PUT /1 HTTP/1.1\r\n\(fields)xPOST /2 HTTP/1.1\r\n\(fields)y"
    #expect(
      transcript(input) == [
        "head PUT /1 HTTP/1.1 length=1", "field Host: a", "field Content-Length: 1", "content x",
        "end",
        "head POST /2 HTTP/1.1 length=1", "field Host: a", "field Content-Length: 1", "content y",
        "end", "more",
      ])
  }

  @Test func `fields that differ in one byte or in length are read anew`() {
    let first = "GET / HTTP/1.1\r\nHost: a\r\nA: 12345678\r\n\r\n"
    for (fields, value) in [("12345679", "12345679"), ("12345678\r\nB: ", "12345678")] {
      let input = first + "GET / HTTP/1.1\r\nHost: a\r\nA: \(fields)\r\n\r\n"
      #expect(
        transcript(input).dropFirst(4).prefix(3) == [
          "head GET / HTTP/1.1 none", "field Host: a", "field A: \(value)",
        ])
    }
    let cut = first + "GET / HTTP/1.1\r\nHost: a\r\nA: 12345678\r\n"
    #expect(transcript(cut).suffix(2) == ["end", "more"])
  }

  @Test func `repeated fields are judged by their own version`() {
    let input = "GET / HTTP/1.0\r\nA: 1\r\n\r\nGET / HTTP/1.1\r\nA: 1\r\n\r\n"
    #expect(transcript(input).last == "error 400 an HTTP/1.1 request without Host")
  }

  @Test func `repeated fields count for the limit of a longer head`() {
    var limits = Limits()
    limits.requestHeadBytesMax = 32
    let fields = "Host: abc\r\n\r\n"
    let first = "GET / HTTP/1.1\r\n" + fields
    let fitting = first + "GET /234 HTTP/1.1\r\n" + fields
    #expect(transcript(fitting, limits: limits).suffix(2) == ["end", "more"])
    let larger = first + "GET /2345 HTTP/1.1\r\n" + fields
    #expect(
      transcript(larger, limits: limits).last
        == "error 431 the request head is larger than 32 bytes")
  }
}
