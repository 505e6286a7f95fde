import FixtureCassette
import Testing

@Suite struct JSONDifferenceTests {
  private func differences(_ left: String, _ right: String) throws -> [String] {
    let left = try #require(JSONNode(Array(left.utf8)))
    let right = try #require(JSONNode(Array(right.utf8)))
    return JSONDifference.list(left, right).map { difference in
      let pointer = String(decoding: difference.pointer.text, as: UTF8.self)
      let before = difference.left.map { String(decoding: $0.compact, as: UTF8.self) } ?? "nothing"
      let now = difference.right.map { String(decoding: $0.compact, as: UTF8.self) } ?? "nothing"
      return "\(pointer): \(before) -> \(now)"
    }
  }

  @Test func `differences are told by pointer`() throws {
    #expect(
      try differences(
        #"{"a":1,"b":{"c~/d":"x"},"e":[1,2]}"#, #"{"b":{"c~/d":"y"},"e":[1,2,{"f": true}],"g":{}}"#)
        == [
          "/a: 1 -> nothing", #"/b/c~0~1d: "x" -> "y""#, #"/e/2: nothing -> {"f":true}"#,
          "/g: nothing -> {}",
        ])
    #expect(try differences("1", "[1]") == [": 1 -> [1]"])
  }

  @Test func `equal values are equal however they are spelled`() throws {
    #expect(
      try differences(#"{"a":1.0,"b":"\u0041"}"#, #" { "b" : "A", "a" : 10e-1 } "#) == [])
    #expect(try differences("9007199254740993", "9007199254740992").count == 1)
  }

  @Test func `an element that came between others is one difference`() throws {
    #expect(try differences("[1,2,3]", "[1,9,2,3]") == ["/1: nothing -> 9"])
    #expect(try differences("[1,2,3]", "[2,3]") == ["/0: 1 -> nothing"])
    #expect(try differences("[1,2,3]", "[1,5,3]") == ["/1: 2 -> 5"])
  }

  @Test func `names that repeat are compared in their order`() throws {
    #expect(try differences(#"{"a":1,"a":2}"#, #"{"a":1,"a":3}"#) == ["/a: 2 -> 3"])
    #expect(try differences(#"{"a":1,"a":2}"#, #"{"a":1}"#) == ["/a: 2 -> nothing"])
  }

  @Test func `what is no JSON has no tree`() {
    for text in ["", "{", "[1,]", "1 2", "{\"a\"}"] { #expect(JSONNode(Array(text.utf8)) == nil) }
  }

  private func shapes(_ left: String, _ right: String) throws -> [String] {
    let left = JSONShape(try #require(JSONNode(Array(left.utf8))))
    let right = JSONShape(try #require(JSONNode(Array(right.utf8))))
    return left.differences(to: right).map { difference in
      func words(_ types: [JSONNode.ValueType]) -> String {
        types.isEmpty ? "nothing" : types.map(\.rawValue).joined(separator: "|")
      }
      return String(decoding: difference.place, as: UTF8.self) + ": \(words(difference.before)) -> "
        + words(difference.now)
    }
  }

  @Test func `shapes are types by place`() throws {
    #expect(
      try shapes(#"{"a":1,"l":[{"x":1},{"x":null}]}"#, #"{"a":"1","l":[{"x":2},{"x":3,"y":[]}]}"#)
        == ["/a: number -> string", "/l/*/x: null|number -> number", "/l/*/y: nothing -> array"])
    #expect(try shapes(#"{"a":1,"b":[1,2]}"#, #"{"b":[3],"a":2}"#) == [])
  }

  @Test func `only the outermost of what came is told, and nothing of what may be in empty arrays`()
    throws
  {
    #expect(try shapes("{}", #"{"a":{"b":{"c":1}}}"#) == ["/a: nothing -> object"])
    #expect(try shapes(#"{"a":[]}"#, #"{"a":[{"b":1}]}"#) == [])
    #expect(try shapes(#"{"a":[1]}"#, #"{"a":[]}"#) == [])
  }

  @Test(arguments: [
    ("{\"a\": Ada}", 6), ("[1,]", 3), ("[1 2]", 3), ("{\"a\":1", 6), ("", 0), ("1 x", 2),
    ("[1,\n  x]", 6),
  ])
  func `where a text stops being JSON`(text: String, offset: Int) {
    #expect(JSONScanner.firstError(in: Array(text.utf8)) == offset)
  }
}
