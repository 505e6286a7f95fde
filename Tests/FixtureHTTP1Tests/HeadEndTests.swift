import FixtureHTTP1
import Testing

@Suite struct HeadEndTests {
  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 27),
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET", 27),
    ("a\r\n\r\n\r\n\r\n", 5),
    ("GET / HTTP/1.1\r\nHost: a\r\n\r", nil),
    ("GET / HTTP/1.1\r\nHost: a\r\n", nil),
    ("GET / HTTP/1.1\n\nHost: a\n\n", nil),
    ("\r\nGET / HTTP/1.1\r\n\r\n", nil),
    ("", nil),
  ])
  func `a head ends behind its empty line`(_ text: String, _ expected: Int?) {
    #expect(end(text, within: 100) == expected)
  }

  @Test func `what ends beyond the bound has no end`() {
    #expect(end("a\r\n\r\nb", within: 5) == 5)
    #expect(end("a\r\n\r\nb", within: 4) == nil)
  }

  private func end(_ text: String, within bound: Int) -> Int? {
    Array(text.utf8).withUnsafeBytes { HeadEnd.find(in: $0, within: bound) }
  }
}
