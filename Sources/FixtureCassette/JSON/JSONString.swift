import FixtureHTTP

/// The text of JSON strings (RFC 8259 §7) as bytes.
package enum JSONString {
  /// A hash of a text: eight bytes a step, and what is left with the count of all.
  static func hash(of text: UnsafeRawBufferPointer) -> UInt64 {
    var hash: UInt64 = 0
    var index = 0
    while index &+ 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      hash = StableHash.mix(hash, UInt64(littleEndian: word))
      index &+= 8
    }
    var rest: UInt64 = 0
    var shift: UInt64 = 0
    while index < text.count {
      rest |= UInt64(text[index]) &<< shift
      shift &+= 8
      index &+= 1
    }
    return self.hash(hash, rest: rest, count: text.count)
  }

  /// The end of a hash.
  @inline(__always)
  static func hash(_ hash: UInt64, rest: UInt64, count: Int) -> UInt64 {
    StableHash.mix(hash ^ UInt64(truncatingIfNeeded: count) &* 0x9e37_79b9_7f4a_7c15, rest)
  }

  /// Appends the text of a string that a scanner has found valid, as UTF-8. An escaped surrogate
  /// without its other half becomes the three bytes that UTF-8 would have for it, which no text
  /// that was sent unescaped can hold.
  package static func appendText(
    of span: JSONScanner.Span, in bytes: UnsafeRawBufferPointer, to text: inout [UInt8]
  ) {
    guard span.isEscaped else {
      text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[span.range]))
      return
    }
    var position = span.start
    while position < span.end {
      guard bytes[position] == 0x5C else {
        text.append(bytes[position])
        position += 1
        continue
      }
      position += appendEscaped(in: bytes, at: position, upTo: span.end, to: &text)
    }
  }

  /// - Returns: how many bytes were used.
  private static func appendEscaped(
    in bytes: UnsafeRawBufferPointer, at position: Int, upTo end: Int, to text: inout [UInt8]
  ) -> Int {
    switch bytes[position + 1] {
    case 0x62: text.append(0x08)
    case 0x66: text.append(0x0C)
    case 0x6E: text.append(0x0A)
    case 0x72: text.append(0x0D)
    case 0x74: text.append(0x09)
    case 0x75:
      let unit = codeUnit(in: bytes, at: position)
      if unit & 0xFC00 == 0xD800, position + 12 <= end, bytes[position + 6] == 0x5C,
        bytes[position + 7] == 0x75
      {
        let low = codeUnit(in: bytes, at: position + 6)
        if low & 0xFC00 == 0xDC00 {
          append(0x10000 + ((unit & 0x3FF) << 10 | (low & 0x3FF)), to: &text)
          return 12
        }
      }
      append(unit, to: &text)
      return 6
    default: text.append(bytes[position + 1])
    }
    return 2
  }

  /// A text as it stands between quotation marks. What `appendText` made of an escaped surrogate
  /// becomes that escape again.
  static func escaped(_ text: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    var result: [UInt8] = []
    result.reserveCapacity(text.count + 8)
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte == 0x22 || byte == 0x5C {
        result += [0x5C, byte]
      } else if byte < 0x20 {
        result += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
      } else if byte == 0xED, index + 2 < text.count, text[index + 1] >= 0xA0 {
        let unit = 0xD000 | Int(text[index + 1] & 0x3F) << 6 | Int(text[index + 2] & 0x3F)
        result += Array("\\u".utf8) + (0..<4).map { digits[unit >> (12 - $0 * 4) & 0x0F] }
        index += 2
      } else {
        result.append(byte)
      }
      index += 1
    }
    return result
  }

  /// The four digits of `\uXXXX`.
  private static func codeUnit(in bytes: UnsafeRawBufferPointer, at position: Int) -> UInt32 {
    (2..<6).reduce(0) { $0 << 4 | UInt32(bytes[position + $1].hexDigitValue ?? 0) }
  }

  /// UTF-8 of a code point, and by the same rule of a surrogate.
  private static func append(_ scalar: UInt32, to text: inout [UInt8]) {
    func continuation(_ shift: UInt32) -> UInt8 { 0x80 | UInt8((scalar >> shift) & 0x3F) }
    switch scalar {
    case 0..<0x80: text.append(UInt8(scalar))
    case 0x80..<0x800: text += [0xC0 | UInt8(scalar >> 6), continuation(0)]
    case 0x800..<0x10000:
      text += [0xE0 | UInt8(scalar >> 12), continuation(6), continuation(0)]
    default:
      text += [0xF0 | UInt8(scalar >> 18), continuation(12), continuation(6), continuation(0)]
    }
  }

  /// How long the escape is that begins with the backslash at `position`; nil when it is none.
  static func escapeLength(in bytes: UnsafeRawBufferPointer, at position: Int) -> Int? {
    guard position + 1 < bytes.count else { return nil }
    switch bytes[position + 1] {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return 2
    case 0x75:
      guard position + 6 <= bytes.count,
        bytes[(position + 2)..<(position + 6)].allSatisfy({ $0.hexDigitValue != nil })
      else { return nil }
      return 6
    default: return nil
    }
  }

  /// How long the UTF-8 sequence is that begins at `position` with a byte above 0x7F; nil when it
  /// is none (RFC 3629 §4: no overlong forms, no surrogates, nothing beyond U+10FFFF).
  static func scalarLength(in bytes: UnsafeRawBufferPointer, at position: Int) -> Int? {
    let second = position + 1 < bytes.count ? bytes[position + 1] : 0
    let length: Int
    switch bytes[position] {
    case 0xC2...0xDF: length = 2
    case 0xE0 where second >= 0xA0: length = 3
    case 0xED where second <= 0x9F: length = 3
    case 0xE1...0xEC, 0xEE, 0xEF: length = 3
    case 0xF0 where second >= 0x90: length = 4
    case 0xF4 where second <= 0x8F: length = 4
    case 0xF1...0xF3: length = 4
    default: return nil
    }
    guard position + length <= bytes.count,
      bytes[(position + 1)..<(position + length)].allSatisfy({ $0 & 0xC0 == 0x80 })
    else { return nil }
    return length
  }
}
