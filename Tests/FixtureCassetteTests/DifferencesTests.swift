import FixtureHTTP
import Testing

@testable import FixtureCassette

/// What is said to differ does, and what is said to make it match does that.
@Suite struct `What differs` {
  private static func differences(
    _ recorded: [UInt8], _ recordedKind: ContentKind, _ asked: [UInt8], _ askedKind: ContentKind,
    _ rules: RedactionRules? = nil
  ) -> Differences {
    var found = Differences()
    ContentKeys().appendDifferences(
      recorded: ContentKeys.Known(recorded, ContentForm(kind: recordedKind)),
      asked: ContentKeys.Known(asked, ContentForm(kind: askedKind)),
      rules.map { LiveSecrets(rules: $0) }, to: &found)
    return found
  }

  /// Whether contents are the same once the words are said.
  private static func match(
    _ left: [UInt8], _ leftKind: ContentKind, _ right: [UInt8], _ rightKind: ContentKind,
    with change: String?
  ) throws -> Bool {
    let options = try MatchOptions(try #require(change))
    guard options.content else { return true }
    let keys = ContentKeys(ignoring: options.ignoredPlaces)
    return keys.key(of: left, ContentForm(kind: leftKind))
      == keys.key(of: right, ContentForm(kind: rightKind))
  }

  private static func check(
    _ left: [UInt8], _ leftKind: ContentKind, _ right: [UInt8], _ rightKind: ContentKind
  ) throws {
    let found = differences(left, leftKind, right, rightKind)
    let comment: Comment = "\(text(left)) \(text(right)) \(found)"
    try #require(found.count > 0 && !found.first.isEmpty, comment)
    try #require(found.first.count <= Differences.max)
    try #require(
      try match(left, leftKind, right, rightKind, with: found.change), comment)
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func `between drawn JSON can be told to match`() throws {
    var draw = Draw(state: 21)
    let keyed = Keyed()
    for _ in 0..<2000 {
      let value = DrawnJSON(&draw, depth: 4)
      let left = value.spelled(&draw)
      let right = (draw.next(4) == 0 ? DrawnJSON(&draw, depth: 4) : value.changed(&draw))
        .spelled(&draw)
      if try keyed.same(left, .json, right, .json) { continue }
      try Self.check(left, .json, right, .json)
    }
  }

  @Test func `between drawn forms can be told to match`() throws {
    var draw = Draw(state: 22)
    let keyed = Keyed()
    let names = ["a", "b", "a/b", "c~d", "", "e f", ",", "%2C", "%0A", "%FF"]
    for _ in 0..<2000 {
      func form() -> [UInt8] {
        let pairs = (0..<draw.next(5)).map { _ in
          draw.element(of: names) + "=" + draw.element(of: ["", "1", "2", "x+y"])
        }
        return Array(pairs.joined(separator: "&").utf8)
      }
      let (left, right) = (form(), form())
      if try keyed.same(left, .form, right, .form) { continue }
      try Self.check(left, .form, right, .form)
    }
  }

  @Test func `between drawn multiparts can be told to match`() throws {
    var draw = Draw(state: 23)
    let keyed = Keyed()
    for _ in 0..<2000 {
      var parts = (0..<draw.next(4)).map { _ in DrawnPart(&draw) }
      let left = DrawnPart.content(of: parts, &draw)
      switch draw.next(3) {
      case 0: parts = draw.shuffled(parts)
      case 1: parts.append(DrawnPart(&draw))
      default: if !parts.isEmpty { parts[draw.next(parts.count)] = DrawnPart(&draw) }
      }
      let right = DrawnPart.content(of: parts, &draw)
      if try keyed.same(left.content, left.kind, right.content, right.kind) { continue }
      try Self.check(left.content, left.kind, right.content, right.kind)
    }
  }

  @Test func `between drawn queries can be told to match`() throws {
    var draw = Draw(state: 24)
    let pieces = ["a=1", "a=2", "b=1", "b", "", "c%2Cd=1", "e+f=1", "token=x", "token=REDACTED-1"]
    func key(_ target: [UInt8], _ options: MatchOptions) -> [UInt8] {
      var key: [UInt8] = []
      MatchKeys(description: CassetteDescription(), options: options)
        .appendKey(method: .get, target: target, upstream: nil, to: &key)
      return key
    }
    for _ in 0..<2000 {
      func target() -> [UInt8] {
        let query = (0..<draw.next(4)).map { _ in draw.element(of: pieces) }
        return Array(("/a" + draw.element(of: ["", "?", "?"]) + query.joined(separator: "&")).utf8)
      }
      let (left, right) = (target(), target())
      // Without a mark these are paths.
      guard [left, right].allSatisfy({ $0.contains(0x3F) || $0.count == 2 }) else { continue }
      var found = Differences()
      let keys = MatchKeys(description: CassetteDescription())
      keys.appendDifferences(
        recorded: (.get, left, nil), asked: (.get, right, nil), to: &found)
      let comment: Comment = "\(Self.text(left)) \(Self.text(right)) \(found)"
      let isSame =
        key(left, .init()) == key(right, .init())
        && MatchKeys.placeholders(
          keys.placeholders(in: right), agreeWith: keys.placeholders(in: left))
      try #require(isSame == found.isEmpty, comment)
      if isSame { continue }
      let options = try MatchOptions(try #require(found.change, comment))
      try #require(key(left, options) == key(right, options), comment)
    }
  }

  @Test func `that are too many are counted up to a bound and asked to be left out as a whole`() {
    let left = "[\((0..<5000).map { "{\"a\":\($0)}" }.joined(separator: ","))]"
    let right = "[\((0..<5000).map { "{\"a\":-\($0 + 1)}" }.joined(separator: ","))]"
    let found = Self.differences(Array(left.utf8), .json, Array(right.utf8), .json)
    #expect(found.count == Differences.countMax)
    #expect(found.first.count == Differences.max)
    #expect(found.change == "-content")
  }

  @Test func `in secret places are not shown`() {
    let rules = RedactionRules()
    let secret = "s3cret"
    for (left, right, kind): (String, String, ContentKind) in [
      (#"{"a":1}"#, #"{"password":"s3cret"}"#, .json),
      (#"{"a":1}"#, #"{"a":{"b":[{"access_token":"s3cret"}]}}"#, .json),
      (#"{"a":{"token":["REDACTED-1"]}}"#, #"{"a":{"token":["x","s3cret"]}}"#, .json),
      ("password=REDACTED-1", "password=REDACTED-2&token=s3cret", .form),
      ("a=1", "a=https://x.test/?token=s3cret", .form),
      (
        "--B\r\nContent-Disposition: form-data; name=password\r\n\r\nREDACTED-1\r\n--B--",
        "--B\r\nContent-Disposition: form-data; name=password\r\n\r\ns3cret\r\n--B--",
        .multipart(boundary: [0x42])
      ),
    ] {
      let found = Self.differences(Array(left.utf8), kind, Array(right.utf8), kind, rules)
      #expect(!found.isEmpty)
      for difference in found.first {
        for excerpt in [difference.recorded, difference.asked] {
          let shown = Self.text(excerpt?.bytes ?? [])
          #expect(!shown.contains(secret), "\(difference)")
        }
      }
    }
  }

  @Test func `an excerpt is cut between characters`() {
    let long = String(repeating: "a", count: 63) + "éé"
    #expect(ValueExcerpt(Array(long.utf8)).bytes == Array(String(repeating: "a", count: 63).utf8))
    #expect(ValueExcerpt(Array(long.utf8)).isCut)
    let whole = String(repeating: "a", count: 62) + "é"
    #expect(ValueExcerpt(Array(whole.utf8)).bytes == Array(whole.utf8))
    #expect(!ValueExcerpt(Array(whole.utf8)).isCut)
    #expect(ValueExcerpt([UInt8](repeating: 0x80, count: 200)).bytes.count >= 60)
  }

  @Test func `is the order of what has one name`() {
    let found = Self.differences(
      Array(#"{"a":1,"a":2}"#.utf8), .json, Array(#"{"a":2,"a":1}"#.utf8), .json)
    #expect(
      found.first == [
        Difference(
          .content, recorded: ValueExcerpt("one order of repeated names"),
          asked: ValueExcerpt("another"), change: "-content")
      ])
  }

  @Test(
    arguments: [
      ("form-data; name=f; filename*=UTF-8''a", "form-data; name=f; filename*=UTF-8''b", .fileName),
      ("form-data; name=f", "attachment; name=f", .disposition),
    ] as [(String, String, Difference.Aspect)])
  func `of a part is named as what it is`(
    recorded: String, asked: String, aspect: Difference.Aspect
  ) {
    func content(_ disposition: String) -> [UInt8] {
      Array("--B\r\nContent-Disposition: \(disposition)\r\n\r\nx\r\n--B--".utf8)
    }
    let kind = ContentKind.multipart(boundary: [0x42])
    let found = Self.differences(content(recorded), kind, content(asked), kind)
    #expect(found.first.map(\.place) == [.part(Array("f".utf8), aspect)])
  }

  @Test func `only in what may not be shown is said so`() {
    let found = Self.differences(
      Array(#"{"password":"REDACTED-1"}"#.utf8), .json,
      Array(#"{"password":"REDACTED-2"}"#.utf8), .json, RedactionRules())
    #expect(
      found.first == [
        Difference(.content, recorded: .secret, asked: .secret, change: "-content")
      ])
  }
}
