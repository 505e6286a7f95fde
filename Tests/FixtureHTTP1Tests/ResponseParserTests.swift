import FixtureHTTP
import FixtureHTTP1
import Testing

@Suite struct ResponseParserTests {
  private func parse(
    _ parser: inout ResponseParser, _ input: String
  ) throws(ProtocolError) -> (event: ResponseEvent, consumed: Int) {
    let bytes = Array(input.utf8)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { buffer.deallocate() }
    buffer.copyBytes(from: bytes)
    return try parser.parse(UnsafeRawBufferPointer(buffer))
  }

  @Test func `a message has begun with its first byte`() throws {
    var parser = ResponseParser()
    parser.begin(answering: .get)
    #expect(!parser.messageBegun)
    _ = try parse(&parser, "")
    _ = try parse(&parser, "\r\n")
    #expect(!parser.messageBegun)
    _ = try parse(&parser, "H")
    #expect(parser.messageBegun)
  }

  @Test func `an interim response begins the message`() throws {
    var parser = ResponseParser()
    parser.begin(answering: .get)
    _ = try parse(&parser, "HTTP/1.1 100 \r\n\r\n")
    #expect(parser.messageBegun)
    #expect(throws: ProtocolError.closedInHead) { try parser.parseEnd() }
  }

  @Test func `the next message begins anew`() throws {
    var parser = ResponseParser()
    parser.begin(answering: .head)
    _ = try parse(&parser, "HTTP/1.1 200 OK\r\n\r\n")
    _ = try parse(&parser, "")
    parser.begin(answering: .get)
    #expect(!parser.messageBegun)
    #expect(throws: ProtocolError.closedBeforeHead) { try parser.parseEnd() }
  }

  @Test func `a close when no response is expected is no error`() throws {
    var parser = ResponseParser()
    #expect(try parser.parseEnd() == .needMore)
  }

  @Test func `begin after an error leaves the parser dead`() {
    var parser = ResponseParser()
    parser.begin(answering: .get)
    let error = ProtocolError.notHTTP(firstByte: 0x58, in: .response)
    #expect(throws: error) { try parse(&parser, "X") }
    parser.begin(answering: .get)
    #expect(throws: error) { try parse(&parser, "HTTP/1.1 200 OK\r\n\r\n") }
    #expect(throws: error) { try parser.parseEnd() }
  }

  @Test func `a body cut short says how much came`() throws {
    var parser = ResponseParser()
    parser.begin(answering: .get)
    _ = try parse(&parser, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
    _ = try parse(&parser, "abc")
    #expect(throws: ProtocolError.closedInBody(received: 3, expected: 10)) {
      try parser.parseEnd()
    }
  }

  @Test func `a complete response whose end was not asked for yet ends with the close`() throws {
    var parser = ResponseParser()
    parser.begin(answering: .get)
    _ = try parse(&parser, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
    _ = try parse(&parser, "x")
    #expect(try parser.parseEnd() == .end(trailers: FieldSection()))
  }
}
