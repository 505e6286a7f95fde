import FixtureHTTP
import Testing

@Suite struct EmbeddedReferencesTests {
  private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test(arguments: [
    ("</a>; rel=next, <b>", ["/a", "b"]), ("<>", [""]), ("<a", ["a"]), ("<", [""]), ("a>", []),
    ("<a>; title=\"<b>\"; x, <c>", ["a", "c"]), ("\"\\\"<a>\", <b>", ["b"]), ("\"<a>", []),
    ("\"\\", []), ("<a<b>", ["a<b"]), ("", []),
  ])
  func `Link has a reference in each pair of angle brackets`(value: String, found: [String]) {
    let value = Array(value.utf8)[...]
    #expect(EmbeddedReferences.inLink(value).map { text(value[$0]) } == found)
  }

  @Test(arguments: [
    ("5; url=/a", "/a"), ("5;URL=/a b", "/a b"), ("0, /a", "/a"), ("0; url = '/a' x", "/a"),
    ("0; \"/a", "/a"), ("0; url", "url"), ("0; url=", ""), ("0; url='", ""), ("0;", ""),
    ("0 /a", "/a"), (" 0 ; url=/a", "/a"), ("0 url=/a;b", "/a;b"), ("5", nil), ("", nil),
  ])
  func `Refresh has one behind the seconds`(value: String, found: String?) {
    let value = Array(value.utf8)[...]
    #expect(EmbeddedReferences.inRefresh(value).map { text(value[$0]) } == found)
  }

  @Test func `places are those of the value, wherever it lies`() {
    let bytes = Array("12345<a>".utf8)
    #expect(EmbeddedReferences.inLink(bytes[5...]) == [6..<7])
    #expect(EmbeddedReferences.inRefresh(Array("1234;x".utf8)[3...]) == 5..<6)
  }
}
