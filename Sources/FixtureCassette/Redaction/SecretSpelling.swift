import FixtureHTTP

/// Compares a text with the bytes of a secret, byte for byte, whatever escape each of them is in.
struct SecretSpelling {
  private let text: UnsafeRawBufferPointer

  init(_ text: UnsafeRawBufferPointer) {
    self.text = text
  }

  /// - Returns: behind the spelling of `bytes` that begins at `start`; nil when there is none.
  func end(of bytes: ArraySlice<UInt8>, from start: Int, isBase64: Bool) -> Int? {
    var position = start
    for byte in bytes {
      if let escape = escapeEnd(of: byte, from: position) {
        position = escape
      } else if let found = spellings(of: byte, isBase64).first(where: {
        stands($0, at: position)
      }) {
        position += found.count
      } else {
        return nil
      }
    }
    return position
  }

  /// - Returns: where the spelling of `bytes` begins that ends at `end`; nil when there is none.
  func start(of bytes: ArraySlice<UInt8>, before end: Int, isBase64: Bool) -> Int? {
    var position = end
    for byte in bytes.reversed() {
      if let escape = escapeStart(of: byte, before: position) {
        position = escape
      } else if let found = spellings(of: byte, isBase64).first(where: {
        position >= $0.count && stands($0, at: position - $0.count)
      }) {
        position -= found.count
      } else {
        return nil
      }
    }
    return position
  }

  /// The base64 text of which a part was found, up to a `/`, which a path has as well.
  func base64Run(around part: Range<Int>) -> Range<Int> {
    var start = part.lowerBound
    var end = part.upperBound
    while start > 0, isInRun(start - 1) { start -= 1 }
    while end < text.count, isInRun(end) { end += 1 }
    while end < text.count, text[end] == 0x3D { end += 1 }
    return start..<end
  }

  private func isInRun(_ position: Int) -> Bool {
    text[position] != 0x2F && Base64Text.isCharacter(text[position])
  }

  /// How a byte may stand there but for numeric escapes.
  private func spellings(of byte: UInt8, _ isBase64: Bool) -> [[UInt8]] {
    switch byte {
    case 0x20: [[0x20], [0x2B]]
    case 0x22, 0x2F, 0x5C: [[0x5C, byte], [byte]] + (isBase64 ? [[0x5F]] : [])
    case 0x2B where isBase64: [[0x2B], [0x2D]]
    case 0x26: [Array("&amp;".utf8), [byte]]
    case 0x0A: [[0x5C, 0x6E], [byte]]
    case 0x0D: [[0x5C, 0x72], [byte]]
    case 0x09: [[0x5C, 0x74], [byte]]
    default: [[byte]]
    }
  }

  private func stands(_ spelling: [UInt8], at position: Int) -> Bool {
    position + spelling.count <= text.count
      && text[position..<(position + spelling.count)].elementsEqual(spelling)
  }

  /// Behind `%XX`, `%25XX` or `\u00XX` that stands for the byte.
  private func escapeEnd(of byte: UInt8, from start: Int) -> Int? {
    for prefix in Self.prefixes where stands(prefix, at: start) {
      let digits = start + prefix.count
      if isHexadecimal(byte, at: digits) { return digits + 2 }
    }
    return nil
  }

  private func escapeStart(of byte: UInt8, before end: Int) -> Int? {
    guard end >= 3, isHexadecimal(byte, at: end - 2) else { return nil }
    return Self.prefixes.first { end - 2 >= $0.count && stands($0, at: end - 2 - $0.count) }
      .map { end - 2 - $0.count }
  }

  private func isHexadecimal(_ byte: UInt8, at position: Int) -> Bool {
    position + 2 <= text.count && text[position].hexDigitValue == byte >> 4
      && text[position + 1].hexDigitValue == byte & 0x0F
  }

  /// The longest first.
  private static let prefixes = ["%2525", "%25", "\\u00", "%"].map { Array($0.utf8) }
}
