import Testing

@testable import FixtureHTTP

@Suite struct `Request target` {
  @Test(
    arguments: [
      ("/", .origin, "/", nil),
      ("/a//b/./c/..", .origin, "/a//b/./c/..", nil),
      ("/q?", .origin, "/q", ""),
      ("/q?a=1?b", .origin, "/q", "a=1?b"),
      ("//a.test/x?y", .origin, "//a.test/x", "y"),
      ("/q?u=http://x/y?z#f", .origin, "/q", "u=http://x/y?z#f"),
      ("/%3F#?", .origin, "/%3F#", ""),
      ("http://a.test/x?y", .absolute, "/x", "y"),
      ("HTTP://u@a.test:80", .absolute, "", nil),
      ("http://a.test?y", .absolute, "", "y"),
      ("http://?y", .absolute, "", "y"),
      ("x-y+z.1://a//b", .absolute, "//b", nil),
      ("*", .asterisk, "*", nil),
      ("*x?", .authority, "*x", ""),
      ("a.test:443", .authority, "a.test:443", nil),
      ("http:/a", .authority, "http:/a", nil),
      ("1http://a", .authority, "1http://a", nil),
      ("", .authority, "", nil),
    ] as [(String, TargetForm, String, String?)])
  func `form, path and query are found`(
    _ target: String, _ form: TargetForm, _ path: String, _ query: String?
  ) {
    let bytes = Array(target.utf8)
    #expect(RequestTarget.form(of: bytes) == form)
    let parts = RequestTarget.split(bytes)
    #expect(parts.path.elementsEqual(path.utf8))
    #expect(parts.query.map { String(decoding: $0, as: UTF8.self) } == query)
  }
}

@Suite struct `Query pairs` {
  @Test(arguments: [
    ("", []),
    ("&&", []),
    ("a=1&b=2&a=3", ["a:1", "b:2", "a:3"]),
    ("a&b=&=c&=", ["a:", "b:", ":c", ":"]),
    ("&a=1&&b=2&", ["a:1", "b:2"]),
    ("a=b=c&a==", ["a:b=c", "a:="]),
    ("fq=a;b&fq=c", ["fq:a;b", "fq:c"]),
    ("a+b=c+d%20e%2Bf", ["a b:c d e+f"]),
    ("a%5B%5D=%26%3d", ["a[]:&="]),
    ("a=%&b=%4&c=%zz&d=%4z&e=%25zz", ["a:%", "b:%4", "c:%zz", "d:%4z", "e:%zz"]),
    ("a=%e2%9C%93&%C3%BC=\u{FC}", ["a:\u{2713}", "\u{FC}:\u{FC}"]),
  ])
  func `pairs are decoded like a form`(_ query: String, _ expected: [String]) {
    let pairs = QueryPairs.pairs(Array(query.utf8)[...])
    #expect(pairs.map { String(decoding: $0.name + [0x3A] + $0.value, as: UTF8.self) } == expected)
  }

  @Test func `raw text lies beside the decoded`() throws {
    let pairs = QueryPairs.pairs(Array("x%41=+1&y".utf8)[...])
    try #require(pairs.count == 2)
    #expect(pairs[0].rawName.elementsEqual("x%41".utf8))
    #expect(pairs[0].rawValue?.elementsEqual("+1".utf8) == true)
    #expect(pairs[1].rawName.elementsEqual("y".utf8))
    #expect(pairs[1].rawValue == nil)
  }

  @Test func `bytes that are no text are kept`() {
    let pairs = QueryPairs.pairs([0x61, 0x3D, 0xFF, 0x25, 0x46, 0x46, 0x25, 0x30, 0x30])
    #expect(pairs.map(\.value) == [[0xFF, 0xFF, 0x00]])
  }

  @Test func `percent decoding leaves a plus, and encoding is undone by it`() {
    #expect(PercentEncoding.decoded(Array("a+b%2B".utf8)[...]) == Array("a+b+".utf8))
    let all = (0...255).map { UInt8($0) }
    #expect(PercentEncoding.decoded(PercentEncoding.encoded(all)[...]) == all)
    #expect(PercentEncoding.encoded("aZ09-._~ +/%".utf8) == Array("aZ09-._~%20%2B%2F%25".utf8))
  }
}
