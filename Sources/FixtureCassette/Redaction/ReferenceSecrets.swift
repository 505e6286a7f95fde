import FixtureHTTP

/// Finds the secrets in request targets and URI references, and replaces them where they lie.
///
/// Secrets are the userinfo (a password may be its only part) and the values of pairs that the
/// rules name: in the query, and in the fragment, where the implicit grant puts tokens
/// (RFC 6749 §4.2.2). Everything else keeps its bytes. A pair whose value is a reference again
/// (`next=https%3A%2F%2F…%3Ftoken%3D…`) is looked into; when it holds a secret, its value is
/// encoded anew.
struct ReferenceSecrets {
  /// How deep references inside values of references are looked into; each level is encoded once
  /// more, so that deeper ones don't occur.
  private static let depthMax = 3

  /// What stands instead of a secret, given its decoded bytes; nil to leave it.
  typealias Replacement = (_ secret: [UInt8]) -> [UInt8]?

  let rules: RedactionRules

  /// A request target (RFC 9112 §3.2): no fragment, and an authority only behind a scheme.
  /// - Returns: nil when nothing was replaced.
  func replacing(inTarget target: [UInt8], by replacement: Replacement) -> [UInt8]? {
    let parts = RequestTarget.split(target)
    var edit = Edit(rules: rules, depth: 0)
    let pathStart = parts.path.startIndex
    if let start = RequestTarget.schemeEnd(of: target), start <= pathStart {
      edit.keep(target[..<start])
      edit.authority(target[start..<pathStart], replacement)
    } else {
      edit.keep(target[..<pathStart])
    }
    edit.keep(parts.path)
    if let query = parts.query {
      edit.keep([0x3F])
      edit.pairs(query, replacement)
    }
    return edit.changed ? edit.bytes : nil
  }

  /// A URI reference (RFC 3986 §4.1) as fields carry it.
  /// - Returns: nil when nothing was replaced.
  func replacing(
    inReference reference: ArraySlice<UInt8>, by replacement: Replacement
  ) -> [UInt8]? {
    replacing(inReference: reference, depth: 0, by: replacement)
  }

  /// The same in the decoded value of a query pair, when that looks like a reference.
  func replacing(
    inNestedReference value: ArraySlice<UInt8>, depth: Int = 1, by replacement: Replacement
  ) -> [UInt8]? {
    guard depth <= Self.depthMax, let first = value.first else { return nil }
    let isReference =
      first == 0x2F || first == 0x3F || first == 0x23
      || RequestTarget.schemeEnd(of: value) != nil
    return isReference ? replacing(inReference: value, depth: depth, by: replacement) : nil
  }

  private func replacing(
    inReference reference: ArraySlice<UInt8>, depth: Int, by replacement: Replacement
  ) -> [UInt8]? {
    var edit = Edit(rules: rules, depth: depth)
    let fragmentStart = reference.firstIndex(of: 0x23) ?? reference.endIndex
    let queryStart = reference[..<fragmentStart].firstIndex(of: 0x3F) ?? fragmentStart
    let hierarchy = reference[..<queryStart]
    if let start = authorityStart(of: hierarchy) {
      let end = hierarchy[start...].firstIndex(of: 0x2F) ?? hierarchy.endIndex
      edit.keep(hierarchy[..<start])
      edit.authority(hierarchy[start..<end], replacement)
      edit.keep(hierarchy[end...])
    } else {
      edit.keep(hierarchy)
    }
    if queryStart < fragmentStart {
      edit.keep([0x3F])
      edit.pairs(reference[(queryStart + 1)..<fragmentStart], replacement)
    }
    if fragmentStart < reference.endIndex {
      edit.keep([0x23])
      edit.fragment(reference[(fragmentStart + 1)...], replacement)
    }
    return edit.changed ? edit.bytes : nil
  }

  /// After `scheme://`, or after `//` alone (RFC 3986 §4.2).
  private func authorityStart(of hierarchy: ArraySlice<UInt8>) -> Int? {
    if hierarchy.starts(with: [0x2F, 0x2F]) { return hierarchy.startIndex + 2 }
    return RequestTarget.schemeEnd(of: hierarchy)
  }
}

extension ReferenceSecrets {
  /// The output so far, and whether it differs from the input.
  private struct Edit {
    let rules: RedactionRules
    let depth: Int
    var bytes: [UInt8] = []
    var changed = false

    init(rules: RedactionRules, depth: Int) {
      self.rules = rules
      self.depth = depth
    }

    mutating func keep(_ raw: some Collection<UInt8>) {
      bytes.append(contentsOf: raw)
    }

    mutating func replace(_ raw: ArraySlice<UInt8>, by new: [UInt8]?) {
      guard let new else { return keep(raw) }
      bytes.append(contentsOf: new)
      changed = true
    }

    /// The userinfo ends at the last `@`, as browsers read it.
    mutating func authority(_ raw: ArraySlice<UInt8>, _ replacement: Replacement) {
      guard let at = raw.lastIndex(of: 0x40), at > raw.startIndex else { return keep(raw) }
      replace(raw[..<at], by: replacement(PercentEncoding.decoded(raw[..<at])))
      keep(raw[at...])
    }

    mutating func pairs(_ raw: ArraySlice<UInt8>, _ replacement: Replacement) {
      var start = raw.startIndex
      while true {
        let end = raw[start...].firstIndex(of: 0x26) ?? raw.endIndex
        piece(raw[start..<end], replacement)
        guard end < raw.endIndex else { return }
        keep([0x26])
        start = end + 1
      }
    }

    /// Pairs, also behind a `?`, when the fragment is a path of its own (`#/home?token=…`).
    mutating func fragment(_ raw: ArraySlice<UInt8>, _ replacement: Replacement) {
      let mark = raw.firstIndex(of: 0x3F) ?? raw.endIndex
      pairs(raw[..<mark], replacement)
      guard mark < raw.endIndex else { return }
      keep([0x3F])
      pairs(raw[(mark + 1)...], replacement)
    }

    private mutating func piece(_ raw: ArraySlice<UInt8>, _ replacement: Replacement) {
      guard let equals = raw.firstIndex(of: 0x3D), equals + 1 < raw.endIndex else {
        return keep(raw)
      }
      keep(raw[...equals])
      let rawValue = raw[(equals + 1)...]
      let value = QueryPairs.formDecoded(rawValue)
      replace(rawValue, by: newValue(QueryPairs.formDecoded(raw[..<equals]), value, replacement))
    }

    private func newValue(
      _ name: [UInt8], _ value: [UInt8], _ replacement: Replacement
    ) -> [UInt8]? {
      let isPlace = name.withUnsafeBytes { name in
        value.withUnsafeBytes { rules.isPlace(queryName: name, value: $0) }
      }
      if isPlace { return replacement(value) }
      let inner = ReferenceSecrets(rules: rules).replacing(
        inNestedReference: value[...], depth: depth + 1, by: replacement)
      return inner.map { PercentEncoding.encoded($0) }
    }
  }
}
