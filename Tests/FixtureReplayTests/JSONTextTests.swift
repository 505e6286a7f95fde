import FixtureReplay
import Testing

@Suite struct JSONTextTests {
  static func string(_ bytes: [UInt8]) -> String {
    var json = JSONText()
    json.string(bytes)
    return json.description
  }

  @Test func `objects and arrays hold their values in order`() {
    var json = JSONText()
    json.object { json in
      json.member("a", 1)
      json.member("b", "x")
      json.member("c") { json in
        json.array { json in
          json.number(-3)
          json.null()
          json.object { _ in }
          json.array { _ in }
        }
      }
      json.member("d", true)
      json.member("e", bytes: [0x2F])
    }
    #expect("\(json)" == #"{"a":1,"b":"x","c":[-3,null,{},[]],"d":true,"e":"/"}"#)
  }

  @Test func `characters that JSON reserves are escaped`() {
    #expect(
      Self.string(Array("a\"b\\c\n\u{0}\u{1F}\u{7F}/".utf8))
        == #""a\"b\\c\u000a\u0000\u001f\u007f/""#)
  }

  @Test func `valid UTF-8 is kept`() {
    #expect(Self.string(Array("é € 😀".utf8)) == "\"é € 😀\"")
  }

  @Test(
    arguments: [
      ([0xE9], #""\u00e9""#),
      ([0x61, 0xFF, 0xFE, 0x62], #""a\u00ff\u00feb""#),
      // Cut off after two of three bytes, in the middle and at the end.
      ([0xE2, 0x82, 0x61], #""\u00e2\u0082a""#),
      ([0x61, 0xE2, 0x82], #""a\u00e2\u0082""#),
      // An overlong slash, a surrogate, a value beyond U+10FFFF, a lone continuation byte.
      ([0xC0, 0xAF], #""\u00c0\u00af""#),
      ([0xED, 0xA0, 0x80], #""\u00ed\u00a0\u0080""#),
      ([0xF4, 0x90, 0x80, 0x80], #""\u00f4\u0090\u0080\u0080""#),
      ([0x80, 0xC3, 0xA9], "\"\\u0080é\""),
    ] as [([UInt8], String)])
  func `bytes that are not UTF-8 keep their value`(bytes: [UInt8], expected: String) {
    #expect(Self.string(bytes) == expected)
  }

  @Test func `every pair of bytes gives valid UTF-8 without control characters`() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        var json = JSONText()
        json.string([first, second])
        #expect(String(validating: json.bytes, as: UTF8.self) != nil)
        #expect(!json.bytes.contains { $0 < 0x20 || $0 == 0x7F })
      }
    }
  }
}
