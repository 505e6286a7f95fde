import FixtureHTTP

/// Where one field line lies in a section's bytes (RFC 9112 §5).
struct FieldLine {
  let start: Int
  let nameEnd: Int
  let valueStart: Int
  /// Without whitespace at its end. A folded value still has its line ends inside.
  let valueEnd: Int
  /// Where the next field line starts.
  let next: Int
  /// Lines taken, more than one when folded.
  let lineCount: Int
  /// Whether the bytes are `Name: value CRLF` already.
  let isCanonical: Bool
}

extension FieldLine {
  /// Parses the line at `start` of a section whose bytes end with a line end.
  ///
  /// Requests are strict. In responses, as RFC 9112 allows or asks of an intermediary: whitespace
  /// before the colon is removed (§5.1), `obs-fold` is replaced by a space (§5.2), and LF alone
  /// ends a line (§2.2).
  /// - Parameter index: of the line in its section, from 0.
  @inline(__always)
  init(
    in section: UnsafeRawBufferPointer, at start: Int, index: Int, rules: SectionRules
  ) throws(ProtocolError) {
    var nameEnd = start
    while section[nameEnd].isTokenCharacter { nameEnd &+= 1 }
    var colon = nameEnd
    if nameEnd == start || section[nameEnd] != 0x3A {
      colon = try Self.colon(in: section, at: start, nameEnd: nameEnd, index: index, rules: rules)
    }

    var valueStart = colon &+ 1
    while section[valueStart].isOptionalWhitespace { valueStart &+= 1 }
    var (contentEnd, next) = try Self.lineEnd(
      in: section, from: valueStart, index: index, rules: rules)
    var lineCount = 1
    // Requests never get here with a folded line's second half: it is refused as a line's start.
    while rules.kind == .response, next < section.count, section[next].isOptionalWhitespace {
      (contentEnd, next) = try Self.lineEnd(
        in: section, from: next, index: index + lineCount, rules: rules)
      lineCount += 1
    }
    var valueEnd = contentEnd
    while valueEnd > valueStart, section[valueEnd &- 1].isOptionalWhitespace { valueEnd &-= 1 }

    self.start = start
    self.nameEnd = nameEnd
    self.valueStart = valueStart
    self.valueEnd = valueEnd
    self.next = next
    self.lineCount = lineCount
    isCanonical =
      lineCount == 1 && valueStart == nameEnd &+ 2 && section[nameEnd &+ 1] == 0x20
      && section[valueEnd] == 0x0D && next == valueEnd &+ 2
  }

  /// Where the colon is when it does not follow the name at once, which only responses may do.
  private static func colon(
    in section: UnsafeRawBufferPointer, at start: Int, nameEnd: Int, index: Int,
    rules: SectionRules
  ) throws(ProtocolError) -> Int {
    let location = rules.location(index)
    if nameEnd == start {
      if section[start].isOptionalWhitespace { throw .lineFolded(location) }
      if section[start] == 0x3A { throw .fieldNameEmpty(location) }
      throw .fieldNameInvalid(byte: section[start], location)
    }
    var colon = nameEnd
    while section[colon].isOptionalWhitespace { colon += 1 }
    switch section[colon] {
    case 0x3A where rules.kind == .response: return colon
    case 0x3A: throw .spaceBeforeColon(location)
    case 0x0A: throw .colonMissing(location)
    case 0x0D where section[colon + 1] == 0x0A: throw .colonMissing(location)
    default: throw .fieldNameInvalid(byte: section[nameEnd], location)
    }
  }

  /// Where a value's line ends: before its CR or LF, and after them.
  @inline(__always)
  private static func lineEnd(
    in section: UnsafeRawBufferPointer, from start: Int, index: Int, rules: SectionRules
  ) throws(ProtocolError) -> (content: Int, next: Int) {
    var position = start
    while true {
      position = ByteScan.lowControl(in: section, from: position, to: section.count)
      switch section[position] {
      case 0x0A: return (position, position + 1)
      case 0x0D where section[position + 1] == 0x0A: return (position, position + 2)
      case 0x0D, 0x00: throw .byteForbidden(section[position], rules.location(index))
      default: position += 1
      }
    }
  }
}
