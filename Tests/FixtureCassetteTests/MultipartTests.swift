import FixtureHTTP
import Testing

@testable import FixtureCassette

@Suite struct `Multipart content` {
  let keyed = Keyed()

  private func parts(_ content: String, _ boundary: String = "B", mayBeCut: Bool = false)
    -> [String]?
  {
    Array(content.utf8).withUnsafeBytes { bytes in
      Multipart(bytes, boundary: Array(boundary.utf8), mayBeCut: mayBeCut)?.parts.map { part in
        String(decoding: bytes[part.fields], as: UTF8.self) + "|"
          + String(decoding: bytes[part.content], as: UTF8.self)
      }
    }
  }

  @Test(
    arguments: [
      ("--B\r\nA: b\r\n\r\nx\r\n--B--", ["A: b\r\n|x"]),
      ("--B\r\nA: b\r\n\r\nx\r\n--B--\r\n", ["A: b\r\n|x"]),
      ("--B\r\nA: b\r\n\r\nx\r\n--B\r\n\r\ny\r\n--B--", ["A: b\r\n|x", "|y"]),
      ("before\r\n--B \t\r\n\r\nx\r\n--B-- \r\nafter\r\n--B\r\n", ["|x"]),
      ("--B\r\n\r\n\r\n--B--", ["|"]), ("--B\r\n\r\n--B--", ["|"]),
      ("--B\r\nA: b\r\n\r\n--B--", ["A: b\r\n|"]),
      ("--B\r\n\r\nx\r\n\r\n--B--", ["|x\r\n"]),
      ("--B\r\n\r\n--B inside\r\n--Bx\r\n --B\r\n--B--", ["|--B inside\r\n--Bx\r\n --B"]),
      ("--B\r\n\r\nx\n--B\n\r\r\n--B--", ["|x\n--B\n\r"]),
      ("--B--", []), ("--B--\r\n", []),
    ] as [(String, [String])])
  func `is taken apart at its delimiters`(_ content: String, _ expected: [String]) {
    #expect(parts(content) == expected)
  }

  @Test(arguments: [
    "", "--B", "--B\r\n", "--B\r\n\r\nx", "--B\r\n\r\nx\r\n--B", "--B\r\n\r\nx--B--",
    "--B\nA: b\n\nx\n--B--\n",
    "--B\r\nA: b\r\nx\r\n--B--", "x--B\r\n\r\nx\r\n--B--", "--B\r\n\r\nx\r\n--B-", "--B-", "-B--",
    "--B--x",
    "--B\r\nA: b", "--C\r\n\r\nx\r\n--C--",
  ])
  func `without its delimiters or the end of its fields is none`(_ content: String) {
    #expect(parts(content) == nil)
  }

  @Test(
    arguments: [
      ("--B\r\nA: b\r\n\r\nx", ["A: b\r\n|x"]),
      ("--B\r\n\r\nx\r\n--B\r\n\r\ny\r\n--", ["|x", "|y\r\n--"]),
      ("--B\r\n\r\nx\r\n--B\r\nA: b", ["|x"]), ("--B\r\n", ["|"]),
      ("--B\r\n\r\nx\r\n--B--", ["|x"]),
    ] as [(String, [String])])
  func `that was cut has what came of it`(_ content: String, _ expected: [String]) {
    #expect(parts(content, mayBeCut: true) == expected)
  }

  @Test func `a boundary has 1 to 70 characters and no space at its end`() {
    let long = String(repeating: "b", count: 70)
    #expect(parts("--\(long)--", long) == [])
    #expect(parts("--\(long)b--", long + "b") == nil)
    #expect(parts("----", "") == nil)
    #expect(parts("--B --", "B ") == nil)
    #expect(parts("--B b:1--", "B b:1") == [])
    #expect(parts("--B\u{1}--", "B\u{1}") == nil)
  }

  private func form(_ boundary: String, _ parts: String...) -> [UInt8] {
    Array(parts.map { "--\(boundary)\r\n\($0)\r\n" }.joined().utf8)
      + Array("--\(boundary)--\r\n".utf8)
  }

  private func kind(_ type: String) -> ContentKind {
    ContentKind(contentType: Array(type.utf8)[...])
  }

  private static let disposition = "Content-Disposition: form-data; name=\"n\""

