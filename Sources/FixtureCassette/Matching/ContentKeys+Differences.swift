import FixtureHTTP

extension ContentKeys {
  /// Longer contents are not compared to say what differs, only by their sizes.
  package static let explainedBytesMax = 256 << 10

  /// A content of a request, as far as it is there.
  package struct Known {
    /// As it was transferred.
    let bytes: [UInt8]
    let form: ContentForm

    package init(_ bytes: [UInt8], _ form: ContentForm) {
      self.bytes = bytes
      self.form = form
    }
  }

  /// What differs between contents that are not equal by `key`.
  /// - Parameter secrets: what may not be shown.
  package func appendDifferences(
    recorded: Known, asked: Known, _ secrets: LiveSecrets?, to found: inout Differences
  ) {
    let before = found.count
    let left = Self.decoded(recorded.bytes, recorded.form)
    let right = Self.decoded(asked.bytes, asked.form)
    guard max(left.count, right.count) <= Self.explainedBytesMax else {
      return appendSizes(Int64(left.count), Int64(right.count), to: &found)
    }
    let finder = ContentDifferences(keys: self, rules: secrets?.rules)
    let shown = (
      recorded: Self.shown(left, recorded.form.kind, secrets),
      asked: Self.shown(right, asked.form.kind, secrets)
    )
    finder.append(
      ContentDifferences.Content(shown.recorded, recorded.form.kind),
      ContentDifferences.Content(shown.asked, asked.form.kind), to: &found)
    guard found.count == before else { return }
    // Equal but for what may not be shown, or, in JSON, for the order of what has one name.
    let isHidden = shown.recorded == shown.asked || recorded.form.kind != .json
    found.append(
      Difference(
        .content, recorded: isHidden ? .secret : ValueExcerpt("one order of repeated names"),
        asked: isHidden ? .secret : ValueExcerpt("another"), change: "-content"))
  }

  /// Without secrets.
  private static func shown(
    _ content: [UInt8], _ kind: ContentKind, _ secrets: LiveSecrets?
  ) -> [UInt8] {
    guard var secrets else { return content }
    return content.withUnsafeBytes { secrets.concealed($0, kind)?.bytes } ?? content
  }

  /// For contents of which only the sizes are known; nil where there is none.
  package func appendSizes(_ recorded: Int64?, _ asked: Int64?, to found: inout Differences) {
    func excerpt(_ size: Int64?) -> ValueExcerpt? {
      size.map { ValueExcerpt($0 == 1 ? "1 byte" : "\($0) bytes") }
    }
    found.append(
      Difference(
        .content, recorded: excerpt(recorded), asked: excerpt(asked), change: "-content"))
  }

  fileprivate func isIgnored(_ name: [UInt8]) -> Bool { ignoredNames.contains(name) }

  /// The part as it is compared; empty when it is not.
  fileprivate func key(of part: Multipart.Part, of content: UnsafeRawBufferPointer) -> [UInt8] {
    var key: [UInt8] = []
    return append(part, of: content, to: &key, depth: 0) ? key : []
  }

  fileprivate func tree(_ content: [UInt8]) -> JSONTree? { JSONTree(content, ignoring: ignored) }
}

/// Finds what differs between two contents without codings.
private struct ContentDifferences {
  struct Content {
    let bytes: [UInt8]
    let kind: ContentKind

    init(_ bytes: [UInt8], _ kind: ContentKind) {
      self.bytes = bytes
      self.kind = kind
    }

    /// How it is compared.
    var way: String {
      switch kind {
      case .json: "compared as JSON"
      case .form: "compared as a form"
      case .multipart: "compared as a multipart"
      case .bytes: "compared byte for byte"
      }
    }
  }

  let keys: ContentKeys
  let rules: RedactionRules?

