import FixtureHTTP
import Testing

@testable import FixtureCassette

/// Content keys of texts.
struct Keyed {
  var keys = ContentKeys()

  init(ignoring pointers: String...) {
    keys = ContentKeys(ignoring: pointers.map { JSONPointer($0.utf8)! })
  }

  /// nil when there is none. Fingerprints follow keys.
  func callAsFunction(_ content: [UInt8], _ kind: ContentKind) -> [UInt8]? {
    content.withUnsafeBytes { bytes in
      var key: [UInt8] = []
      return keys.append(bytes, kind, to: &key) ? key : nil
    }
  }

  func fingerprint(_ content: [UInt8], _ kind: ContentKind) -> UInt64? {
    var features = ContentFeatures()
    return content.withUnsafeBytes { keys.fingerprint(of: $0, kind, features: &features) }
  }

  /// Whether two contents have equal keys; requires that they have one, and that equal keys have
  /// equal fingerprints.
  func same(
    _ left: [UInt8], _ leftKind: ContentKind, _ right: [UInt8], _ rightKind: ContentKind
  ) throws -> Bool {
    let leftKey = try #require(self(left, leftKind))
    let rightKey = try #require(self(right, rightKind))
    let leftPrint = try #require(fingerprint(left, leftKind))
    let rightPrint = try #require(fingerprint(right, rightKind))
    try #require(leftKey != rightKey || leftPrint == rightPrint)
    try #require(
      keys.areEqual(left, ContentForm(kind: leftKind), right, ContentForm(kind: rightKind))
        == (leftKey == rightKey))
    return leftKey == rightKey
  }

  func same(_ left: String, _ right: String, _ kind: ContentKind) throws -> Bool {
    try same(Array(left.utf8), kind, Array(right.utf8), kind)
  }
}

@Suite struct `Content keys` {
  let keyed = Keyed()

