import Testing

@testable import FixtureCassette

@Suite struct `JSON scanner` {
  private static func isValid(_ text: [UInt8]) -> Bool {
    text.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      while true {
        switch scanner.next() {
        case .end: return true
        case .invalid:
          guard case .invalid = scanner.next() else { preconditionFailure("it came back to life") }
          return false
        default: continue
        }
      }
    }
  }

  @Test(arguments: [
    "0", "-0", "1", "-1", "10", "0.5", "1.50", "1e5", "1E+5", "1e-05", "0e0", "-0.0E-0",
    "true", "false", "null", "\"\"", "\"a\"", " \t\r\n1 \t\r\n", "[]", "[ ]", "[1]", "[1,2]",
    "[[],{}]", "{}", "{ }", "{\"\":0}", "{\"a\":1,\"a\":2}", "{ \"a\" : [ 1 , { } ] }",
    #""\"\\\/\b\f\n\r\t\u00e9""#, #""\ud83d\ude00""#, #""\ud83d""#, #""\ude00x""#, "\"é€😀\"",
    "\"\u{7F}\u{2028}\"", "\"12345678\"", "\"1234567\"", "\"123456789\"",
  ])
  func `what the grammar allows is valid`(_ text: String) {
    #expect(Self.isValid(Array(text.utf8)))
  }

  @Test(arguments: [
    "", " ", "01", "-", "-a", "+1", "1.", ".5", "1.e5", "1e", "1e+", "0x1", "1_0", "--1", "00",
    "tru", "True", "nul", "nulll", "NaN", "Infinity", "-Infinity", "\"", "\"a", "a", "'a'",
    "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1:2]", "{", "}", "{\"a\"", "{\"a\":",
    "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}", "{1:2}", "{\"a\" 1}", "{\"a\",1}", "[}",
    "{]", "[1}", "{\"a\":1]", "1 2", "{}{}", "[],", "1,", ":", "\"a\":1", "\u{FEFF}1", "/**/1",
    "1//",
    "\"\n\"", "\"\t\"", "\"\u{0}\"", "\"\u{1F}\"", "1234567\u{1}", #""\a""#, #""\u12""#,
    #""\u12G4""#,
    #""\"#, #""\u"#, #""\u123"#, #""\x41""#, #""\'""#, "\u{A0}1", "\"1234567\n\"",
  ])
  func `what it does not allow is invalid`(_ text: String) {
    #expect(!Self.isValid(Array(text.utf8)))
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0xAF], [0xE2, 0x82],
      [0xED, 0xA0, 0x80], [0xEF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE],
    ] as [[UInt8]])
  func `bytes that are no UTF-8 are invalid`(_ bytes: [UInt8]) {
    #expect(!Self.isValid([0x22] + bytes + [0x22]))
    #expect(!Self.isValid([0x22] + bytes))
    #expect(!Self.isValid(bytes))
  }

  @Test func `every code point is valid unescaped, but for control characters`() {
    var invalid: [UInt32] = []
    for code: UInt32 in 0x20...0x10FFFF {
      guard code < 0x900 || code % 251 == 0, code != 0x22, code != 0x5C,
        let scalar = Unicode.Scalar(code)
      else { continue }
      if !Self.isValid(Array("\"\(scalar)\"".utf8)) { invalid.append(code) }
    }
    #expect(invalid == [])
  }

  @Test func `a byte that ends plain text is found at every place of a word`() {
    for end in [0x22, 0x5C, 0x0A, 0xC3, 0x1F] as [UInt8] {
      for length in 0..<20 {
        let plain = [UInt8](repeating: 0x61, count: length)
        let text = [0x22] + plain + [end]
        #expect(Self.isValid(text) == (end == 0x22), "\(end) after \(length)")
        let more = text + [0x22, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61]
        #expect(!Self.isValid(more))
      }
    }
  }

  @Test func `containers may be as deep as the limit and no deeper`() {
    func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
      Array(
        (String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
      let pairs = open.contains("[{") ? 2 : 1
      let max = JSONScanner.depthMax / pairs
      #expect(Self.isValid(nested(max, open, close)))
      #expect(!Self.isValid(nested(max + 1, open, close)))
      #expect(!Self.isValid(nested(100_000, open, close)))
    }
  }

  @Test func `a value is passed over with all it holds`() {
    let text = Array(#"{"a":[{"b":1},2],"c":3}"#.utf8)
    let (names, isEnded) = text.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      var names: [[UInt8]] = []
      while true {
        switch scanner.next() {
        case .name:
          names.append(Array(bytes[scanner.span.range]))
          guard scanner.skipValue() else { return (names, false) }
        case .end: return (names, true)
        case .invalid: return (names, false)
        default: continue
        }
      }
    }
    #expect(names == [[0x61], [0x63]])
    #expect(isEnded)
  }
}
