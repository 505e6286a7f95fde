/// Lays JSON texts out for people, and back, without changing anything that has a meaning: numbers
/// and strings keep their spelling, members their order and repeats.
package enum JSONLayout {
  /// One member or element a line, two spaces deeper in each container; no newline at the end.
  /// - Returns: nil when the bytes are no JSON text.
  package static func laidOut(_ bytes: [UInt8]) -> [UInt8]? { written(bytes, isCompact: false) }

  /// Without any whitespace between tokens.
  /// - Returns: nil when the bytes are no JSON text.
  package static func compact(_ bytes: [UInt8]) -> [UInt8]? { written(bytes, isCompact: true) }

  private static func written(_ bytes: [UInt8], isCompact: Bool) -> [UInt8]? {
    bytes.withUnsafeBytes { text in
      var writer = Writer(isCompact: isCompact)
      writer.text.reserveCapacity(text.count)
      var scanner = JSONScanner(text)
      while true {
        switch scanner.next() {
        case .end: return writer.text
        case .invalid: return nil
        case .object: writer.open(0x7B)
        case .array: writer.open(0x5B)
        case .objectEnd: writer.close(0x7D)
        case .arrayEnd: writer.close(0x5D)
        case .name: writer.name(scanner.span.bytes(in: text))
        case .string: writer.string(scanner.span.bytes(in: text))
        case .number: writer.value(scanner.span.bytes(in: text))
        case .true: writer.value("true".utf8)
        case .false: writer.value("false".utf8)
        case .null: writer.value("null".utf8)
        }
      }
    }
  }

  private struct Writer {
    let isCompact: Bool
    var text: [UInt8] = []
    /// Of each open container whether it holds something already.
    private var isFilled: [Bool] = []
    private var followsName = false

    init(isCompact: Bool) {
      self.isCompact = isCompact
    }

    mutating func open(_ bracket: UInt8) {
      begin()
      text.append(bracket)
      isFilled.append(false)
    }

    mutating func close(_ bracket: UInt8) {
      if isFilled.removeLast() { startLine() }
      text.append(bracket)
    }

    mutating func name(_ name: some Sequence<UInt8>) {
      string(name)
      text.append(0x3A)
      if !isCompact { text.append(0x20) }
      followsName = true
    }

    mutating func string(_ string: some Sequence<UInt8>) {
      begin()
      text.append(0x22)
      text.append(contentsOf: string)
      text.append(0x22)
    }

    mutating func value(_ spelling: some Sequence<UInt8>) {
      begin()
      text.append(contentsOf: spelling)
    }

    /// What stands between this value and what is before it.
    private mutating func begin() {
      defer { followsName = false }
      guard !followsName, let hasBefore = isFilled.last else { return }
      if hasBefore { text.append(0x2C) }
      isFilled[isFilled.count - 1] = true
      startLine()
    }

    private mutating func startLine() {
      guard !isCompact else { return }
      text.append(0x0A)
      text.append(contentsOf: repeatElement(0x20, count: 2 * isFilled.count))
    }
  }
}
