/// The four forms a request target can take (RFC 9112 §3.2).
package enum TargetForm: Equatable, Sendable {
  /// `/path?query`.
  case origin
  /// `scheme://authority/path?query`.
  case absolute
  /// `host:port`, for CONNECT; also what fits no other form.
  case authority
  /// `*`, for OPTIONS.
  case asterisk
}

/// Reads request targets without decoding or changing a byte of them.
///
/// A target has no fragment (RFC 9112 §3.2); a `#` that was sent all the same is an ordinary byte.
package enum RequestTarget {
  package static func form(of target: some RandomAccessCollection<UInt8>) -> TargetForm {
    guard let first = target.first else { return .authority }
    if first == 0x2F { return .origin }
    if first == 0x2A, target.count == 1 { return .asterisk }
    return schemeEnd(of: target) == nil ? .authority : .absolute
  }

  /// The path and the query of a target.
  ///
  /// For the absolute form they are those of the origin form it stands for, but for an empty path,
  /// which stays empty (there it means `/`, or `*` for OPTIONS: RFC 9112 §3.2.1, §3.2.4). For the
  /// other forms the path is the whole target up to the first `?`.
  /// - Returns: `query` is nil when there is no `?`, and empty when nothing follows it.
  package static func split(
    _ target: [UInt8]
  ) -> (path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?) {
    let parts = target.withUnsafeBytes { split($0) }
    return (target[parts.path], parts.query.map { target[$0] })
  }

  /// As the other `split`, in offsets: for callers that hold the bytes by pointer.
  package static func split(
    _ target: UnsafeRawBufferPointer
  ) -> (path: Range<Int>, query: Range<Int>?) {
    var start = 0
    if let first = target.first, first != 0x2F, let authority = schemeEnd(of: target) {
      start = authority
      while start < target.count, target[start] != 0x2F, target[start] != 0x3F { start += 1 }
    }
    let end = queryMark(in: target, from: start)
    return (start..<end, end < target.count ? (end + 1)..<target.count : nil)
  }

  /// The first `?`, or the end; eight bytes a step, for targets are many and long.
  private static func queryMark(in target: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index &+ 8 <= target.count {
      let word = UInt64(littleEndian: target.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let difference = word ^ 0x3F3F_3F3F_3F3F_3F3F
      // A subtraction may mark bytes above a zero byte, never below: the lowest mark is right.
      let marks = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
      if marks != 0 { return index &+ marks.trailingZeroBitCount &>> 3 }
      index &+= 8
    }
    while index < target.count, target[index] != 0x3F { index &+= 1 }
    return index
  }

  /// Where the authority starts after `scheme://` (RFC 3986 §3.1, §3.2); nil without that.
  package static func schemeEnd<Bytes: RandomAccessCollection<UInt8>>(
    of reference: Bytes
  ) -> Bytes.Index? {
    guard let first = reference.first, first.isLetter,
      let colon = reference.firstIndex(where: { !$0.isSchemeCharacter }),
      reference[colon...].starts(with: [0x3A, 0x2F, 0x2F])
    else { return nil }
    return reference.index(colon, offsetBy: 3)
  }
}

extension UInt8 {
  /// ALPHA (RFC 5234 §B.1).
  package var isLetter: Bool {
    let lower = asciiLowercased
    return lower >= 0x61 && lower <= 0x7A
  }

  /// DIGIT (RFC 5234 §B.1).
  package var isDigit: Bool { self >= 0x30 && self <= 0x39 }

  /// What may follow the first letter of a scheme (RFC 3986 §3.1).
  fileprivate var isSchemeCharacter: Bool {
    isLetter || isDigit || self == 0x2B || self == 0x2D || self == 0x2E
  }
}