  func append(_ recorded: Content, _ asked: Content, to found: inout Differences) {
    switch (recorded.kind, asked.kind) {
    case (.json, .json):
      if let left = keys.tree(recorded.bytes), let right = keys.tree(asked.bytes) {
        return JSONDifferences.append(recorded: left, asked: right, to: &found) { [rules] in
          rules?.isTelling($0) ?? false
        }
      }
    case (.form, .form):
      return PairDifferences.append(
        recorded: pairs(recorded), asked: pairs(asked), to: &found, place: { .form($0) },
        change: { MatchWord.change(ignoring: JSONPointer(tokens: [$0])) })
    case (.multipart(let left), .multipart(let right)):
      if appendParts(recorded, left, asked, right, to: &found) { return }
    case (.bytes, .bytes): break
    default:
      found.append(
        Difference(
          .content, recorded: ValueExcerpt(recorded.way), asked: ValueExcerpt(asked.way),
          change: "-content"))
    }
    appendBytes(recorded.bytes, asked.bytes, to: &found)
  }

  private func pairs(_ content: Content) -> [PairDifferences.Pair] {
    PairDifferences.pairs(content.bytes[...], rules).filter { !keys.isIgnored($0.name) }
  }

  private func appendBytes(_ left: [UInt8], _ right: [UInt8], to found: inout Differences) {
    guard let offset = Self.firstDifference(left, right) else { return }
    let (recorded, asked) = Self.hexExcerpts(left, right, from: offset)
    found.append(
      Difference(.byte(offset: offset), recorded: recorded, asked: asked, change: "-content"))
  }

  /// What stands there, unless it is something that may not be shown, or beside it.
  private static func hexExcerpts(
    _ left: [UInt8], _ right: [UInt8], from offset: Int
  ) -> (ValueExcerpt?, ValueExcerpt?) {
    let window = offset..<(offset + ValueExcerpt.hexBytesMax)
    let isHidden = [left, right].contains { text in
      text.withUnsafeBytes { bytes in
        let near = max(0, offset - Placeholder.bytesMax)..<min(window.upperBound, bytes.count)
        return Placeholder.mayOccur(in: UnsafeRawBufferPointer(rebasing: bytes[near]))
          || CredentialShape.all(in: bytes).contains { $0.range.overlaps(window) }
      }
    }
    if isHidden { return (.secret, .secret) }
    return (ValueExcerpt(hexOf: left, from: offset), ValueExcerpt(hexOf: right, from: offset))
  }

  private static func firstDifference(_ left: [UInt8], _ right: [UInt8]) -> Int? {
    let shorter = min(left.count, right.count)
    let offset = (0..<shorter).first { left[$0] != right[$0] }
    return offset ?? (left.count == right.count ? nil : shorter)
  }
}

extension ContentDifferences {
  private struct Part {
    let name: [UInt8]?
    /// In the order in which they are told: `filename` is what most clients send.
    let fileNames: [[UInt8]?]
    let disposition: [UInt8]
    let type: [UInt8]
    let content: [UInt8]
    let kind: ContentKind
    /// As it is compared.
    let key: [UInt8]
  }

  /// - Returns: whether both are multiparts; if not, nothing was found.
  private func appendParts(
    _ recorded: Content, _ recordedBoundary: [UInt8], _ asked: Content, _ askedBoundary: [UInt8],
    to found: inout Differences
  ) -> Bool {
    guard let left = parts(recorded.bytes, recordedBoundary),
      let right = parts(asked.bytes, askedBoundary)
    else { return false }
    let before = found.count
    for (left, right) in Self.pairs(left, right) where left?.key != right?.key {
      append(left, right, to: &found)
    }
    if found.count == before, left.map(\.key) != right.map(\.key) {
      func names(_ parts: [Part]) -> ValueExcerpt {
        let names = parts.map { $0.name ?? [] }
        return ValueExcerpt(Array("parts ".utf8) + names.joined(separator: Array(", ".utf8)))
      }
      found.append(
        Difference(.content, recorded: names(left), asked: names(right), change: "-content"))
    }
    return true
  }

