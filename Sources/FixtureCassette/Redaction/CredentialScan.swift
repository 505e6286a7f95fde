import FixtureHTTP

/// What looks like a credential in a recorded interaction, and where.
package struct CredentialFinding: Equatable, Sendable {
  /// `response content /data/0/token`; names are escaped by whoever prints it.
  package let place: [UInt8]
  /// In words; no part of the secret.
  package let what: String
  /// Bytes of the secret.
  package let count: Int
}

/// Looks for credentials by the places where they stand, by known shapes, and by telling names with
/// values that were drawn.
package struct CredentialScan: Sendable {
  private let rules: RedactionRules
  package private(set) var findings: [CredentialFinding] = []

  /// - Parameter rules: whose places are looked at beside the shapes.
  package init(rules: RedactionRules) {
    self.rules = rules
  }

  /// Looks at heads and trailers.
  package mutating func scan(_ interaction: Interaction) {
    scan(target: interaction.request.target)
    scan(interaction.request.fields, "request field ")
    scan(interaction.requestTrailers, "request trailer ")
    for interim in interaction.interims { scan(interim.head.fields, "interim field ") }
    guard let response = interaction.response else { return }
    shapes(in: response.head.reason, "reason phrase")
    scan(response.head.fields, "response field ")
    scan(response.trailers, "response trailer ")
  }

  /// Looks at a content.
  /// - Parameters:
  ///   - side: `request` or `response`.
  ///   - content: without codings.
  package mutating func scan(
    _ side: Redactor.Side, content: UnsafeRawBufferPointer, _ kind: ContentKind
  ) {
    self.content(content, kind, Array("\(side.rawValue) content".utf8), depth: 0)
  }

  /// Looks for shapes alone.
  /// - Returns: whether there was one.
  package mutating func scan(_ side: Redactor.Side, piece: UnsafeRawBufferPointer) -> Bool {
    shapes(in: Array(piece), "\(side.rawValue) content")
  }

  // MARK: Heads

  private mutating func scan(target: [UInt8], in place: [UInt8] = []) {
    let (path, query) = RequestTarget.split(target)
    _ = shapes(in: PercentEncoding.decoded(path), place + Array("path".utf8))
    if let query { pairs(query, place + Array("query ".utf8)) }
  }

  private mutating func scan(_ section: FieldSection, _ place: String) {
    for index in 0..<section.count {
      let name = Array(section.name(at: index))
      field(name, section.value(at: index), Array(place.utf8) + name)
    }
  }

  private mutating func field(_ name: [UInt8], _ value: ArraySlice<UInt8>, _ place: [UInt8]) {
    var isFound = false
    if let kind = rules.place(ofField: name[...]) {
      let secrets = FieldSecrets(references: ReferenceSecrets(rules: rules))
      _ = secrets.replacing(in: value, of: kind) { secret in
        guard Placeholder(secret) == nil, !secret.isEmpty else { return nil }
        append(place, "secret", secret.count)
        isFound = true
        return nil
      }
    }
    if !isFound { self.value(Array(value), name: name, place) }
  }

  private mutating func fields(
    _ fields: EmbeddedFields, of bytes: UnsafeRawBufferPointer, _ place: [UInt8]
  ) {
    for line in fields.lines {
      let name = Array(bytes[line.name])
      field(name, Array(bytes[line.value])[...], place + Array(" field ".utf8) + name)
    }
  }

  private mutating func pairs(_ text: ArraySlice<UInt8>, _ place: [UInt8]) {
    for pair in QueryPairs.pairs(text) {
      let place = place + pair.name
      let isPlace = pair.name.withUnsafeBytes { name in
        pair.value.withUnsafeBytes { rules.isPlace(queryName: name, value: $0) }
      }
      if isPlace, !pair.value.isEmpty, Placeholder(pair.value) == nil {
        append(place, "secret", pair.value.count)
      } else {
        value(pair.value, name: pair.name, place)
      }
    }
  }

  // MARK: Content

  private mutating func content(
    _ bytes: UnsafeRawBufferPointer, _ kind: ContentKind, _ place: [UInt8], depth: Int
  ) {
    guard depth < ContentSecrets.depthMax else { return }
    switch kind {
    case .json: json(bytes, place)
    case .form: form(Array(bytes), place)
    case .multipart(let boundary):
      guard let multipart = Multipart(bytes, boundary: boundary, mayBeCut: true) else {
        _ = shapes(in: Array(bytes), place)
        return
      }
      for part in multipart.parts { self.part(part, of: bytes, place, depth: depth) }
    case .bytes:
      if !message(bytes, place, depth: depth) { text(bytes, place) }
    }
  }

  /// - Returns: false when the content is no message.
  private mutating func message(
    _ bytes: UnsafeRawBufferPointer, _ place: [UInt8], depth: Int
  ) -> Bool {
    guard let message = EmbeddedMessage(bytes) else { return false }
    if let target = message.target { scan(target: Array(bytes[target]), in: place + [0x20]) }
    fields(message.fields, of: bytes, place)
    let type = message.fields.contentType(in: bytes)
    content(
      UnsafeRawBufferPointer(rebasing: bytes[message.content]),
      ContentKind(contentType: type?[...]), place, depth: depth + 1)
    return true
  }

  private mutating func part(
    _ part: Multipart.Part, of bytes: UnsafeRawBufferPointer, _ place: [UInt8], depth: Int
  ) {
    let disposition = Multipart.value(of: .contentDisposition, in: part.fields, of: bytes)
    let name = disposition.flatMap { ParameterizedValue($0[...])["name"] } ?? []
    let content = UnsafeRawBufferPointer(rebasing: bytes[part.content])
    let place = place + Array(" part ".utf8) + name
    fields(EmbeddedFields(bytes, part.fields), of: bytes, place)
    let isPlace = name.withUnsafeBytes { rules.isPlace(formName: $0, value: content) }
    if isPlace, !content.isEmpty, Placeholder(Array(content)) == nil {
      return append(place, "secret", content.count)
    }
    let type = Multipart.value(of: .contentType, in: part.fields, of: bytes)
    self.content(content, ContentKind(contentType: type?[...]), place, depth: depth + 1)
  }

  private mutating func form(_ bytes: [UInt8], _ place: [UInt8]) {
    for pair in QueryPairs.pairs(bytes[...]) {
      let place = place + [0x20] + pair.name
      let isPlace = pair.name.withUnsafeBytes { name in
        pair.value.withUnsafeBytes { rules.isPlace(formName: name, value: $0) }
      }
      if isPlace, !pair.value.isEmpty, Placeholder(pair.value) == nil {
        append(place, "secret", pair.value.count)
      } else {
        value(pair.value, name: pair.name, place)
      }
    }
  }

  /// A JSON text, one for each line, or anything else.
  private mutating func text(_ bytes: UnsafeRawBufferPointer, _ place: [UInt8]) {
    let count = findings.count
    var number = 0
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      var value = line
      if value.starts(with: "data:".utf8) { value = value.dropFirst(5) }
      guard let first = value.first(where: { $0 > 0x20 }), first == 0x7B || first == 0x5B else {
        continue
      }
      _ = jsonStrings(
        UnsafeRawBufferPointer(rebasing: value), place + Array(" line \(number) ".utf8))
    }
    // A credential that was found in its place is not told again.
    guard findings.count == count, !shapes(in: Array(bytes), place) else { return }
    namedValues(in: bytes, place)
  }

  private mutating func json(_ bytes: UnsafeRawBufferPointer, _ place: [UInt8]) {
    if !jsonStrings(bytes, place + [0x20]) { text(bytes, place) }
  }

  /// - Returns: false when it is no JSON.
  private mutating func jsonStrings(
    _ bytes: UnsafeRawBufferPointer, _ place: [UInt8]
  ) -> Bool {
    let count = findings.count
    let isJSON = JSONStrings.forEach(in: bytes) { pointer, name, text in
      let place = place + JSONPointer(tokens: pointer).text
      let isSecret = !text.isEmpty && Placeholder(text) == nil
      if isSecret, isPlace(jsonName: name) {
        append(place, "secret", text.count)
      } else if isSecret, pointer.dropLast().contains(where: isPlace(jsonName:)) {
        append(place, "value below a secret name", text.count)
      } else {
        value(text, name: name, place)
      }
    }
    if !isJSON { findings.removeSubrange(count...) }
    return isJSON
  }

  private func isPlace(jsonName name: [UInt8]) -> Bool {
    name.withUnsafeBytes { name in
      rules.isDefault(contentName: name) || rules.isAdded(jsonName: name)
    }
  }

  // MARK: Values

  private mutating func value(_ value: [UInt8], name: [UInt8], _ place: [UInt8]) {
    guard Placeholder(value) == nil, !shapes(in: value, place) else { return }
    if Self.isTelling(name), Randomness.isRandom(value) {
      append(place, "random value under a telling name", value.count)
    } else {
      value.withUnsafeBytes { namedValues(in: $0, place) }
    }
  }

  private mutating func namedValues(in text: UnsafeRawBufferPointer, _ place: [UInt8]) {
    for value in NamedValues(in: text) where Self.isTelling(value.name) {
      guard Placeholder(value.value) == nil, Randomness.isRandom(value.value) else { continue }
      append(place + [0x20] + value.name, "random value under a telling name", value.value.count)
    }
  }

  @discardableResult
  private mutating func shapes(in text: [UInt8], _ place: String) -> Bool {
    shapes(in: text, Array(place.utf8))
  }

  private mutating func shapes(in text: [UInt8], _ place: [UInt8]) -> Bool {
    let shapes = text.withUnsafeBytes { CredentialShape.all(in: $0) }
    for shape in shapes { append(place, shape.name, shape.range.count) }
    return !shapes.isEmpty
  }

  /// A name may be a credential itself, which must not be told either.
  private mutating func append(_ place: [UInt8], _ what: String, _ count: Int) {
    let shown = place.withUnsafeBytes { bytes in
      var edits = TextEdits()
      for shape in CredentialShape.all(in: bytes) {
        edits.replace(shape.range, by: Array("…".utf8))
      }
      return edits.applied(to: bytes)
    }
    findings.append(CredentialFinding(place: shown, what: what, count: count))
  }

  private static func isTelling(_ name: [UInt8]) -> Bool {
    let name = name.map(\.asciiLowercased)
    // A token for the next page, against forged requests, or of a validator says nothing.
    return holds(name, oneOf: telling) && !holds(name, oneOf: harmless)
  }

  /// Byte by byte: every name in every content is asked for.
  private static func holds(_ name: [UInt8], oneOf words: [[UInt8]]) -> Bool {
    for start in name.indices {
      for word in words
      where word[0] == name[start] && name[start...].starts(with: word) { return true }
    }
    return false
  }

  private static let telling = [
    "token", "secret", "passw", "passphrase", "pwd", "apikey", "api_key", "api-key", "accesskey",
    "access_key",
    "access-key", "privatekey", "private_key", "credential", "auth", "session", "signature",
  ].map { Array($0.utf8) }
  private static let harmless = [
    "next", "page", "continuation", "cursor", "author", "tokenizer", "token_type", "tokentype",
  ].map { Array($0.utf8) }
}

