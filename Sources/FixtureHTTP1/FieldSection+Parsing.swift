import FixtureHTTP

extension FieldSection {
  /// Reads a header or trailer section and the empty line after it (RFC 9112 §5).
  ///
  /// - Parameter scan: a fresh one, or as the call before has left it.
  /// - Returns: the fields and the bytes they took; nil when the section has not arrived whole, and
  ///   then the same bytes must come again with more behind them.
  @inline(__always)
  static func parse(
    _ input: UnsafeRawBufferPointer, rules: SectionRules, _ scan: inout SectionScan
  ) throws(ProtocolError) -> (fields: FieldSection, length: Int)? {
    if scan.isFresh, let canonical = canonical(input, rules: rules) { return canonical }
    guard let extent = try scan.extent(in: input, rules: rules) else { return nil }
    let section = UnsafeRawBufferPointer(rebasing: input[..<extent.linesEnd])
    return (
      try FieldSection(normalizing: section, lineCount: extent.lineCount, rules: rules), extent.end
    )
  }

  private init(
    normalizing section: UnsafeRawBufferPointer, lineCount: Int, rules: SectionRules
  ) throws(ProtocolError) {
    self.init()
    // A line grows by two bytes at most: `N:v LF` becomes `N: v CRLF`.
    reserve(bytes: section.count + 2 * lineCount, lines: lineCount)
    var position = 0
    var index = 0
    while position < section.count {
      let line = try FieldLine(in: section, at: position, index: index, rules: rules)
      let name = section[line.start..<line.nameEnd]
      let value = section[line.valueStart..<line.valueEnd]
      if line.lineCount == 1 {
        append(name: name, value: value)
      } else {
        append(name: name, value: unfolded(UnsafeRawBufferPointer(rebasing: value)))
      }
      position = line.next
      index += line.lineCount
    }
  }
}

/// A folded value on one line: each `obs-fold` with the whitespace around it becomes one space
/// (RFC 9112 §5.2).
private func unfolded(_ value: UnsafeRawBufferPointer) -> [UInt8] {
  var unfolded: [UInt8] = []
  for line in value.split(separator: 0x0A) {
    let part = (line.last == 0x0D ? line.dropLast() : line).trimmingOptionalWhitespace
    if !part.isEmpty, !unfolded.isEmpty { unfolded.append(0x20) }
    unfolded.append(contentsOf: part)
  }
  return unfolded
}