  private func parts(_ content: [UInt8], _ boundary: [UInt8]) -> [Part]? {
    content.withUnsafeBytes { bytes in
      Multipart(bytes, boundary: boundary)?.parts.compactMap { part in
        let key = keys.key(of: part, of: bytes)
        guard !key.isEmpty else { return nil }
        let disposition = Multipart.value(of: .contentDisposition, in: part.fields, of: bytes)
          .map { ParameterizedValue($0[...]) }
        let type = Multipart.value(of: .contentType, in: part.fields, of: bytes)
        return Part(
          name: disposition?["name"],
          fileNames: [disposition?["filename"], disposition?["filename*"]],
          disposition: disposition?.value ?? [],
          type: type ?? Array("text/plain".utf8), content: Array(bytes[part.content]),
          kind: ContentKind(contentType: type?[...]), key: key)
      }
    }
  }

  /// Parts of the same name, the equal ones first, in the recorded order; then what is new.
  private static func pairs(_ recorded: [Part], _ asked: [Part]) -> [(Part?, Part?)] {
    var partners: [Int?] = Array(repeating: nil, count: recorded.count)
    var rest = Array(asked.indices)
    for isPartner in [
      { (left: Part, right: Part) in left.key == right.key },
      { (left: Part, right: Part) in left.name == right.name },
    ] {
      for index in recorded.indices where partners[index] == nil {
        guard let place = rest.firstIndex(where: { isPartner(recorded[index], asked[$0]) }) else {
          continue
        }
        partners[index] = rest.remove(at: place)
      }
    }
    return recorded.indices.map { (recorded[$0], partners[$0].map { asked[$0] }) }
      + rest.map { (nil, asked[$0]) }
  }

  private func append(_ recorded: Part?, _ asked: Part?, to found: inout Differences) {
    let name = recorded?.name ?? asked?.name
    let change = name.map { MatchWord.change(ignoring: JSONPointer(tokens: [$0])) } ?? "-content"
    func append(_ aspect: Difference.Aspect, _ left: ValueExcerpt?, _ right: ValueExcerpt?) {
      found.append(
        Difference(.part(name, aspect), recorded: left, asked: right, change: change))
    }
    guard let recorded, let asked else {
      append(.presence, recorded.map(excerpt), asked.map(excerpt))
      return
    }
    let before = found.count
    if let (left, right) = zip(recorded.fileNames, asked.fileNames).first(where: { $0 != $1 }) {
      append(.fileName, left.map { ValueExcerpt($0) }, right.map { ValueExcerpt($0) })
    }
    if recorded.disposition != asked.disposition {
      append(
        .disposition, ValueExcerpt(recorded.disposition), ValueExcerpt(asked.disposition))
    }
    if recorded.content != asked.content {
      if isSecret(recorded) {
        append(.content, .secret, .secret)
      } else if isShown(recorded), isShown(asked) {
        append(.content, ValueExcerpt(recorded.content), ValueExcerpt(asked.content))
      } else if let offset = Self.firstDifference(recorded.content, asked.content) {
        let (left, right) = Self.hexExcerpts(recorded.content, asked.content, from: offset)
        append(.byte(offset: offset), left, right)
      }
    }
    if recorded.type != asked.type {
      append(.type, ValueExcerpt(recorded.type), ValueExcerpt(asked.type))
    }
    // Equal but for what may not be shown.
    if found.count == before { append(.content, .secret, .secret) }
  }

  private func excerpt(_ part: Part) -> ValueExcerpt {
    if isSecret(part) { return .secret }
    return isShown(part)
      ? ValueExcerpt(part.content) : ValueExcerpt("\(part.content.count) bytes")
  }

  private func isSecret(_ part: Part) -> Bool {
    part.name.flatMap { rules?.isTelling($0) } ?? false
  }

  /// Whether it is a text that fits.
  private func isShown(_ part: Part) -> Bool {
    part.content.count <= ValueExcerpt.bytesMax && part.kind == .bytes
      && part.content.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }
}

extension RedactionRules {
  /// Whether what stands under a name in content may be a secret.
  func isTelling(_ name: [UInt8]) -> Bool {
    name.withUnsafeBytes { name in
      let value = UnsafeRawBufferPointer(start: nil, count: 0)
      return isPlace(queryName: name, value: value) || isPlace(formName: name, value: value)
        || isAdded(jsonName: name)
    }
  }
}
