import FixtureCoding
import FixtureHTTP

/// The key of a content: equal keys, same content.
package enum ContentKey: Hashable, Sendable {
  /// Well formed, in the canonical form of its kind.
  case value([UInt8])
  /// Compared byte for byte: how many there are, and their SHA-256.
  case bytes(size: Int64, digest: [UInt8])
}

/// Makes the keys by which contents are compared: equal keys, same content by the rule of its kind.
///
/// - JSON by value: the order of members does not matter, nor does whitespace; numbers by their
///   exact decimal value, strings by their text whatever is escaped. Repeated names are all
///   compared, in their order: which one counts is the server's choice (RFC 8259 §4).
/// - Forms by their decoded pairs: the order between different names does not matter, within a
///   name it does.
/// - Multipart by its parts in their order: disposition with name and file name, media type
///   (`text/plain` when there is none, RFC 7578 §4.4), and content, compared by its own kind. The
///   boundary does not matter.
///
/// What is not well formed is compared byte for byte, like all other content. Codings are undone
/// first, so that content matches whether or not it was compressed, and how.
package struct ContentKeys: Sendable {
  /// Larger content is compared byte for byte as it was transferred, so that a request need not be
  /// held in memory; the same for content that is larger when it is decoded.
  package static let contentBytesMax = 16 << 20
  /// Multipart within multipart; what lies deeper is compared byte for byte.
  static let multipartDepthMax = 4

  let ignored: JSONPointerTree
  /// Names of form fields and of parts.
  let ignoredNames: Set<[UInt8]>
  /// nil when nothing was redacted.
  let rules: RedactionRules?

  /// - Parameter ignored: places that do not count. In JSON they are looked for as they are; a
  ///   pointer with a single token also names a form field or a part.
  /// - Parameter rules: what stands in the places they name counts by its presence, in contents
  ///   that hold a placeholder; `concealed` makes such a one of a live content.
  package init(ignoring ignored: [JSONPointer] = [], rules: RedactionRules? = nil) {
    self.rules = rules
    self.ignored = JSONPointerTree(ignored)
    ignoredNames = Set(ignored.filter { $0.tokens.count == 1 }.map { $0.tokens[0] })
  }

  /// The key of content as it was transferred. What can't be decoded or is not well formed is
  /// compared byte for byte.
  /// - Precondition: at most `contentBytesMax`.
  package func key(of content: [UInt8], _ form: ContentForm) -> ContentKey {
    let content = compared(content, form)
    var key: [UInt8] = []
    if content.withUnsafeBytes({ append($0, form.kind, to: &key) }) { return .value(key) }
    return .bytes(size: Int64(content.count), digest: SHA256.digest(of: content))
  }

  /// Whether contents have equal keys, at less cost than that of making them.
  package func areEqual(
    _ left: [UInt8], _ leftForm: ContentForm, _ right: [UInt8], _ rightForm: ContentForm
  ) -> Bool {
    if leftForm.kind == .json, rightForm.kind == .json,
      let left = JSONTree(compared(left, leftForm), ignoring: ignored),
      let right = JSONTree(compared(right, rightForm), ignoring: ignored)
    {
      return left == right
    }
    return key(of: left, leftForm) == key(of: right, rightForm)
  }

  /// A hash that contents with equal keys share; others may share it too.
  /// - Parameter features: gets what the content is made of; what it held before stays.
  package func fingerprint(
    of content: UnsafeRawBufferPointer, _ form: ContentForm, features: inout ContentFeatures
  ) -> UInt64 {
    if form.codings.isEmpty, !mayHoldPlaceholders(content) {
      if let value = fingerprint(of: content, form.kind, features: &features) { return value }
      var hash = SHA256()
      hash.update(content)
      return Self.fingerprint(ofDigest: hash.finalize())
    }
    let decoded = compared(Array(content), form)
    let value = decoded.withUnsafeBytes { fingerprint(of: $0, form.kind, features: &features) }
    return value ?? Self.fingerprint(ofDigest: SHA256.digest(of: decoded))
  }

  /// The fingerprint of content that is compared byte for byte.
  package static func fingerprint(ofDigest digest: [UInt8]) -> UInt64 {
    digest.withUnsafeBytes { StableHash.value(of: $0) }
  }

  /// The content without its codings, or as it is when they can't be undone.
  package static func decoded(_ content: [UInt8], _ form: ContentForm) -> [UInt8] {
    if form.codings.isEmpty { return content }
    let decoded = DecodedContent(content, form.codings, bytesMax: contentBytesMax)
    return decoded.flaw == nil ? decoded.bytes : content
  }

  /// - Returns: nil when there is no key.
  func fingerprint(
    of content: UnsafeRawBufferPointer, _ kind: ContentKind, features: inout ContentFeatures
  ) -> UInt64? {
    switch kind {
    case .bytes: return nil
    case .json:
      return JSONFingerprint.value(of: content, ignoring: ignored, features: &features)
    case .form, .multipart:
      var key: [UInt8] = []
      var places: [Range<Int>] = []
      guard append(content, kind, to: &key, depth: 0, places: &places) else { return nil }
      key.withUnsafeBytes { key in
        for place in places {
          features.append(StableHash.value(of: UnsafeRawBufferPointer(rebasing: key[place])))
        }
      }
      return StableHash.value(of: key)
    }
  }

  /// - Returns: whether there is a key; if not, `key` has a meaningless rest.
  func append(
    _ content: UnsafeRawBufferPointer, _ kind: ContentKind, to key: inout [UInt8]
  ) -> Bool {
    var places: [Range<Int>] = []
    return append(content, kind, to: &key, depth: 0, places: &places)
  }

  /// The first byte tells the kinds apart.
  private func append(
    _ content: UnsafeRawBufferPointer, _ kind: ContentKind, to key: inout [UInt8], depth: Int,
    places: inout [Range<Int>]
  ) -> Bool {
    switch kind {
    case .bytes: return false
    case .json:
      key.append(1)
      return JSONCanonicalForm.append(of: content, ignoring: ignored, to: &key)
    case .form:
      key.append(2)
      let start = key.count
      PairsForm.append(content, to: &key) { name in
        ignoredNames.isEmpty || !ignoredNames.contains(Array(name))
      }
      places = PairsForm.places(in: key, from: start)
      return true
    case .multipart(let boundary):
      guard depth < Self.multipartDepthMax,
        let multipart = Multipart(content, boundary: boundary)
      else { return false }
      key.append(3)
      for part in multipart.parts {
        let start = key.count
        if append(part, of: content, to: &key, depth: depth) { places.append(start..<key.count) }
      }
      return true
    }
  }

  /// - Returns: whether the part counts.
  func append(
    _ part: Multipart.Part, of content: UnsafeRawBufferPointer, to key: inout [UInt8], depth: Int
  ) -> Bool {
    let disposition = Multipart.value(of: .contentDisposition, in: part.fields, of: content)
      .map { ParameterizedValue($0[...]) }
    if let name = disposition?["name"], ignoredNames.contains(name) { return false }
    key.appendPrefixed(disposition?.value ?? [])
    for parameter in [disposition?["name"], disposition?["filename"], disposition?["filename*"]] {
      key.append(parameter == nil ? 0 : 1)
      if let parameter { key.appendPrefixed(parameter) }
    }
    let type = ParameterizedValue(
      Multipart.value(of: .contentType, in: part.fields, of: content)?[...]
        ?? Array("text/plain".utf8)[...])
    type.appendMediaType(to: &key)
    let bytes = UnsafeRawBufferPointer(rebasing: content[part.content])
    let start = key.count
    key.append(count32: 0)
    var places: [Range<Int>] = []
    if !append(bytes, ContentKind(type), to: &key, depth: depth + 1, places: &places) {
      key.removeSubrange((start + 4)...)
      key.append(0)
      key.append(contentsOf: bytes)
    }
    key.setPrefix(of: (start + 4)..<key.count, to: UInt32(key.count - start - 4))
    return true
  }
}
