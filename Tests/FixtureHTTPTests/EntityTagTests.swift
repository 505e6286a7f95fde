import Testing

@testable import FixtureHTTP

@Suite struct `Entity tag` {
  @Test(arguments: [
    (#""a""#, false, "a"), (#"W/"a""#, true, "a"), (#""""#, false, ""), (#""a,b""#, false, "a,b"),
    (#""a\""#, false, #"a\"#), (#" "a" "#, false, "a"), (#""a b""#, false, "a b"),
    (#""W/""#, false, "W/"), ("\"\u{e9}\"", false, "\u{e9}"),
  ])
  func `is read with its quotes`(_ text: String, _ isWeak: Bool, _ opaque: String) throws {
    let tag = try #require(EntityTag(parsing: Array(text.utf8)[...]))
    #expect(tag == EntityTag(Array(opaque.utf8), isWeak: isWeak))
  }

  @Test(arguments: [
    "", "*", #"w/"a""#, #"W/ "a""#, #""a"#, #"a""#, #""a"b"#, #""a" "b""#, "a b", "a,b",
  ])
  func `is nothing else`(_ text: String) {
    #expect(EntityTag(parsing: Array(text.utf8)[...]) == nil)
  }

  @Test func `is written as it was read`() {
    for text in [#""a""#, #"W/"a""#, #""""#, "v1", "W/v1"] {
      #expect(EntityTag(parsing: Array(text.utf8)[...])?.bytes == Array(text.utf8))
    }
  }

  /// The table of RFC 9110 §8.8.3.2.
  @Test(arguments: [
    (#"W/"1""#, #"W/"1""#, false, true), (#"W/"1""#, #"W/"2""#, false, false),
    (#"W/"1""#, #""1""#, false, true), (#""1""#, #""1""#, true, true),
    (#""1""#, #""2""#, false, false), (#""a""#, #""A""#, false, false),
    // Without quotes it is another one, but its own.
    ("1", #""1""#, false, false), ("1", "1", true, true),
  ])
  func `compares strongly and weakly`(
    _ left: String, _ right: String, _ strong: Bool, _ weak: Bool
  ) throws {
    let tags = try [left, right].map {
      try #require(EntityTag(parsing: Array($0.utf8)[...]))
    }
    #expect(tags[0].matchesStrongly(tags[1]) == strong)
    #expect(tags[1].matchesStrongly(tags[0]) == strong)
    #expect(tags[0].matchesWeakly(tags[1]) == weak)
    #expect(tags[1].matchesWeakly(tags[0]) == weak)
  }

  @Test(arguments: [
    (["*"], EntityTagList.any), ([#""a""#], .tags([tag("a")])),
    ([#""x", W/"a,b""#], .tags([tag("x"), tag("a,b", isWeak: true)])),
    ([#""x",,"a""#], .tags([tag("x"), tag("a")])), ([#", "x" ,"#], .tags([tag("x")])),
    ([#""x""#, #""y""#], .tags([tag("x"), tag("y")])),
    (["a,b"], .tags([word("a"), word("b")])), ([#"w/"a,b""#], .tags([])), ([""], .tags([])),
    ([#"junk, "a""#], .tags([word("junk"), tag("a")])), ([#""a"junk, "b""#], .tags([tag("b")])),
    ([#""a" "b", "c""#], .tags([tag("c")])), ([#""a, "b""#], .tags([])),
    ([#"*, "a""#], .tags([tag("a")])), (["*", #""a""#], .tags([tag("a")])),
  ])
  func `lists are read over all lines, without what is no tag`(
    _ values: [String], _ expected: EntityTagList
  ) {
    var fields = FieldSection()
    fields.append("Other", "*")
    for value in values { fields.append("if-none-MATCH", value) }
    #expect(EntityTagList(.ifNoneMatch, in: fields) == expected)
    #expect(EntityTagList(.ifMatch, in: fields) == nil)
  }

  static func word(_ text: String) -> EntityTag {
    EntityTag(Array(text.utf8), isQuoted: false)
  }

  static func tag(_ opaque: String, isWeak: Bool = false) -> EntityTag {
    EntityTag(Array(opaque.utf8), isWeak: isWeak)
  }
}