  @Test func `the boundary does not matter, quoted or not, nor does the same text inside`() throws {
    let value = "\(Self.disposition)\r\n\r\nv --AAA inside"
    #expect(
      try keyed.same(
        form("AAA", value), kind("multipart/form-data; boundary=AAA"),
        form("B b:1", value), kind("Multipart/Form-Data; charset=utf-8; boundary=\"B b:1\"")))
  }

  @Test(arguments: [
    ("content-disposition:form-data;name=n\r\n\r\nx", true),
    ("Content-Disposition: form-data;\r\n name=\"n\"\r\n\r\nx", true),
    ("Content-Length: 1\r\nContent-Disposition: form-data; name=\"n\"\r\nX-A: b\r\n\r\nx", true),
    ("Content-Disposition: form-data; name=\"n\"\r\nContent-Type: text/plain\r\n\r\nx", true),
    ("Content-Disposition: form-data; name=\"n\"\r\n\r\ny", false),
    ("Content-Disposition: form-data; name=\"m\"\r\n\r\nx", false),
    ("Content-Disposition: form-data; name=\"n\"; filename=\"f\"\r\n\r\nx", false),
    ("Content-Disposition: form-data; name=\"n\"; filename*=UTF-8''f\r\n\r\nx", false),
    ("Content-Disposition: form-data; name=\"n\"\r\nContent-Type: image/png\r\n\r\nx", false),
    ("Content-Disposition: form-data\r\n\r\nx", false), ("\r\nx", false),
    ("Content-Disposition: attachment; name=\"n\"\r\n\r\nx", false),
  ])
  func `name, file name, media type and content of a part count`(
    _ part: String, _ same: Bool
  ) throws {
    let type = kind("multipart/form-data; boundary=B")
    let given = form("B", "\(Self.disposition)\r\n\r\nx")
    #expect(try keyed.same(given, type, form("B", part), type) == same)
  }

  @Test func `the order of parts counts`() throws {
    let type = kind("multipart/form-data; boundary=B")
    let (one, two) = ("\(Self.disposition)\r\n\r\n1", "\(Self.disposition)\r\n\r\n2")
    #expect(try !keyed.same(form("B", one, two), type, form("B", two, one), type))
    #expect(try !keyed.same(form("B", one), type, form("B", one, one), type))
  }

  @Test func `a part is compared as its own media type says`() throws {
    let type = kind("multipart/related; boundary=B")
    func json(_ text: String) -> [UInt8] {
      form("B", "Content-Type: application/json; charset=utf-8\r\n\r\n\(text)")
    }
    #expect(try keyed.same(json(#"{"a":1,"b":2}"#), type, json(#"{"b":2,"a":1}"#), type))
    #expect(try !keyed.same(json(#"{"a":1}"#), type, json(#"{"a":2}"#), type))
    #expect(try !keyed.same(json(#"{"a":1"#), type, json(#"{ "a":1"#), type))
    func nested(_ boundary: String) -> [UInt8] {
      let inner = String(decoding: form(boundary, "\r\nx"), as: UTF8.self)
      return form("B", "Content-Type: multipart/mixed; boundary=\(boundary)\r\n\r\n\(inner)")
    }
    #expect(try keyed.same(nested("C"), type, nested("D"), type))
  }

  @Test func `multipart within multipart ends somewhere`() throws {
    func nested(_ depth: Int, _ inner: String) -> [UInt8] {
      (0..<depth).reversed().reduce(Array(inner.utf8)) { content, level in
        Array("--B\(level)\r\nContent-Type: multipart/mixed; boundary=B\(level + 1)\r\n\r\n".utf8)
          + content + Array("\r\n--B\(level)--".utf8)
      }
    }
    let type = kind("multipart/mixed; boundary=B0")
    #expect(try keyed.same(nested(3, "--B3-- "), type, nested(3, "--B3--"), type))
    #expect(try !keyed.same(nested(4, "--B4-- "), type, nested(4, "--B4--"), type))
    #expect(try keyed.same(nested(1000, "x"), type, nested(1000, "x"), type))
  }
}

@Suite struct `Kinds of content` {
  @Test(
    arguments: [
      ("application/json", .json), ("APPLICATION/JSON; charset=utf-8", .json), ("text/json", .json),
      ("application/problem+json", .json), ("application/vnd.api+JSON;v=1", .json),
      ("application/x-amz-json-1.1", .json), ("application/jsonp", .bytes),
      ("application/x-ndjson", .bytes), ("application/x-www-form-urlencoded", .form),
      ("application/x-www-form-urlencoded; charset=UTF-8", .form),
      ("multipart/form-data; boundary=x", .multipart(boundary: [0x78])),
      ("multipart/mixed; boundary=\"x\"", .multipart(boundary: [0x78])),
      ("multipart/form-data", .bytes), ("text/plain", .bytes), ("", .bytes),
    ] as [(String, ContentKind)])
  func `are told by the media type`(_ type: String, _ kind: ContentKind) {
    #expect(ContentKind(contentType: Array(type.utf8)[...]) == kind)
  }

  @Test func `no media type means bytes`() {
    #expect(ContentKind(contentType: nil) == .bytes)
  }

  private func key(_ type: String) -> [UInt8] {
    var key: [UInt8] = []
    ParameterizedValue(Array(type.utf8)[...]).appendMediaType(to: &key)
    return key
  }

  @Test(arguments: [
    ("text/plain;charset=UTF-8", "Text/Plain; Charset=\"utf-8\""),
    ("a/b; c=1; d=2", "a/b; d=2; c=1"),
    ("application/json", "application/json; charset=utf-8"),
    ("multipart/form-data; boundary=a", "multipart/form-data; charset=utf-8; boundary=b"),
    ("multipart/related; boundary=a; type=x", "multipart/related; type=x; boundary=b"),
  ])
  func `media types that mean the same have one key`(_ left: String, _ right: String) {
    #expect(key(left) == key(right))
  }

  @Test(arguments: [
    ("text/plain", "text/plain; charset=utf-8"), ("text/plain", "text/html"),
    ("a/b; c=x", "a/b; c=X"), ("application/json; v=1", "application/json; v=2"),
    ("multipart/related; type=x", "multipart/related; type=y"),
    ("multipart/mixed", "multipart/form-data"),
  ])
  func `others have another`(_ left: String, _ right: String) {
    #expect(key(left) != key(right))
  }
}
