import FixtureHTTP

extension FieldSection {
  /// Room for this many lines is made at once; more are fine.
  private static let usualLinesMax = 16

  /// The shortcut for a section that has arrived whole and is laid out as it is stored, with
  /// `Name: value CRLF` in every line: its lines are found in one pass, its bytes copied at once.
  ///
  /// - Returns: nil for anything else, right or wrong. It is left to the long way, which must come
  ///   to the same result for a section that is taken here.
  static func canonical(
    _ input: UnsafeRawBufferPointer, rules: SectionRules
  ) -> (fields: FieldSection, length: Int)? {
    let bound = min(input.count, rules.bytesMax)
    if bound >= 2, input[0] == 0x0D, input[1] == 0x0A { return (FieldSection(), 2) }
    var lines: [Line] = []
    lines.reserveCapacity(usualLinesMax)
    guard let linesEnd = appendCanonicalLines(in: input, to: bound, &lines, max: rules.linesMax)
    else { return nil }
    let bytes = Array(UnsafeRawBufferPointer(rebasing: input[..<linesEnd]))
    return (FieldSection(bytes: bytes, lines: lines), linesEnd + 2)
  }

  /// - Returns: where the empty line starts.
  @inline(__always)
  private static func appendCanonicalLines(
    in input: UnsafeRawBufferPointer, to bound: Int, _ lines: inout [Line], max: Int
  ) -> Int? {
    var start = 0
    while lines.count < max {
      let nameEnd = tokenEnd(in: input, from: start, to: bound)
      // Enough for the shortest end: colon, space, CRLF, CRLF.
      guard nameEnd > start, nameEnd &+ 6 <= bound, input[nameEnd] == 0x3A,
        input[nameEnd &+ 1] == 0x20
      else { return nil }
      let valueStart = nameEnd &+ 2
      // A tab or another control byte stops here too.
      let valueEnd = ByteScan.lowControl(in: input, from: valueStart, to: bound)
      guard valueEnd &+ 4 <= bound, input[valueEnd] == 0x0D, input[valueEnd &+ 1] == 0x0A,
        valueEnd == valueStart || (input[valueStart] != 0x20 && input[valueEnd &- 1] != 0x20)
      else { return nil }
      lines.append(
        Line(
          nameStart: UInt32(truncatingIfNeeded: start),
          nameEnd: UInt32(truncatingIfNeeded: nameEnd),
          valueEnd: UInt32(truncatingIfNeeded: valueEnd)))
      start = valueEnd &+ 2
      if input[start] == 0x0D, input[start &+ 1] == 0x0A { return start }
    }
    return nil
  }

  @inline(__always)
  private static func tokenEnd(
    in input: UnsafeRawBufferPointer, from start: Int, to bound: Int
  ) -> Int {
    var end = ByteScan.lettersAndHyphens(in: input, from: start, to: bound)
    while end < bound, input[end].isTokenCharacter { end &+= 1 }
    return end
  }
}
