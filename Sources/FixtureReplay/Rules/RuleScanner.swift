import FixtureCassette
import FixtureHTTP

/// One word of a rule's clauses, with its place in the line.
struct RuleToken: Equatable {
  enum Kind {
    case word, quoted, comma, end
  }

  let kind: Kind
  /// With escapes resolved.
  let text: [UInt8]
  /// Of its first byte in the line.
  let position: Int

  /// The text as words of the language are compared; nil when it was quoted.
  var keyword: String? { kind == .word ? String(decoding: text, as: UTF8.self) : nil }
}

/// Splits a line of a scenario.
///
/// Escapes are the same everywhere: `\n`, `\r` and `\t` are those characters, `\xNN` is a byte, and
/// any other character behind a backslash is itself.
struct RuleScanner {
  let bytes: [UInt8]
  /// From 1.
  let line: Int
  var position = 0

  /// - Parameter bytes: without the end of the line.
  init(_ bytes: [UInt8], line: Int) {
    self.bytes = bytes
    self.line = line
  }

  var isAtEnd: Bool { position >= bytes.count }

  func error(_ problem: RuleError.Problem, at position: Int) -> RuleError {
    let before = bytes[..<min(position, bytes.count)]
    let column = before.count { $0 & 0xC0 != 0x80 } + 1
    return RuleError(problem, line: line, column: column)
  }

  /// What was expected instead of what stands at a position.
  func expected(_ expected: String, at position: Int) -> RuleError {
    let rest = bytes[min(position, bytes.count)...]
    // Where white space stands instead, with the word behind it: alone it would not be seen.
    let word = rest.drop(while: \.isOptionalWhitespace).prefix { !$0.isOptionalWhitespace }
    let found = rest.isEmpty ? nil : Self.printable(rest[..<word.endIndex])
    return error(.unexpected(found: found, expected: expected, nearest: nil), at: position)
  }

  /// What was expected instead of a word.
  /// - Parameter words: those that might have been meant.
  func expected(_ expected: String, at token: RuleToken, among words: [String] = []) -> RuleError {
    let found: String? =
      switch token.kind {
      case .end: nil
      case .comma: ","
      case .word, .quoted: Self.printable(token.text[...])
      }
    return error(
      .unexpected(
        found: found, expected: expected,
        nearest: token.keyword.flatMap { EditDistance.nearest(to: $0, in: words) }),
      at: token.position)
  }

  mutating func skipWhitespace() {
    while position < bytes.count, bytes[position].isOptionalWhitespace { position += 1 }
  }

  /// The next word, comma or the end.
  mutating func token() throws(RuleError) -> RuleToken {
    skipWhitespace()
    let start = position
    guard position < bytes.count else {
      return RuleToken(kind: .end, text: [], position: start)
    }
    if bytes[position] == 0x2C {
      position += 1
      return RuleToken(kind: .comma, text: [], position: start)
    }
    if bytes[position] == 0x22 { return try quoted() }
    var text: [UInt8] = []
    while position < bytes.count, bytes[position] != 0x2C, !bytes[position].isOptionalWhitespace {
      text.append(try character())
    }
    return RuleToken(kind: .word, text: text, position: start)
  }

  private mutating func quoted() throws(RuleError) -> RuleToken {
    let start = position
    position += 1
    var text: [UInt8] = []
    while position < bytes.count, bytes[position] != 0x22 { text.append(try character()) }
    guard position < bytes.count else { throw expected("a closing \"", at: position) }
    position += 1
    guard position == bytes.count || bytes[position] == 0x2C || bytes[position].isOptionalWhitespace
    else { throw expected("a space or a comma after the closing \"", at: position) }
    return RuleToken(kind: .quoted, text: text, position: start)
  }

  /// One byte, an escape resolved.
  mutating func character() throws(RuleError) -> UInt8 {
    let byte = bytes[position]
    position += 1
    guard byte == 0x5C else { return byte }
    guard position < bytes.count else { throw expected("a character after \\", at: position) }
    let escaped = bytes[position]
    position += 1
    switch escaped {
    case 0x6E: return 0x0A
    case 0x72: return 0x0D
    case 0x74: return 0x09
    case 0x78:
      guard position + 1 < bytes.count, let high = bytes[position].hexDigitValue,
        let low = bytes[position + 1].hexDigitValue
      else { throw expected("two hexadecimal digits after \\x", at: position) }
      position += 2
      return high << 4 | low
    default: return escaped
    }
  }

  /// As it may be shown in one line.
  static func printable(_ text: ArraySlice<UInt8>) -> String {
    let text = String(decoding: text.prefix(60), as: UTF8.self)
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }))
  }
}
