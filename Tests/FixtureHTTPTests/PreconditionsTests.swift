import Testing

@testable import FixtureHTTP

@Suite struct PreconditionsTests {
  /// A field and what is known of it: nil when it has no say.
  struct Condition {
    let value: String?
    let holds: Bool?

    init(_ value: String?, _ holds: Bool?) {
      self.value = value
      self.holds = holds
    }
  }

  /// A representation, and for each of the four fields every kind of value.
  struct Case {
    let current: Validators?
    let match: [Condition]
    let unmodifiedSince: [Condition]
    let noneMatch: [Condition]
    let modifiedSince: [Condition]
  }

  static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
  static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  static let after = "Sunday, 06-Nov-94 08:49:38 GMT"
  static let modified = HTTPDate(parsing: date.utf8)

  static let undated: [Condition] = [before, date, after, "0", "", nil].map { Condition($0, nil) }
  static let unmodified = [
    Condition(before, false), Condition(date, true), Condition(after, true), Condition("0", nil),
    Condition(nil, nil),
  ]
  static let modifiedSince = [
    Condition(before, true), Condition(date, false), Condition(after, false),
    Condition("yesterday", nil), Condition(nil, nil),
  ]

  static let cases = [
    // Strong.
    Case(
      current: Validators(entityTag: EntityTag([0x61]), lastModified: modified),
      match: [
        Condition("\"a\"", true), Condition("\"x\", \"a\"", true), Condition("*", true),
        Condition("W/\"a\"", false), Condition("\"b\"", false), Condition("a", false),
        Condition("", false), Condition(nil, nil),
      ], unmodifiedSince: unmodified,
      noneMatch: [
        Condition("\"a\"", false), Condition("W/\"a\"", false), Condition("*", false),
        Condition("\"x\",,\"a\"", false), Condition("\"b\"", true), Condition("a", true),
        Condition("", true), Condition(nil, nil),
      ], modifiedSince: modifiedSince),
    // Weak, without a date.
    Case(
      current: Validators(entityTag: EntityTag([0x61], isWeak: true)),
      match: [
        Condition("\"a\"", false), Condition("W/\"a\"", false), Condition("*", true),
        Condition(nil, nil),
      ], unmodifiedSince: undated,
      noneMatch: [
        Condition("\"a\"", false), Condition("W/\"a\"", false), Condition("W/\"b\"", true),
        Condition("*", false), Condition(nil, nil),
      ], modifiedSince: undated),
    // A date alone.
    Case(
      current: Validators(lastModified: modified),
      match: [Condition("\"a\"", false), Condition("*", true), Condition(nil, nil)],
      unmodifiedSince: unmodified,
      noneMatch: [Condition("\"a\"", true), Condition("*", false), Condition(nil, nil)],
      modifiedSince: modifiedSince),
    // No representation.
    Case(
      current: nil,
      match: [Condition("\"a\"", false), Condition("*", false), Condition(nil, nil)],
      unmodifiedSince: undated,
      noneMatch: [Condition("\"a\"", true), Condition("*", true), Condition(nil, nil)],
      modifiedSince: undated),
  ]

  /// RFC 9110 §13.2.2, step by step, of what is known of each field.
  static func expected(
    _ method: Method, match: Condition, unmodifiedSince: Condition, noneMatch: Condition,
    modifiedSince: Condition
  ) -> Preconditions.Outcome {
    if match.value != nil, match.holds == false { return .failed }
    if match.value == nil, unmodifiedSince.holds == false { return .failed }
    let isRead = method == .get || method == .head
    if noneMatch.value != nil {
      if noneMatch.holds == true { return .proceed }
      return isRead ? .notModified : .failed
    }
    if isRead, modifiedSince.holds == false { return .notModified }
    return .proceed
  }

  @Test(arguments: [Method.get, .head, .put, .delete, .post, .other(Array("QUERY".utf8))])
  func `all combinations are decided in the order of RFC 9110`(_ method: Method) {
    var wrong: [String] = []
    for each in Self.cases {
      for match in each.match {
        for unmodifiedSince in each.unmodifiedSince {
          for noneMatch in each.noneMatch {
            for modifiedSince in each.modifiedSince {
              // The order on the wire does not matter.
              var fields = FieldSection()
              if let value = modifiedSince.value { fields.append("If-Modified-Since", value) }
              if let value = noneMatch.value { fields.append("if-none-match", value) }
              if let value = unmodifiedSince.value { fields.append("If-Unmodified-Since", value) }
              if let value = match.value { fields.append("IF-MATCH", value) }
              let expected = Self.expected(
                method, match: match, unmodifiedSince: unmodifiedSince, noneMatch: noneMatch,
                modifiedSince: modifiedSince)
              let outcome = Preconditions.evaluate(method, fields, against: each.current)
              if outcome != expected {
                wrong.append("\(fields.bytes): \(outcome), not \(expected)")
              }
            }
          }
        }
      }
    }
    #expect(wrong == [])
  }

  @Test(arguments: [
    (nil, true), ("\"a\"", true), ("W/\"a\"", false), ("\"b\"", false), (date, true),
    (before, false), (after, false), ("a", false), ("", false), ("*", false),
    ("\"b\", \"a\"", false),
  ])
  func `a range is taken from what If-Range names alone`(_ value: String?, _ expected: Bool) {
    let current = Validators(
      entityTag: EntityTag([0x61]), lastModified: Self.modified,
      date: HTTPDate(parsing: Self.after.utf8))
    #expect(Preconditions.allowRange(Self.ifRange(value), of: current) == expected)
  }

  @Test func `a weak validator lets no range be taken`() {
    let weak = Validators(
      entityTag: EntityTag([0x61], isWeak: true), lastModified: Self.modified,
      date: Self.modified)
    for value in ["\"a\"", "W/\"a\"", Self.date] {
      #expect(!Preconditions.allowRange(Self.ifRange(value), of: weak))
    }
    let undated = Validators(lastModified: Self.modified)
    #expect(Preconditions.allowRange(Self.ifRange(Self.date), of: undated))
    #expect(!Preconditions.allowRange(Self.ifRange(Self.date), of: Validators()))
  }

  static func ifRange(_ value: String?) -> FieldSection {
    var fields = FieldSection()
    fields.append("Range", "bytes=0-1")
    if let value { fields.append("If-Range", value) }
    return fields
  }

  @Test func `the fields that matter are found among others`() {
    var fields = FieldSection()
    for name in ["Accept", "Iffy", "If-", "Ranges", "Rango", "If-Nine-Match", "Via"] {
      fields.append(name: name.utf8, value: "x".utf8)
    }
    #expect(Preconditions.Presence(fields) == [])
    for (name, presence): (String, Preconditions.Presence) in [
      ("If-Match", .ifMatch), ("if-none-match", .ifNoneMatch), ("RANGE", .range),
      ("If-Modified-Since", .ifModifiedSince), ("If-Unmodified-Since", .ifUnmodifiedSince),
      ("iF-rANGE", .ifRange),
    ] {
      var one = fields
      one.append(name: name.utf8, value: "x".utf8)
      #expect(Preconditions.Presence(one) == presence)
    }
  }
}
