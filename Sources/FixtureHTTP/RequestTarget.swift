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
    var end = start
    while end < target.count, target[end] != 0x3F { end += 1 }
    return (start..<end, end < target.count ? (end + 1)..<target.count : nil)
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