/// The strings of a JSON text.
enum JSONStrings {
  /// - Parameter body: gets where a string stands, the name of the member it is in, or whose array,
  ///   and its text.
  /// - Returns: false when the text is no JSON; `body` was called for what came before.
  static func forEach(
    in bytes: UnsafeRawBufferPointer,
    _ body: (_ pointer: [[UInt8]], _ name: [UInt8], _ text: [UInt8]) -> Void
  ) -> Bool {
    var scanner = JSONScanner(bytes)
    var pointer: [[UInt8]] = []
    /// Of each open array how many elements have begun; nil for an object.
    var elements: [Int?] = []
    var name: [UInt8] = []
    /// Those around.
    var names: [[UInt8]] = []
    func begin() {
      guard let last = elements.last, let count = last else { return }
      elements[elements.count - 1] = count + 1
      pointer[pointer.count - 1] = Array(String(count).utf8)
    }
    while true {
      let token = scanner.next()
      switch token {
      case .end: return true
      case .invalid: return false
      case .name:
        name = []
        JSONString.appendText(of: scanner.span, in: bytes, to: &name)
        pointer[pointer.count - 1] = name
      case .object, .array:
        begin()
        if case .array = token { elements.append(0) } else { elements.append(nil) }
        pointer.append([])
        names.append(name)
      case .objectEnd, .arrayEnd:
        name = names.removeLast()
        elements.removeLast()
        pointer.removeLast()
      case .string:
        begin()
        var text: [UInt8] = []
        JSONString.appendText(of: scanner.span, in: bytes, to: &text)
        body(pointer, name, text)
      case .number, .true, .false, .null: begin()
      }
    }
  }
}
