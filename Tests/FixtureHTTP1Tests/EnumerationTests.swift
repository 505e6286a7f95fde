import FixtureHTTP
import FixtureHTTP1
import FixtureInvariants
import Testing

/// Every small input of a kind, or every byte in a place, instead of a sample.
@Suite struct EnumerationTests {
  /// The transcript when fed whole; the same byte by byte.
  private func transcript(_ input: [UInt8], _ role: CorpusCase.Role) -> [String] {
    var whole = Transcriber(role, messageCount: 1)
    whole.feed(input)
    var dribbled = Transcriber(role, messageCount: 1)
    for byte in input { dribbled.feed([byte]) }
    let transcript = whole.finish()
    #expect(dribbled.finish() == transcript, "\(Escapes.encode(input))")
    return transcript
  }

  /// The bytes that, put between, are accepted.
  private func accepted(
    between before: String, and after: String, _ role: CorpusCase.Role = .request
  ) -> [UInt8] {
    (UInt8.min...UInt8.max).filter { byte in
      let input = Array(before.utf8) + [byte] + Array(after.utf8)
      return !transcript(input, role).contains { $0.hasPrefix("error") }
    }
  }

  private let tokens = Array(
    "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~".utf8)
  private let above7F = [UInt8](0x80...0xFF)
  private let response = CorpusCase.Role.response(answering: ["HEAD"])

  @Test func `a method is made of tchar`() {
    #expect(accepted(between: "G", and: "T / HTTP/1.0\r\n\r\n") == tokens)
  }

  @Test func `a target is made of anything but controls, space and DEL`() {
    let expected = [UInt8](0x21...0x7E) + above7F
    #expect(accepted(between: "GET /abcdefg", and: " HTTP/1.0\r\n\r\n") == expected)
    #expect(accepted(between: "GET ", and: " HTTP/1.0\r\n\r\n") == expected)
  }

  @Test func `a field name is made of tchar, in the middle and at both ends`() {
    for (before, after) in [("abcdefg", "h"), ("", ""), ("", "a"), ("a", "")] {
      let start = "GET / HTTP/1.0\r\n\(before)"
      // A colon ends a name that has begun.
      let expected = before.isEmpty ? tokens : (tokens + [0x3A]).sorted()
      #expect(accepted(between: start, and: "\(after): 1\r\n\r\n") == expected)
    }
  }

  @Test func `a response's field name may be followed by whitespace`() {
    let start = "HTTP/1.1 200 OK\r\nX"
    let expected = ([0x09, 0x20] + tokens + [0x3A]).sorted()
    #expect(accepted(between: start, and: ": 1\r\n\r\n", response) == expected)
  }

  @Test func `a value is made of anything but CR, LF and NUL`() {
    let expected = (UInt8.min...UInt8.max).filter { ![0x00, 0x0A, 0x0D].contains($0) }
    for (before, after) in [("abcdefg", "h"), ("", ""), ("", "a"), ("a", "")] {
      let start = "\r\nX: \(before)"
      #expect(
        accepted(between: "GET / HTTP/1.0" + start, and: "\(after)\r\n\r\n") == expected)
      // An LF is a line end here: nothing, or a line without a colon, comes after it.
      let more = accepted(
        between: "HTTP/1.1 200 OK" + start, and: "\(after)\r\n\r\n", response)
      #expect(more.filter { $0 != 0x0A } == expected)
    }
  }

  @Test func `a reason is made of anything but CR, LF and NUL`() {
    let expected = (UInt8.min...UInt8.max).filter { ![0x00, 0x0A, 0x0D].contains($0) }
    let accepted = accepted(between: "HTTP/1.1 200 a", and: "b\r\n\r\n", response)
    #expect(accepted.filter { $0 != 0x0A } == expected)
  }

  @Test func `a Host has no byte that ends it for some reader`() {
    let accepted = accepted(between: "GET / HTTP/1.1\r\nHost: a", and: "b\r\n\r\n")
    let expected = Array(
      "!$%&'()*+-.0123456789:;=ABCDEFGHIJKLMNOPQRSTUVWXYZ[]_abcdefghijklmnopqrstuvwxyz~".utf8)
    #expect(accepted == expected + above7F)
  }

  @Test func `a chunk size starts with a hexadecimal digit`() {
    let head = "PUT / HTTP/1.1\r\nHost: \r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(accepted(between: head, and: "\r\n") == Array("0123456789ABCDEFabcdef".utf8))
    let after = Array("0123456789;ABCDEFabcdef".utf8)
    #expect(accepted(between: head + "0", and: "\r\n") == after)
    let response = CorpusCase.Role.response(answering: ["GET"])
    let start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0"
    #expect(
      accepted(between: start, and: "\r\n", response) == ([0x09, 0x0A, 0x20] + after).sorted())
  }

  @Test(arguments: [
    ("request", "PUT / HTTP/1.1\r\nHost: \r\nTransfer-Encoding: chunked\r\n\r\n"),
    ("response GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
  ])
  func `every short chunked body is read the same whole and byte by byte`(
    role: String, head: String
  ) {
    let role: CorpusCase.Role = role == "request" ? .request : .response(answering: ["GET"])
    forEachString(of: "10;\r\n", upTo: 5) { body in
      _ = transcript(Array(head.utf8) + body, role)
    }
  }

  @Test(arguments: [
    ("request", "GET / HTTP/1.0\r\n"), ("response GET", "HTTP/1.1 204 \r\n"),
  ])
  func `every short field section is read the same whole and byte by byte`(
    role: String, head: String
  ) {
    let role: CorpusCase.Role = role == "request" ? .request : .response(answering: ["GET"])
    forEachString(of: "A: \r\n", upTo: 5) { section in
      for end in ["", "\r\n\r\n", "B: 1\r\n\r\n"] {
        _ = transcript(Array(head.utf8) + section + Array(end.utf8), role)
      }
    }
  }

  private func forEachString(of letters: String, upTo count: Int, _ body: ([UInt8]) -> Void) {
    var strings: [[UInt8]] = [[]]
    for _ in 0...count {
      for string in strings { body(string) }
      strings = strings.flatMap { string in letters.utf8.map { string + [$0] } }
    }
  }
}
