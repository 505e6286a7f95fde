/// A query read as form-encoded pairs (application/x-www-form-urlencoded, WHATWG URL §5.1).
///
/// `&` separates pairs and nothing else does (`;` is data); empty pieces between separators are no
/// pairs; the first `=` ends the name, and without one the value is empty.
package enum QueryPairs {
  /// One pair, raw and decoded.
  package struct Pair: Equatable, Sendable {
    /// As it stands in the query.
    package let rawName: ArraySlice<UInt8>
    /// As it stands in the query; nil when the piece holds no `=`.
    package let rawValue: ArraySlice<UInt8>?
    package let name: [UInt8]
    /// Empty without a `=`.
    package let value: [UInt8]
  }

  /// The pairs in the order given, repeats kept.
  package static func pairs(_ query: ArraySlice<UInt8>) -> [Pair] {
    query.split(separator: 0x26, omittingEmptySubsequences: true).map { piece in
      let equals = piece.firstIndex(of: 0x3D)
      let rawName = piece[..<(equals ?? piece.endIndex)]
      let rawValue = equals.map { piece[($0 + 1)...] }
      return Pair(
        rawName: rawName, rawValue: rawValue, name: formDecoded(rawName),
        value: rawValue.map { formDecoded($0) } ?? [])
    }
  }

  /// The bytes with `+` as a space and percent escapes resolved.
  package static func formDecoded(_ raw: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(raw.count)
    raw.withUnsafeBytes { PercentEncoding.appendDecoded($0, plusIsSpace: true, to: &result) }
    return result
  }
}

/// Percent escapes (RFC 3986 §2.1).
package enum PercentEncoding {
  /// The bytes with escapes resolved. One that is not `%` and two hexadecimal digits stays as it
  /// is.
  package static func decoded(_ raw: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(raw.count)
    raw.withUnsafeBytes { appendDecoded($0, plusIsSpace: false, to: &result) }
    return result
  }

  /// The bytes with everything escaped but what never needs it (`unreserved`, RFC 3986 §2.3).
  package static func encoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for byte in bytes {
      if byte.isUnreserved {
        result.append(byte)
      } else {
        result += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
      }
    }
    return result
  }

  /// As `decoded`, to the end of a buffer; in form encoding `+` is a space.
  package static func appendDecoded(
    _ raw: UnsafeRawBufferPointer, plusIsSpace: Bool, to bytes: inout [UInt8]
  ) {
    var copied = 0
    var index = 0
    while index < raw.count {
      let byte = raw[index]
      index += 1
      guard byte == 0x25 || byte == 0x2B && plusIsSpace else { continue }
      let escaped = byte == 0x2B ? 0x20 : escapedByte(in: raw, at: index)
      guard let escaped else { continue }
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: raw[copied..<(index - 1)]))
      bytes.append(escaped)
      if byte == 0x25 { index += 2 }
      copied = index
    }
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: raw[copied...]))
  }

  /// The byte that the two digits at `index` stand for; nil when they are none.
  package static func escapedByte(in raw: UnsafeRawBufferPointer, at index: Int) -> UInt8? {
    guard index + 1 < raw.count, let high = raw[index].hexDigitValue,
      let low = raw[index + 1].hexDigitValue
    else { return nil }
    return high << 4 | low
  }
}

extension UInt8 {
  /// `unreserved` (RFC 3986 §2.3).
  fileprivate var isUnreserved: Bool {
    isLetter || isDigit || self == 0x2D || self == 0x2E || self == 0x5F || self == 0x7E
  }
}