  @Test(arguments: [
    ("1", "1.0"), ("1", "1e0"), ("1", "10e-1"), ("1", "0.1E1"), ("1", "1.000"), ("100", "1e2"),
    ("-1.50", "-15e-1"), ("0", "-0"), ("0", "0.000"), ("0", "0e99999999999999999999"),
    ("1e400", "10e399"), ("1e-400", "0.1e-399"), ("12300", "1.23e+4"), ("0.00120", "12e-4"),
    ("1e007", "1E7"), ("123456789012345678901234567890", "12345678901234567890123456789e1"),
    ("{\"a\":1,\"b\":2}", "{ \"b\" : 2.0, \"a\" : 1 }"), ("[ ]", "[]"),
    (#"{"a":{"c":1,"b":[]}}"#, #"{"a":{"b":[],"c":1}}"#),
    (#""\u0061\/é""#, #""a/\u00e9""#), (#""\ud83d\ude00""#, "\"😀\""),
    (#"{"\u0061":1}"#, #"{"a":1}"#),
    (#"{"a":1,"b":0,"a":2}"#, #"{"b":0,"a":1,"a":2}"#),
  ])
  func `JSON of one value has one key`(_ left: String, _ right: String) throws {
    #expect(try keyed.same(left, right, .json))
  }

  @Test(arguments: [
    ("1", "2"), ("1", "-1"), ("1", "10"), ("1", "0.1"), ("1", "\"1\""), ("0", "false"),
    ("null", "false"), ("null", "\"null\""), ("[]", "{}"), ("[]", "[[]]"), ("[1,2]", "[2,1]"),
    ("[1]", "[1,1]"), ("[1]", "1"), ("{\"a\":1}", "[\"a\",1]"), ("{\"a\":1}", "{\"a\":1,\"b\":1}"),
    ("{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}"), ("{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}"),
    ("{\"a\":1,\"a\":1}", "{\"a\":1}"), ("{\"a\":1}", "{\"A\":1}"), ("[\"a\",\"b\"]", "[\"ab\"]"),
    ("{\"ab\":\"c\"}", "{\"a\":\"bc\"}"), ("\"é\"", "\"e\u{301}\""), ("\"a\"", "\"a \""),
    ("9007199254740993", "9007199254740992"), ("0.1", "0.10000000000000001"),
    ("1e400", "1e401"), ("1e400", "2e400"), ("1e-400", "0"),
    ("1e1000000000000000", "1e1000000000000001"), (#""\ud83d""#, #""\ud83c""#),
    ("[[1],2]", "[[1,2]]"), ("[{},[]]", "[[],{}]"), (#"{"a":{"b":1}}"#, #"{"a":{},"b":1}"#),
    (#""\\u0061""#, #""a""#), ("123456789012345678901", "123456789012345678902"),
  ])
  func `JSON of another value has another key`(_ left: String, _ right: String) throws {
    #expect(try !keyed.same(left, right, .json))
  }

  @Test func `different values have different fingerprints, but for the order of repeated names`() {
    let values = [
      "1", "-1", "10", "0", "\"1\"", "true", "false", "null", "[]", "{}", "[[]]", "[1]", "[1,2]",
      "[2,1]", "[1,1]", "{\"a\":1}", "{\"b\":1}", "{\"a\":2}", "{\"a\":1,\"b\":2}",
      "{\"a\":2,\"b\":1}", "{\"a\":{\"b\":1}}", "{\"a\":{},\"b\":1}", "[\"ab\"]", "[\"a\",\"b\"]",
      "{\"a\":1,\"a\":1}", "{\"ab\":\"c\"}", "{\"a\":\"bc\"}", "1e400", "12345678901234567",
      "12345678901234568",
    ]
    #expect(Set(values.map { keyed.fingerprint(Array($0.utf8), .json) }).count == values.count)
    let repeated = ["{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}"]
    #expect(Set(repeated.map { keyed.fingerprint(Array($0.utf8), .json) }).count == 1)
  }

  @Test func `the kind is part of the key`() throws {
    #expect(try !keyed.same(Array("1".utf8), .json, Array("1".utf8), .form))
  }

  @Test func `what is not well formed has no key`() {
    for (content, kind): (String, ContentKind) in [
      ("{", .json), ("{\"a\":1}x", .json), ("", .json), ("a", .bytes),
      ("--B\r\n\r\nx\r\n", .multipart(boundary: [0x42])),
    ] {
      #expect(keyed(Array(content.utf8), kind) == nil)
      #expect(keyed.fingerprint(Array(content.utf8), kind) == nil)
    }
  }

  @Test(arguments: [
    ("a=1&b=2", "b=2&a=1"), ("a=1&b=0&a=2", "b=0&a=1&a=2"), ("a=x+y", "a=x%20y"), ("a", "a="),
    ("a=%e9", "a=%E9"), ("&a=1&", "a=1"), ("", "&&"), ("a%5B%5D=1", "a[]=1"),
  ])
  func `forms of the same pairs have one key`(_ left: String, _ right: String) throws {
    #expect(try keyed.same(left, right, .form))
  }

  @Test(arguments: [
    ("a=1&a=2", "a=2&a=1"), ("a=1", "a=1&a=1"), ("a=x+y", "a=x%2By"), ("a=1;b=2", "a=1&b=2"),
    ("", "a"), ("a=1", "A=1"), ("a=b=c", "a%3Db=c"),
  ])
  func `forms of other pairs have another key`(_ left: String, _ right: String) throws {
    #expect(try !keyed.same(left, right, .form))
  }
}

@Suite struct `Ignored places of content` {
  @Test(arguments: [
    ("/ts", #"{"ts":1,"a":2}"#, #"{"a":2,"ts":{"x":[]}}"#),
    ("/ts", #"{"a":2}"#, #"{"a":2,"ts":null}"#),
    ("/ts", #"{"a":2}"#, #"{"\u0074s":1,"a":2,"ts":3}"#),
    ("/a/1", "{\"a\":[1,2,3]}", "{\"a\":[1,{\"x\":[9]},3]}"),
    ("/a/0/b", #"{"a":[{"b":1,"c":2}]}"#, #"{"a":[{"c":2}]}"#),
    ("/0", "[1,2]", "[9,2]"),
    ("/a~1b", #"{"a/b":1}"#, "{}"),
    ("/", #"{"":1,"a":2}"#, #"{"a":2}"#),
    ("/items", #"{"items":[[[1]]],"b":1}"#, #"{"b":1}"#),
  ])
  func `do not count`(_ pointer: String, _ left: String, _ right: String) throws {
    #expect(try Keyed(ignoring: pointer).same(left, right, .json))
    #expect(try !Keyed().same(left, right, .json))
  }

  @Test(arguments: [
    ("/ts", #"{"a":{"ts":1}}"#, #"{"a":{"ts":2}}"#),
    ("/a/1", "{\"a\":[1,2,3]}", "{\"a\":[1,2,4]}"),
    ("/a/1", "{\"a\":[1,2]}", "{\"a\":[1]}"),
    ("/a/b", #"{"a":1}"#, #"{"a":2}"#),
    ("/1", "[1,2,3]", "[1,2,4]"),
    ("/a", "[1]", "[2]"),
    ("/0", "{\"1\":1}", "{\"1\":2}"),
    ("/TS", #"{"ts":1}"#, #"{"ts":2}"#),
  ])
  func `leave all others as they are`(_ pointer: String, _ left: String, _ right: String) throws {
    #expect(try !Keyed(ignoring: pointer).same(left, right, .json))
  }

  @Test func `several are walked at once`() throws {
    let keyed = Keyed(ignoring: "/a/b", "/a/c/0", "/d")
    #expect(
      try keyed.same(
        #"{"a":{"b":1,"c":[1,2],"e":3},"d":4}"#, #"{"a":{"e":3,"c":[9,2]}}"#, .json))
    #expect(
      try !keyed.same(
        #"{"a":{"b":1,"c":[1,2],"e":3},"d":4}"#, #"{"a":{"e":4,"c":[9,2]}}"#, .json))
  }

  @Test func `an ignored place that is no JSON is none all the same`() {
    let keyed = Keyed(ignoring: "/a")
    for text in [#"{"a":01}"#, #"{"a":[1}"#, #"{"a":}"#, #"{"a":"#, #"{"a"}"#, #"{"a":1"#] {
      #expect(keyed(Array(text.utf8), .json) == nil)
      #expect(keyed.fingerprint(Array(text.utf8), .json) == nil)
    }
  }

  @Test func `a single token names a form field and a part`() throws {
    let keyed = Keyed(ignoring: "/csrf", "/a/b")
    #expect(try keyed.same("a=1&csrf=x", "csrf=y&csrf=z&a=1", .form))
    #expect(try keyed.same("a=1&csrf=x", "a=1", .form))
    #expect(try !keyed.same("a=1&Csrf=x", "a=1", .form))
    #expect(try !keyed.same("a=1", "a=2", .form))
    let part = "--B\r\nContent-Disposition: form-data; name=csrf\r\n\r\nx\r\n"
    #expect(try keyed.same(part + "--B--", "--B--", .multipart(boundary: [0x42])))
  }
}
