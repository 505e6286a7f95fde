import Testing

@testable import FixtureCassette

@Suite struct ContentLinksTests {
  private static func counts(_ text: String) -> [String: Int] {
    var links = ContentLinks()
    Array(text.utf8).withUnsafeBytes { links.read($0) }
    return links.counts
  }

  @Test(arguments: [
    #"{"image":"https://img.a.test/1.jpg"}"#, #"{"image":"https:\/\/img.a.test\/1.jpg"}"#,
    #"{"next": "https://img.a.test"}"#, #"["HTTPS://IMG.A.TEST:443/"]"#,
    #"{"html":"<img src=\"https://img.a.test/x\">"}"#, "<a href='https://img.a.test?q'>",
    "<a href=https://img.a.test>", "a { background: url(https://img.a.test/x.png) }",
    "[text](https://img.a.test/)", #""https://img.a.test"#,
  ])
  func `a link counts for its origin, however it is spelled`(text: String) {
    for padding in ["", " "] {
      #expect(Self.counts(padding + text) == ["https://img.a.test": 1])
    }
  }

  @Test(arguments: [
    "", "\"", "://", "//", "\"//", "\"http", "\"http:", "\"http:/", "\"http://", "\"http:\\",
    #"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink='http://www.w3.org/1999/xlink'>"#,
    #"{"text":"see https://img.a.test"}"#, #"{"ftp":"ftp://a.test/"}"#, #"{"a":"b://c"}"#,
    #"{"path":"//a.test/x","rest":"http/://a.test"}"#, #"{"a":"http:\/x/y"}"#,
    #"{"user":"https://u:p@a.test/"}"#, #"{"port":"https://a.test:70000/"}"#,
  ])
  func `what leads nowhere for certain does not count`(text: String) {
    #expect(Self.counts(text) == [:])
    #expect(Self.counts(" " + text) == [:])
  }

  @Test func `links are counted over all texts, a thousand origins at most`() {
    var links = ContentLinks()
    for number in 0..<1200 {
      let text = #"["http://h\#(number).test:8080/a","http://h0.test:8080","/c"]"#
      Array(text.utf8).withUnsafeBytes { links.read($0) }
    }
    #expect(links.counts.count == 1000)
    #expect(links.counts["http://h0.test:8080"] == 1201)
    #expect(links.counts["http://h999.test:8080"] == 1)
  }
}
