extension JSONScanner {
  /// Where a text stops being JSON: the offset of the first token that does not belong there, or of
  /// its end; nil for a valid text.
  package static func firstError(in text: [UInt8]) -> Int? {
    text.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      while true {
        let before = scanner.position
        switch scanner.next() {
        case .end: return nil
        case .invalid: return start(of: before, in: bytes)
        case .object, .objectEnd, .array, .arrayEnd, .name, .string, .number, .true, .false, .null:
          continue
        }
      }
    }
  }

  /// The next token behind whitespace, and behind a comma that was read along with it.
  private static func start(of position: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    var index = skippingWhitespace(position, in: bytes)
    guard index < bytes.count, bytes[index] == 0x2C, position > 0 else { return index }
    index = skippingWhitespace(index + 1, in: bytes)
    return index
  }

  private static func skippingWhitespace(_ start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    var index = start
    while index < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[index]) { index += 1 }
    return index
  }
}
