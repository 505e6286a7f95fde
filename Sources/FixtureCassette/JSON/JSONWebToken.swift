import FixtureHTTP

/// A JSON Web Token in its compact form (RFC 7519, RFC 7515 §7.1): three segments.
package struct JSONWebToken {
  private let header: ArraySlice<UInt8>
  private let claims: [UInt8]

  /// - Returns: nil unless the first segments are JSON objects, the very first one with `alg`.
  package init?(_ text: [UInt8]) {
    let segments = text.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard segments.count == 3, segments[0].count >= 8, segments[1].count >= 2,
      segments[2].allSatisfy(Base64Text.isCharacter),
      let header = Base64Text.decoded(segments[0]), header.first == 0x7B,
      Self.members(of: header)?.contains(where: { $0.name.elementsEqual("alg".utf8) }) == true,
      let claims = Base64Text.decoded(segments[1]), Self.members(of: claims) != nil
    else { return nil }
    self.header = segments[0]
    self.claims = claims
  }

  /// A token that can be read as this one could: with its header, those claims that say when, and
  /// the placeholder as its signature.
  package func redacted(_ placeholder: Placeholder) -> [UInt8] {
    var kept: [UInt8] = [0x7B]
    for member in Self.members(of: claims) ?? []
    where !member.value.isEmpty
      && Self.timeClaims.contains(where: { member.name.elementsEqual($0.utf8) })
    {
      if kept.count > 1 { kept.append(0x2C) }
      kept += [0x22] + member.name + [0x22, 0x3A] + member.value
    }
    kept.append(0x7D)
    var token = Array(header)
    token.append(0x2E)
    token += Base64Text.encoded(kept, alphabet: .url)
    token.append(0x2E)
    return token + Self.signature(placeholder)
  }

  /// A number of base64 characters that can't be the last group is made up.
  static func signature(_ placeholder: Placeholder) -> [UInt8] {
    let text = placeholder.bytes
    return text.count % 4 == 1 ? text + [0x5F] : text
  }

  /// The placeholder in a token that `redacted` made; nil for any other text.
  static func placeholder(in text: some BidirectionalCollection<UInt8>) -> Placeholder? {
    guard let dot = text.lastIndex(of: 0x2E) else { return nil }
    let signature = text[text.index(after: dot)...]
    let rest = text[..<dot]
    guard let middle = rest.lastIndex(of: 0x2E), middle > rest.startIndex,
      rest[..<middle].allSatisfy(Base64Text.isCharacter),
      rest[rest.index(after: middle)...].allSatisfy(Base64Text.isCharacter)
    else { return nil }
    return Placeholder(plain: signature.last == 0x5F ? signature.dropLast() : signature)
  }

  /// The token that `redacted` made around a placeholder; the placeholder alone when it stands in
  /// none.
  /// - Parameter start: nothing before it counts.
  static func range(around placeholder: Range<Int>, in text: [UInt8], from start: Int) -> Range<Int>
  {
    func segment(before end: Int) -> Range<Int>? {
      guard end > start, text[end - 1] == 0x2E else { return nil }
      var first = end - 1
      while first > start, Base64Text.isURLCharacter(text[first - 1]) { first -= 1 }
      return first..<(end - 1)
    }
    guard let claims = segment(before: placeholder.lowerBound),
      let header = segment(before: claims.lowerBound),
      Base64Text.decoded(text[header])?.first == 0x7B,
      Base64Text.decoded(text[claims])?.first == 0x7B
    else { return placeholder }
    var end = placeholder.upperBound
    if placeholder.count % 4 == 1, end < text.count, text[end] == 0x5F { end += 1 }
    return header.lowerBound..<end
  }

  /// Numbers of seconds (RFC 7519 §4.1, OpenID Connect Core §2).
  private static let timeClaims = ["exp", "nbf", "iat", "auth_time"]

  /// The members of an object: names as they are escaped, and values that are numbers, an empty one
  /// for others; nil when it is no object.
  private static func members(of text: [UInt8]) -> [(name: [UInt8], value: [UInt8])]? {
    text.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      guard case .object = scanner.next() else { return nil }
      var members: [(name: [UInt8], value: [UInt8])] = []
      while true {
        switch scanner.next() {
        case .name:
          let name = Array(bytes[scanner.span.range])
          guard let value = value(&scanner, bytes) else { return nil }
          members.append((name, value))
        case .objectEnd:
          if case .end = scanner.next() { return members }
          return nil
        default: return nil
        }
      }
    }
  }

  /// The bytes of a number; empty for another value, nil for none.
  private static func value(
    _ scanner: inout JSONScanner, _ bytes: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    switch scanner.next() {
    case .number: return Array(bytes[scanner.span.range])
    case .object, .array: return scanner.skipContainer() ? [] : nil
    case .string, .true, .false, .null: return []
    case .name, .objectEnd, .arrayEnd, .end, .invalid: return nil
    }
  }
}
