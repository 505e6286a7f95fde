import FixtureHTTP

/// Replaces the secrets in field values, by the shape of each field; what is no secret keeps its
/// bytes.
///
/// Every function returns nil when nothing was replaced. A value that doesn't have its field's
/// shape loses more rather than less.
struct FieldSecrets {
  typealias Replacement = ReferenceSecrets.Replacement

  let references: ReferenceSecrets

  func replacing(
    in value: ArraySlice<UInt8>, of place: FieldPlace, by replacement: Replacement
  ) -> [UInt8]? {
    switch place {
    case .credentials: credentials(value, replacement)
    case .cookies: cookies(value, replacement)
    case .setCookie: setCookie(value, replacement)
    case .reference: references.replacing(inReference: value, by: replacement)
    case .links: links(value, replacement)
    case .refresh: refresh(value, replacement)
    case .whole: value.isEmpty ? nil : replacement(Array(value))
    }
  }

  /// `scheme credentials`. Without a scheme the whole value is the secret, unless it is a scheme
  /// alone, as in the first request of a negotiation.
  private func credentials(_ value: ArraySlice<UInt8>, _ replacement: Replacement) -> [UInt8]? {
    guard let space = value.firstIndex(where: \.isOptionalWhitespace) else {
      let isScheme = Self.schemes.contains { $0.equalsIgnoringCase(value) }
      return isScheme || value.isEmpty ? nil : replacement(Array(value))
    }
    let scheme = value[..<space]
    guard scheme.count <= Self.schemeCountMax, scheme.first?.isLetter == true,
      scheme.allSatisfy(\.isTokenCharacter)
    else { return replacement(Array(value)) }
    let secret = value[space...].trimmingOptionalWhitespace
    return replacement(Array(secret)).map { value[..<secret.startIndex] + $0 }
  }

  /// The longest registered or common one has 21 characters (`SharedAccessSignature`).
  private static let schemeCountMax = 24
  private static let schemes = ["basic", "bearer", "digest", "kerberos", "negotiate", "ntlm"]
    .map { Array($0.utf8) }

  private func cookies(_ value: ArraySlice<UInt8>, _ replacement: Replacement) -> [UInt8]? {
    pairs(value, attributesFollow: false, replacement)
  }

  /// The pair, then attributes. A `, name=value` among them is another cookie that something on the
  /// way folded into the line, so its value goes too.
  private func setCookie(_ value: ArraySlice<UInt8>, _ replacement: Replacement) -> [UInt8]? {
    pairs(value, attributesFollow: true, replacement)
  }

  private func pairs(
    _ value: ArraySlice<UInt8>, attributesFollow: Bool, _ replacement: Replacement
  ) -> [UInt8]? {
    var edit = Edit()
    var start = value.startIndex
    while true {
      let isAttribute = attributesFollow && start > value.startIndex
      let end = value[start...].firstIndex(of: 0x3B) ?? value.endIndex
      let pairStart = isAttribute ? foldedPairStart(in: value[start..<end]) : start
      edit.bytes.append(contentsOf: value[start..<pairStart])
      let pair = value[pairStart..<end]
      edit.replace(pair, by: cookiePair(pair, replacement))
      guard end < value.endIndex else { return edit.result }
      edit.bytes.append(0x3B)
      start = end + 1
    }
  }

  /// After a comma that a cookie's name and `=` follow; else the end.
  private func foldedPairStart(in attribute: ArraySlice<UInt8>) -> Int {
    var rest = attribute
    while let comma = rest.firstIndex(of: 0x2C) {
      rest = rest[(comma + 1)...]
      let name = rest.drop(while: \.isOptionalWhitespace).prefix(while: \.isTokenCharacter)
      if !name.isEmpty, name.endIndex < rest.endIndex, rest[name.endIndex] == 0x3D {
        return rest.startIndex
      }
    }
    return attribute.endIndex
  }

  /// `name=value`, or a value alone, with whitespace around it; quotes are no part of the secret.
  private func cookiePair(_ piece: ArraySlice<UInt8>, _ replacement: Replacement) -> [UInt8]? {
    let trimmed = piece.trimmingOptionalWhitespace
    let valueStart = trimmed.firstIndex(of: 0x3D).map { $0 + 1 } ?? trimmed.startIndex
    let value = trimmed[valueStart...].trimmingOptionalWhitespace
    var secret = value
    if secret.count >= 2, secret.first == 0x22, secret.last == 0x22 {
      secret = secret.dropFirst().dropLast()
    }
    guard !secret.isEmpty else { return nil }
    guard let new = replacement(PercentEncoding.decoded(secret)) else { return nil }
    return piece[..<value.startIndex] + new + piece[value.endIndex...]
  }

  private func links(_ value: ArraySlice<UInt8>, _ replacement: Replacement) -> [UInt8]? {
    var edit = Edit()
    var kept = value.startIndex
    for place in EmbeddedReferences.inLink(value) {
      edit.bytes.append(contentsOf: value[kept..<place.lowerBound])
      edit.replace(
        value[place], by: references.replacing(inReference: value[place], by: replacement))
      kept = place.upperBound
    }
    edit.bytes.append(contentsOf: value[kept...])
    return edit.result
  }

  private func refresh(_ value: ArraySlice<UInt8>, _ replacement: Replacement) -> [UInt8]? {
    guard let place = EmbeddedReferences.inRefresh(value) else { return nil }
    let new = references.replacing(inReference: value[place], by: replacement)
    return new.map { value[..<place.lowerBound] + $0 + value[place.upperBound...] }
  }
}

extension FieldSecrets {
  /// The output so far, and whether it differs from the input.
  private struct Edit {
    var bytes: [UInt8] = []
    private var changed = false

    mutating func replace(_ raw: ArraySlice<UInt8>, by new: [UInt8]?) {
      if let new {
        bytes.append(contentsOf: new)
        changed = true
      } else {
        bytes.append(contentsOf: raw)
      }
    }

    var result: [UInt8]? { changed ? bytes : nil }
  }
}
