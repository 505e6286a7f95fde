extension UInt8 {
  /// The lower case letter for an ASCII upper case one; any other byte as it is.
  @inlinable
  package var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

  /// `tchar` (RFC 9110 §5.6.2): what methods and field names are made of.
  @inlinable
  package var isTokenCharacter: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E:
      true
    default: false
    }
  }

  /// Whether the byte may stand in a field value: anything but CR, LF and NUL (RFC 9110 §5.5).
  /// Other control bytes are opaque to us and kept.
  @inlinable
  package var isFieldValueByte: Bool { self != 0x0D && self != 0x0A && self != 0x00 }

  /// SP or HTAB, the whitespace of `OWS` (RFC 9110 §5.6.3).
  @inlinable
  package var isOptionalWhitespace: Bool { self == 0x20 || self == 0x09 }

  /// 0–15 for a hexadecimal digit of either case, else nil.
  @inlinable
  package var hexDigitValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }
}

extension Collection<UInt8> {
  /// Whether the bytes are those of `other` when ASCII case is ignored.
  @inlinable
  package func equalsIgnoringCase(_ other: some Collection<UInt8>) -> Bool {
    count == other.count
      && zip(self, other).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
  }
}

extension BidirectionalCollection<UInt8> {
  /// The bytes without `OWS` at both ends (RFC 9110 §5.6.3).
  @inlinable
  package var trimmingOptionalWhitespace: SubSequence {
    guard let first = firstIndex(where: { !$0.isOptionalWhitespace }),
      let last = lastIndex(where: { !$0.isOptionalWhitespace })
    else { return self[startIndex..<startIndex] }
    return self[first...last]
  }
}
