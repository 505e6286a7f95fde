import FixtureHTTP

/// Finds the places in a content that the rules name, and says what stands there instead.
///
/// - JSON: strings under a secret name at any depth, those of an array too; types stay. Strings
///   that are references (`https://…?sig=…`) or JSON again are looked into.
/// - Forms by the names of their pairs, multipart by the names of its parts; other values and parts
///   are looked into by what they are.
/// - Anything else by its shape: JSON whatever it is called, also with padding or in a script, one
///   JSON text a line, events with JSON as their data, XML by the names of elements and attributes,
///   pairs without a line break, HTTP messages by their fields, as those of parts are.
///
/// A JSON content that is not valid, because it was cut or is none, is read loosely: what looks
/// like a name with a string behind it is taken for one.
struct ContentSecrets {
  /// What stands instead of a secret, given its decoded bytes; nil to leave it.
  typealias Replacement = ReferenceSecrets.Replacement

  /// A place that was found, to be compared with the same place of another content.
  struct Place: Equatable {
    /// Of the names and positions that lead to it.
    let path: UInt64
    /// What it holds; nil for anything else.
    let placeholder: Placeholder?
  }

  /// Texts within texts: each level is encoded once more, so that deeper ones don't occur.
  static let depthMax = 4

  let rules: RedactionRules
  private(set) var edits = TextEdits()
  /// In the order of the text.
  private(set) var places: [Place] = []
  /// Whether every place that a rule names could be looked for.
  private(set) var isComplete = true
  /// Texts around the one that is being read.
  private let depth: Int
  /// Parts and messages around it, in the same text.
  private var nesting = 0

  init(rules: RedactionRules, depth: Int = 0) {
    self.rules = rules
    self.depth = depth
  }

  /// Reads a content. To be called once.
  mutating func read(
    _ content: UnsafeRawBufferPointer, _ kind: ContentKind, by replacement: Replacement
  ) {
    read(content, at: 0, kind, path: 0, replacement)
  }

  /// Reads a part of the content that begins at `offset`. What lies deeper than `depthMax` is read
  /// line by line.
  mutating func read(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, _ kind: ContentKind, path: UInt64,
    _ replacement: Replacement
  ) {
    guard nesting <= Self.depthMax else {
      return lines(bytes, at: offset, path: path, replacement)
    }
    nesting += 1
    defer { nesting -= 1 }
    switch kind {
    case .json:
      if !json(bytes, at: offset, path: path, replacement) {
        loose(bytes, at: offset, replacement)
      }
    case .form: form(bytes, at: offset, path: path, replacement)
    case .multipart(let boundary):
      if let multipart = Multipart(bytes, boundary: boundary, mayBeCut: true) {
        parts(multipart, of: bytes, at: offset, path: path, replacement)
      } else {
        text(bytes, at: offset, path: path, replacement)
      }
    case .bytes: text(bytes, at: offset, path: path, replacement)
    }
  }

  mutating func replace(_ range: Range<Int>, by new: [UInt8]?) {
    if let new { edits.replace(range, by: new) }
  }

  mutating func found(_ secret: [UInt8], at path: UInt64) {
    guard !secret.isEmpty else { return }
    places.append(Place(path: path, placeholder: Placeholder(secret)))
  }

  /// Takes what was found in a part that was read on its own.
  /// - Parameter position: where a position in that part lies in this text.
  mutating func take(_ part: ContentSecrets, position: (Int) -> Int) {
    places += part.places
    if !part.isComplete { missed() }
    for edit in part.edits.all {
      let start = position(edit.range.lowerBound)
      edits.replace(start..<(start + edit.range.count), by: edit.bytes)
    }
  }

  mutating func missed() { isComplete = false }

  /// Forgets what was found after these counts.
  mutating func back(to mark: (edits: Int, places: Int)) {
    edits.removeAll(from: mark.edits)
    places.removeSubrange(mark.places...)
  }

  var mark: (edits: Int, places: Int) { (edits.all.count, places.count) }

