import Testing

@testable import FixtureHTTP

@Suite struct `Words of HTTP` {
  @Test func `token characters are those of RFC 9110`() {
    let expected = Set(
      "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    #expect(Set((0...255).map { UInt8($0) }.filter(\.isTokenCharacter)) == expected)
  }

  @Test func `only letters have a lower case`() {
    for byte in UInt8.min...UInt8.max {
      let isUpper = byte >= 0x41 && byte <= 0x5A
      #expect(byte.asciiLowercased == (isUpper ? byte + 32 : byte))
      #expect(byte.isLetter == (isUpper || byte >= 0x61 && byte <= 0x7A))
    }
  }

  @Test func `hexadecimal digits have a value in both cases`() {
    let digits = Array("0123456789abcdef".utf8)
    let upper = Array("0123456789ABCDEF".utf8)
    for byte in UInt8.min...UInt8.max {
      let value = digits.firstIndex(of: byte) ?? upper.firstIndex(of: byte)
      #expect(byte.hexDigitValue == value.map { UInt8($0) })
    }
  }

  @Test(arguments: [
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY", "get",
  ])
  func `a method gives its bytes back`(_ text: String) {
    #expect(Method(text.utf8).bytes == Array(text.utf8))
  }

  @Test func `methods are case-sensitive`() {
    #expect(Method("get".utf8) == .other(Array("get".utf8)))
    #expect(Method("GET".utf8) == .get)
  }

  @Test(arguments: [("GET", true, true), ("PUT", false, true), ("POST", false, false)])
  func `safe and idempotent are as RFC 9110 defines`(
    _ text: String, _ isSafe: Bool, _ isIdempotent: Bool
  ) {
    let method = Method(text.utf8)
    #expect(method.isSafe == isSafe)
    #expect(method.isIdempotent == isIdempotent)
  }

  @Test func `versions are ordered and written out`() {
    #expect(HTTPVersion.http10 < .http11)
    #expect(HTTPVersion(major: 1, minor: 9) < HTTPVersion(major: 2, minor: 0))
    #expect(HTTPVersion.http11.description == "HTTP/1.1")
  }
}
