import FixtureHTTP
import FixtureHTTP1
import FixtureInvariants
import Testing

/// What `MessageEncoder` writes, the parsers read as it was.
@Suite struct RoundTripTests {
  /// The rule has the case read whole, byte by byte and cut, and what was read written and read
  /// again.
  @Test(arguments: Corpus.all)
  func `a case is read again when it was read and written`(_ corpusCase: CorpusCase) throws {
    let kind: InputKind =
      switch try #require(corpusCase.role) {
      case .request: .requests
      case .response: .responses
      }
    #expect(kind.violation(by: corpusCase.input) == nil)
  }

  @Test func `a request with every method and byte it may have`() throws {
    let methods: [Method] = [
      .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch,
      Method(Array("!#$%&'*+-.^_`|~09az".utf8)),
    ]
    for method in methods {
      let head = RequestHead(
        method: method, target: [0x2F] + Array(0x21...0x7E) + Array(0x80...0xFF),
        fields: Self.fields)
      var bytes: [UInt8] = []
      MessageEncoder.requestHead(head, to: &bytes)
      var parser = RequestParser()
      let (event, consumed) = try bytes.withUnsafeBytes { try parser.parse($0) }
      #expect(event == .head(head, .none))
      #expect(consumed == bytes.count)
    }
  }

  @Test func `a response with every status and byte it may have`() throws {
    for status in 100...999 where status != 101 {
      let head = ResponseHead(
        status: status, reason: Array(0x01...0xFF).filter { $0 != 0x0A && $0 != 0x0D },
        fields: Self.fields)
      var bytes: [UInt8] = []
      MessageEncoder.responseHead(head, to: &bytes)
      var parser = ResponseParser()
      parser.begin(answering: .get)
      let (event, consumed) = try bytes.withUnsafeBytes { try parser.parse($0) }
      switch status {
      case ..<200: #expect(event == .interim(head))
      case 204, 304: #expect(event == .head(head, .none, bothFramings: false))
      default: #expect(event == .head(head, .untilClose, bothFramings: false))
      }
      #expect(consumed == bytes.count)
    }
  }

  @Test func `content in chunks of every size, and trailers`() throws {
    for size in Array(1...300) + [4095, 4096, 65_535, 65_536, 1 << 20] {
      let content = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
      var bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
      let headEnd = bytes.count
      MessageEncoder.chunkHeader(size: size, to: &bytes)
      let start = bytes.count - headEnd
      bytes += content
      MessageEncoder.chunkEnd(to: &bytes)
      MessageEncoder.lastChunk(trailers: Self.fields, to: &bytes)
      var parser = ResponseParser()
      parser.begin(answering: .get)
      _ = try bytes.withUnsafeBytes { try parser.parse($0) }
      let body = Array(bytes[headEnd...])
      let (chunk, consumed) = try body.withUnsafeBytes { try parser.parse($0) }
      #expect(chunk == .content(start..<(start + size)))
      let (end, _) = try body[consumed...].withUnsafeBytes { try parser.parse($0) }
      #expect(end == .end(trailers: Self.fields))
    }
  }

  /// Repeats, odd case, an empty value, and every byte that a value may have.
  private static var fields: FieldSection {
    var fields = FieldSection()
    fields.append("Host", "a.test")
    fields.append("x-Odd-CASE", "1")
    fields.append("X-Odd-Case", "")
    fields.append(
      name: "!#$%&'*+-.^_`|~09az".utf8,
      value: Array(0x01...0xFF).filter { ![0x09, 0x0A, 0x0D, 0x20].contains($0) } + [0x09, 0x2E])
    return fields
  }
}
