import Testing

@testable import FixtureCassette

@Suite struct Base64TextTests {
  /// RFC 4648 §10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func `bytes and their text`(bytes: String, text: String) {
    #expect(Base64Text.encoded(Array(bytes.utf8), alphabet: .standard) == Array(text.utf8))
    #expect(Base64Text.decoded(text.utf8) == Array(bytes.utf8))
  }

  @Test func `the alphabet for URLs has other characters and no padding`() {
    #expect(Base64Text.encoded([0xFB, 0xFF], alphabet: .standard) == Array("+/8=".utf8))
    #expect(Base64Text.encoded([0xFB, 0xFF], alphabet: .url) == Array("-_8".utf8))
    #expect(Base64Text.decoded("-_8".utf8) == [0xFB, 0xFF])
  }

  @Test(arguments: ["Z", "Zm9vZ", "Zm 9", "Zm9v\u{e9}"])
  func `what is no base64 is not decoded`(text: String) {
    #expect(Base64Text.decoded(text.utf8) == nil)
  }
}
