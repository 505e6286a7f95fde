import FixtureHTTP

/// Makes a `FieldSection` of a section's bytes. Lines that are as they are stored already are
/// copied together; most sections are one copy.
struct FieldSectionBuilder {
  private let section: UnsafeRawBufferPointer
  private var bytes: [UInt8] = []
  private var lines: [FieldSection.Line] = []
  /// Source bytes from here on are not copied yet; they will lie `shift` bytes further on.
  private var copied = 0
  private var shift = 0

  /// Parses a section's field lines.
  /// - Parameter section: whole lines with their line ends, without the empty line.
  static func parse(
    _ section: UnsafeRawBufferPointer, lineCount: Int, rules: SectionRules
  ) throws(ProtocolError) -> FieldSection {
    if section.isEmpty { return FieldSection() }
    var builder = FieldSectionBuilder(section, lineCount: lineCount)
    var position = 0
    var index = 0
    while position < section.count {
      let line = try FieldLine(in: section, at: position, index: index, rules: rules)
      builder.append(line)
      position = line.next
      index &+= line.lineCount
    }
    builder.copy(to: section.count)
    return FieldSection(bytes: builder.bytes, lines: builder.lines)
  }

  private init(_ section: UnsafeRawBufferPointer, lineCount: Int) {
    self.section = section
    // A line grows by two bytes at most: `N:v LF` becomes `N: v CRLF`.
    bytes.reserveCapacity(section.count + 2 * lineCount)
    lines.reserveCapacity(lineCount)
  }

  @inline(__always)
  private mutating func append(_ line: FieldLine) {
    guard line.isCanonical else { return appendNormalized(line) }
    lines.append(
      FieldSection.Line(
        nameStart: UInt32(truncatingIfNeeded: line.start &+ shift),
        nameEnd: UInt32(truncatingIfNeeded: line.nameEnd &+ shift),
        valueEnd: UInt32(truncatingIfNeeded: line.valueEnd &+ shift)))
  }

  private mutating func appendNormalized(_ line: FieldLine) {
    copy(to: line.start)
    let nameStart = bytes.count
    bytes.append(contentsOf: section[line.start..<line.nameEnd])
    let nameEnd = bytes.count
    bytes.append(0x3A)
    bytes.append(0x20)
    if line.lineCount == 1 {
      bytes.append(contentsOf: section[line.valueStart..<line.valueEnd])
    } else {
      appendUnfolded(line)
    }
    lines.append(
      FieldSection.Line(
        nameStart: UInt32(nameStart), nameEnd: UInt32(nameEnd), valueEnd: UInt32(bytes.count)))
    bytes.append(0x0D)
    bytes.append(0x0A)
    copied = line.next
    shift = bytes.count - copied
  }

  /// Each `obs-fold` with the whitespace around it becomes one space (RFC 9112 §5.2).
  private mutating func appendUnfolded(_ line: FieldLine) {
    let valueStart = bytes.count
    var position = line.valueStart
    while position < line.valueEnd {
      let end = ByteScan.lineFeed(in: section, from: position, to: line.valueEnd)
      var part = section[position..<end]
      if part.last == 0x0D { part.removeLast() }
      part = part.trimmingOptionalWhitespace
      if !part.isEmpty, bytes.count > valueStart { bytes.append(0x20) }
      bytes.append(contentsOf: part)
      position = end + 1
    }
  }

  private mutating func copy(to end: Int) {
    guard end > copied else { return }
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: section[copied..<end]))
    copied = end
  }
}
