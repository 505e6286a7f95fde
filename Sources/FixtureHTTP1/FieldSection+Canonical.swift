import FixtureHTTP

extension FieldSection {
  /// More field lines than most messages have.
  private static let canonicalLinesMax = 32

  /// The shortcut for a section that has arrived whole and is laid out as it is stored,
  /// `Name: value CRLF` in every line: its lines are found in one pass and its bytes copied at once.
  ///
  /// - Returns: nil for anything else, right or wrong. It is left to the long way, which must come
  ///   to the same result for a section that is taken here.
  static func canonical(
    _ input: UnsafeRawBufferPointer, rules: SectionRules
  ) -> (fields: FieldSection, length: Int)? {
    let bound = min(input.count, rules.bytesMax)
    if bound >= 2, input[0] == 0x0D, input[1] == 0x0A { return (FieldSection(), 2) }
    var linesEnd = 0
    let lines = [Line](
      unsafeUninitializedCapacity: min(canonicalLinesMax, rules.linesMax)
    ) { lines, count in
      linesEnd = canonicalLines(UnsafeRawBufferPointer(rebasing: input[..<bound]), lines, &count)
    }
    guard linesEnd > 0 else { return nil }
    let bytes = Array(UnsafeRawBufferPointer(rebasing: input[..<linesEnd]))
    return (FieldSection(bytes: bytes, lines: lines), linesEnd + 2)
  }

  /// - Returns: where the empty line starts, or 0.
  @inline(__always)
  private static func canonicalLines(
    _ input: UnsafeRawBufferPointer, _ lines: UnsafeMutableBufferPointer<Line>, _ count: inout Int
  ) -> Int {
    var start = 0
    while count < lines.count {
      let nameEnd = tokenEnd(in: input, from: start)
      // Enough for the shortest end: colon, space, CRLF, CRLF.
      guard nameEnd > start, nameEnd &+ 6 <= input.count, input[nameEnd] == 0x3A,
        input[nameEnd &+ 1] == 0x20
      else { return 0 }
      let valueStart = nameEnd &+ 2
      // A tab or another control byte stops here too.
      let valueEnd = ByteScan.lowControl(in: input, from: valueStart, to: input.count)
      guard valueEnd &+ 4 <= input.count, input[valueEnd] == 0x0D, input[valueEnd &+ 1] == 0x0A,
        valueEnd == valueStart || (input[valueStart] != 0x20 && input[valueEnd &- 1] != 0x20)
      else { return 0 }
      lines.initializeElement(
        at: count,
        to: Line(
          nameStart: UInt32(truncatingIfNeeded: start),
          nameEnd: UInt32(truncatingIfNeeded: nameEnd),
          valueEnd: UInt32(truncatingIfNeeded: valueEnd)))
      count &+= 1
      start = valueEnd &+ 2
      if input[start] == 0x0D, input[start &+ 1] == 0x0A { return start }
    }
    return 0
  }

  @inline(__always)
  private static func tokenEnd(in input: UnsafeRawBufferPointer, from start: Int) -> Int {
    var end = ByteScan.lettersAndHyphens(in: input, from: start, to: input.count)
    while end < input.count, input[end].isTokenCharacter { end &+= 1 }
    return end
  }
}