  /// What stands instead of a value that is no secret but may hold some: a reference or JSON.
  mutating func inner(
    _ value: [UInt8], at path: UInt64, _ replacement: Replacement
  ) -> [UInt8]? {
    guard depth < Self.depthMax, let first = value.first else { return nil }
    if first == 0x7B || first == 0x5B {
      var inside = ContentSecrets(rules: rules, depth: depth + 1)
      let isJSON = value.withUnsafeBytes { inside.json($0, at: 0, path: path, replacement) }
      guard isJSON, !inside.edits.isEmpty else { return nil }
      places += inside.places
      return value.withUnsafeBytes { inside.edits.applied(to: $0) }
    }
    // Without one of these a reference has no part that holds secrets.
    guard value.contains(where: { $0 == 0x3F || $0 == 0x23 || $0 == 0x40 }) else { return nil }
    return ReferenceSecrets(rules: rules).replacing(
      inNestedReference: value[...], depth: depth + 1, by: replacement)
  }

  // MARK: Forms

  private mutating func form(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, path: UInt64, _ replacement: Replacement
  ) {
    let isGrant = Self.isGrant(bytes)
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x26) ?? bytes.count
      if let equals = bytes[start..<end].firstIndex(of: 0x3D), equals + 1 < end {
        let name = Self.formDecoded(bytes[start..<equals])
        let value = Self.formDecoded(bytes[(equals + 1)..<end])
        let inside = (offset + equals + 1)..<(offset + end)
        pair(name, value, at: inside, path: path, isGrant: isGrant, replacement)
      }
      start = end + 1
    }
  }

  /// Whether a form asks for an access token (RFC 6749 §4.1.3): then its `code` is an authorization
  /// code, which came in a `Location` and is a placeholder there. Any other is no secret.
  private static func isGrant(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let name = Array("grant_type=".utf8)
    var start = 0
    while start + name.count <= bytes.count {
      if bytes[start..<(start + name.count)].elementsEqual(name) { return true }
      guard let next = bytes[start...].firstIndex(of: 0x26) else { return false }
      start = next + 1
    }
    return false
  }

  private mutating func pair(
    _ name: [UInt8], _ value: [UInt8], at range: Range<Int>, path: UInt64, isGrant: Bool,
    _ replacement: Replacement
  ) {
    let path = StableHash.mix(path, StableHash.value(of: name))
    let isPlace = name.withUnsafeBytes { name in
      value.withUnsafeBytes { rules.isPlace(formName: name, value: $0) }
    }
    if isPlace || isGrant && name.elementsEqual("code".utf8) {
      found(value, at: path)
      replace(range, by: replacement(value))
    } else {
      replace(range, by: inner(value, at: path, replacement).map { PercentEncoding.encoded($0) })
    }
  }

  private static func formDecoded(_ raw: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
    var result: [UInt8] = []
    PercentEncoding.appendDecoded(
      UnsafeRawBufferPointer(rebasing: raw), plusIsSpace: true, to: &result)
    return result
  }

  // MARK: Multipart

  private mutating func parts(
    _ multipart: Multipart, of bytes: UnsafeRawBufferPointer, at offset: Int, path: UInt64,
    _ replacement: Replacement
  ) {
    guard depth < Self.depthMax else { return }
    for (index, part) in multipart.parts.enumerated() {
      let path = StableHash.mix(path, UInt64(index))
      let content = UnsafeRawBufferPointer(rebasing: bytes[part.content])
      let start = offset + part.content.lowerBound
      let disposition = Multipart.value(of: .contentDisposition, in: part.fields, of: bytes)
      let name = disposition.flatMap { ParameterizedValue($0[...])["name"] } ?? []
      let type = Multipart.value(of: .contentType, in: part.fields, of: bytes)
      let kind = ContentKind(contentType: type?[...])
      fields(EmbeddedFields(bytes, part.fields), of: bytes, at: offset, path: path, replacement)
      if name.withUnsafeBytes({ rules.isPlace(formName: $0, value: content) }) {
        // JSON stays JSON.
        if kind == .json, json(content, at: start, path: path, isSecret: true, replacement) {
          continue
        }
        found(Array(content), at: path)
        if !content.isEmpty {
          replace(start..<(start + content.count), by: replacement(Array(content)))
        }
        continue
      }
      switch RedactableType(contentType: type?[...]) {
      case .opaque: continue
      case .known, .unknown:
        read(content, at: start, kind, path: path, replacement)
      }
    }
  }
}
