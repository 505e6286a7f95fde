import FixtureCassette
import Testing

@Suite struct `Match options` {
  @Test(arguments: [
    ("+header:Accept", "method,path,query,header:accept,content"),
    ("-content", "method,path,query"),
    ("-query,-method", "path,content"),
    ("method,path", "method,path"),
    ("path, method", "method,path"),
    ("method,path,+header:B,header:A", "method,path,header:a,header:b"),
    (
      "+query-ignore:ts,+query-ignore:a", "method,path,query,query-ignore:a,query-ignore:ts,content"
    ),
    ("method,query-ignore:ts", "method,query,query-ignore:ts"),
    ("+query-ignore:ts,-query", "method,path,content"),
    ("-query,+query-ignore:ts", "method,path,query,query-ignore:ts,content"),
    ("+query-ignore:ts,-query-ignore:ts", "method,path,query,content"),
    ("+content-ignore:/a/b,-content-ignore:/x", "method,path,query,content,content-ignore:/a/b"),
    ("content-ignore:/ts", "content,content-ignore:/ts"),
    ("+authority", "method,path,query,content,authority"),
    ("-authority", "method,path,query,content,-authority"),
    ("method,authority,-authority", "method,-authority"),
    ("path,-path", "method,-method"),
    (
      #"+query-ignore:a\,b,+content-ignore:/c\\d"#,
      #"method,path,query,query-ignore:a\,b,content,content-ignore:/c\\d"#
    ),
    ("+query-ignore:é", "method,path,query,query-ignore:é,content"),
    ("+header:A,+header:a", "method,path,query,header:a,content"),
    ("method,path,query,content", "method,path,query,content"),
  ])
  func `words change the standard`(_ text: String, _ words: String) throws {
    let options = try MatchOptions(text)
    #expect(options.words == words)
    #expect(try MatchOptions(words) == options)
  }

  @Test func `the standard prints itself`() throws {
    #expect(MatchOptions().words == "method,path,query,content")
    #expect(try MatchOptions(MatchOptions().words) == MatchOptions())
  }

  @Test func `changes add up`() throws {
    var options = try MatchOptions("-query")
    try options.apply("+header:accept")
    #expect(options.words == "method,path,header:accept,content")
    try options.apply("path")
    #expect(options.words == "path")
  }

  @Test(arguments: [
    (
      "",
      "a word is missing at 1, expected one of LIST"
    ),
    (
      "path,,query",
      "a word is missing at 6, expected one of LIST"
    ),
    (
      "+",
      "a word is missing at 2, expected one of LIST"
    ),
    ("path, +querry", #"there is no "querry" at 8, did you mean query?"#),
    ("+headers:a", #"there is no "headers" at 2, did you mean header?"#),
    ("Path", #"there is no "Path" at 1, did you mean path?"#),
    (
      "+zzzzzz",
      #"there is no "zzzzzz" at 2, expected one of LIST"#
    ),
    ("-header", "header at 2 has no name, expected header:NAME"),
    ("+content-ignore:", "content-ignore at 2 has no name, expected content-ignore:/POINTER"),
    ("+query:a", "query at 2 takes no name, expected query alone"),
    ("+header:a b", #""a b" at 2 is not a field name"#),
    (
      "+content-ignore:a",
      #""a" at 2 is not a JSON pointer, expected POINTER"#
    ),
    (
      "+\u{1B}[2J",
      #"there is no "?[2J" at 2, expected one of LIST"#
    ),
  ])
  func `what is wrong is named with its place`(_ text: String, _ description: String) {
    var options = MatchOptions()
    let error = #expect(throws: MatchOptionsError.self) { try options.apply(text) }
    let words =
      "method, path, query, query-ignore:NAME, header:NAME, content, content-ignore:/POINTER, "
      + "authority"
    let pointer = "expected / before each name, ~0 for ~ and ~1 for /, as in /items/0/id"
    #expect(
      error?.description
        == description.replacing("LIST", with: words).replacing("expected POINTER", with: pointer))
    #expect(options == MatchOptions())
  }
}
