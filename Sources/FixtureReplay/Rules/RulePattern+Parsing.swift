import FixtureHTTP

/// Reads the part of a rule before its colon:
/// `[METHOD|METHOD ][//authority]path[?name=value&…]`.
struct RulePatternParser {
  /// A byte, and whether an escape made it one that stands for itself.
  private struct Unit {
    let byte: UInt8
    let isLiteral: Bool
    let position: Int

    var isStar: Bool { byte == 0x2A && !isLiteral }
  }

  private var scanner: RuleScanner
  private var units: ArraySlice<Unit> = []

  private static let pathExpected = "a path that begins with /, or * for everything"

  /// - Returns: the pattern; the scanner stands behind the colon.
  static func parse(_ scanner: inout RuleScanner) throws(RuleError) -> RulePattern {
    var parser = RulePatternParser(scanner: scanner)
    let pattern = try parser.pattern()
    scanner = parser.scanner
    return pattern
  }

  private init(scanner: RuleScanner) {
    self.scanner = scanner
  }

  private mutating func pattern() throws(RuleError) -> RulePattern {
    scanner.skipWhitespace()
    var pattern = RulePattern()
    pattern.methods = try methods()
    try readUnits()
    if starts(with: "//") { pattern.authority = try authority() }
    if pattern.authority != nil, units.isEmpty { return pattern }
    guard let first = units.first else {
      throw scanner.expected(Self.pathExpected, at: scanner.position)
    }
    if units.count == 1, first.isStar { return pattern }
    guard first.byte == 0x2F else { throw scanner.expected(Self.pathExpected, at: first.position) }
    let path = units.prefix { !($0.byte == 0x3F && !$0.isLiteral) }
    pattern.path = wildcards(path, crossing: true)
    units = units[path.endIndex...]
    if !units.isEmpty {
      units.removeFirst()
      pattern.query = try query()
    }
    return pattern
  }

  /// Empty when the line begins with the path.
  private mutating func methods() throws(RuleError) -> [Method] {
    guard let first = scanner.bytes[scanner.position...].first, first != 0x2F, first != 0x2A else {
      return []
    }
    let start = scanner.position
    let words = scanner.bytes[start...].prefix {
      !$0.isOptionalWhitespace && $0 != 0x3A && $0 != 0x2F && $0 != 0x2C
    }
    guard words.endIndex < scanner.bytes.count, scanner.bytes[words.endIndex].isOptionalWhitespace
    else {
      throw scanner.expected(
        words.isEmpty ? "a method or a path" : "a space and a path behind the method",
        at: words.endIndex)
    }
    var methods: [Method] = []
    for name in words.split(separator: 0x7C, omittingEmptySubsequences: false) {
      guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else {
        throw scanner.expected("a method", at: name.startIndex)
      }
      methods.append(Method(name))
    }
    scanner.position = words.endIndex
    scanner.skipWhitespace()
    return methods
  }

  /// Everything up to the colon, which is followed by white space or ends the line.
  private mutating func readUnits() throws(RuleError) {
    var units: [Unit] = []
    while !scanner.isAtEnd {
      let start = scanner.position
      let byte = scanner.bytes[start]
      if byte == 0x3A,
        start + 1 == scanner.bytes.count || scanner.bytes[start + 1].isOptionalWhitespace
      {
        scanner.position += 1
        self.units = units[...]
        return
      }
      if byte.isOptionalWhitespace { break }
      let character = try scanner.character()
      units.append(Unit(byte: character, isLiteral: byte == 0x5C, position: start))
    }
    throw scanner.expected("a colon and a space behind the pattern", at: scanner.position)
  }

  private func starts(with text: StaticString) -> Bool {
    units.prefix(text.utf8CodeUnitCount).map(\.byte).elementsEqual(text.utf8)
      && units.prefix(text.utf8CodeUnitCount).allSatisfy { !$0.isLiteral }
  }

  private mutating func authority() throws(RuleError) -> WildcardText {
    units.removeFirst(2)
    let name = units.prefix { $0.byte != 0x2F || $0.isLiteral }
    guard !name.isEmpty else {
      throw scanner.expected(
        "an authority behind //", at: units.first?.position ?? scanner.position)
    }
    units = units[name.endIndex...]
    return wildcards(
      name.map {
        Unit(byte: $0.byte.asciiLowercased, isLiteral: $0.isLiteral, position: $0.position)
      }[...], crossing: false)
  }

  private func query() throws(RuleError) -> [RulePattern.Pair] {
    var pairs: [RulePattern.Pair] = []
    let pieces = units.split(omittingEmptySubsequences: false) {
      $0.byte == 0x26 && !$0.isLiteral
    }
    for piece in pieces {
      let name = piece.prefix { $0.byte != 0x3D || $0.isLiteral }
      guard !name.isEmpty else {
        throw scanner.expected(
          "the name of a query pair", at: piece.first?.position ?? scanner.position - 1)
      }
      if let star = name.first(where: \.isStar) {
        throw scanner.error(
          .senseless("a name in a query can't hold *, escape one that is meant as \\*"),
          at: star.position)
      }
      let value = piece[name.endIndex...]
      pairs.append(
        RulePattern.Pair(
          name: name.map(\.byte),
          value: value.isEmpty ? nil : wildcards(value.dropFirst(), crossing: false)))
    }
    return pairs
  }

  /// - Parameter crossing: whether `**` means something of its own.
  private func wildcards(_ units: ArraySlice<Unit>, crossing: Bool) -> WildcardText {
    var parts: [WildcardText.Part] = []
    var literal: [UInt8] = []
    var rest = units
    while let unit = rest.popFirst() {
      guard unit.isStar else {
        literal.append(unit.byte)
        continue
      }
      if !literal.isEmpty { parts.append(.literal(literal)) }
      literal = []
      var stars = 1
      while rest.first?.isStar == true {
        rest.removeFirst()
        stars += 1
      }
      parts.append(crossing && stars > 1 ? .all : .segment)
    }
    if !literal.isEmpty { parts.append(.literal(literal)) }
    return WildcardText(parts)
  }
}
