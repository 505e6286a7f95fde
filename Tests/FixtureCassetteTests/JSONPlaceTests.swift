import FixtureCassette
import Testing

@Suite struct JSONPlaceTests {
  private static func pointer(_ text: String) throws -> JSONPointer {
    try #require(JSONPointer(text.utf8))
  }

  @Test(
    arguments: [
      ("", #" {"a": 1} "#, #"{"a": 1}"#), ("/a", #"{"a": 1}"#, "1"), ("/a", #"{"a":"x"}"#, #""x""#),
      ("/a/1", #"{"a":[true,[2]]}"#, "[2]"), ("/a/0", #"{"a":[true,false]}"#, "true"),
      ("/a/1", #"{"a":[true,false]}"#, "false"), ("/a/b", #"{"a":{"b":null}}"#, "null"),
      ("/a", #"{"a":1,"a":2}"#, "2"), ("/~0~1", #"{"~/":{}}"#, "{}"),
      ("/é", #"{"\u00e9":-1.5}"#, "-1.5"),
      ("/b", #"{"a":{"b":1}}"#, nil), ("/a/01", #"{"a":[1,2]}"#, nil), ("/a", #"{"a":1"#, nil),
      ("/a", #"{"a":1} x"#, nil), ("/0", "[]", nil), ("/a", "1", nil),
    ] as [(String, String, String?)])
  func `a value is found where a pointer names it`(
    _ place: String, _ text: String, _ value: String?
  ) throws {
    let bytes = Array(text.utf8)
    let range = JSONPlace.range(of: try Self.pointer(place), in: bytes)
    #expect(range.map { String(decoding: bytes[$0], as: UTF8.self) } == value)
  }

  @Test(
    arguments: [
      ("/a", #"{ "a" : 1 }"#, #"{ "a" : 9 }"#), ("", "[1]", "9"), ("/b", "{}", #"{"b":9}"#),
      ("/b", #"{"a":1}"#, #"{"a":1,"b":9}"#), ("/a/b", #"{"a":{}}"#, #"{"a":{"b":9}}"#),
      ("/-", "[]", "[9]"), ("/-", "[1]", "[1,9]"), ("/1", "[1]", "[1,9]"), ("/2", "[1]", nil),
      ("/0/x", #"[{"y":1}]"#, #"[{"y":1,"x":9}]"#), ("/a/b", "{}", nil), ("/a", "1", nil),
      ("/q\"", "{}", #"{"q\"":9}"#), ("/a", "{", nil),
    ] as [(String, String, String?)])
  func `a value is set in its place, or added`(
    _ place: String, _ text: String, _ changed: String?
  ) throws {
    let result = JSONPlace.setting(
      try Self.pointer(place), to: Array("9".utf8), in: Array(text.utf8))
    #expect(result.map { String(decoding: $0, as: UTF8.self) } == changed)
  }
}
