import Testing

@testable import FixtureCassette

@Suite struct `JSON pointers` {
  @Test(
    arguments: [
      ("", []), ("/", [""]), ("/a", ["a"]), ("/a/0/b", ["a", "0", "b"]), ("/a~1b", ["a/b"]),
      ("/m~0n", ["m~n"]), ("/~01", ["~1"]), ("//", ["", ""]), ("/é", ["é"]), ("/a,b %", ["a,b %"]),
    ] as [(String, [String])])
  func `tokens are read and written as the RFC says`(_ text: String, _ tokens: [String]) throws {
    let pointer = try #require(JSONPointer(text.utf8))
    #expect(pointer.tokens == tokens.map { Array($0.utf8) })
    #expect(pointer.text == Array(text.utf8))
  }

  @Test(arguments: ["a", "a/b", "/~", "/a~", "/~2", "/a~b/c", "#/a"])
  func `anything else is no pointer`(_ text: String) {
    #expect(JSONPointer(text.utf8) == nil)
  }
}
