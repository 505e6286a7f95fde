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
}

extension FieldLine {
  /// Parses the line at `start` of a section that `SectionScan` has found, so that CR is in line
  /// ends only and a line end is last.
  ///
  /// Requests are strict. In responses, as RFC 9112 allows or asks of an intermediary: whitespace
  /// before the colon is removed (§5.1), `obs-fold` is replaced by a space (§5.2), and LF alone
  /// ends a line (§2.2).
  /// - Parameter index: of the line in its section, from 0.
  init(
    in section: UnsafeRawBufferPointer, at start: Int, index: Int, rules: SectionRules
  ) throws(ProtocolError) {
    self.start = start
    var nameEnd = start
    while section[nameEnd].isTokenCharacter { nameEnd += 1 }
    self.nameEnd = nameEnd
    let colon = try Self.colon(
      in: section, at: start, nameEnd: nameEnd, location: rules.location(index), rules)

    var valueStart = colon + 1
    while section[valueStart].isOptionalWhitespace { valueStart += 1 }
    self.valueStart = valueStart
    var lineFeed = ByteScan.lineFeed(in: section, from: valueStart, to: section.count)
    var lineCount = 1
    // In a request the second half of a folded line is refused as the start of a line.
    while rules.kind == .response, lineFeed + 1 < section.count,
      section[lineFeed + 1].isOptionalWhitespace
    {
      lineFeed = ByteScan.lineFeed(in: section, from: lineFeed + 1, to: section.count)
      lineCount += 1
    }
    self.lineCount = lineCount
    next = lineFeed + 1

    var valueEnd = section[lineFeed - 1] == 0x0D ? lineFeed - 1 : lineFeed
    while valueEnd > valueStart, section[valueEnd - 1].isOptionalWhitespace { valueEnd -= 1 }
    self.valueEnd = max(valueStart, valueEnd)
  }

  private static func colon(
    in section: UnsafeRawBufferPointer, at start: Int, nameEnd: Int, location: Location,
    _ rules: SectionRules
  ) throws(ProtocolError) -> Int {
    if nameEnd == start {
      if section[start].isOptionalWhitespace { throw .lineFolded(location) }
      if section[start] == 0x3A { throw .fieldNameEmpty(location) }
      throw .fieldNameInvalid(byte: section[start], location)
    }
    var colon = nameEnd
    while section[colon].isOptionalWhitespace { colon += 1 }
    switch section[colon] {
    case 0x3A where colon == nameEnd || rules.kind == .response: return colon
    case 0x3A: throw .spaceBeforeColon(location)
    case 0x0A, 0x0D: throw .colonMissing(location)
    default: throw .fieldNameInvalid(byte: section[nameEnd], location)
    }
  }
}
