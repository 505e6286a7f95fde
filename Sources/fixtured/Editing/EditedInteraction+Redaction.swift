import FixtureCassette
import FixtureStore

extension EditedInteraction {
  /// Puts it in the place of what it was made of, without its secrets if the cassette is kept
  /// without them, and says what is worth knowing.
  func write(to reader: CassetteReader) throws(StoreError) -> ExitStatus {
    var edited = self
    let description = try edited.redact(for: reader)
    try CassetteChange.perform(
      on: reader, description: { description },
      change: { (old) throws(StoreError) in
        old.id == interaction.id
          ? .changed(edited.interaction, request: edited.request, response: edited.response)
          : .kept
      })
    for warning in edited.warnings { Diagnostic.write("\(warning), interaction \(interaction.id)") }
    return .success
  }

  /// - Returns: what the cassette says of itself from now on.
  private mutating func redact(
    for reader: CassetteReader
  ) throws(StoreError) -> CassetteDescription {
    var description = reader.description
    guard let words = description.redactions else { return description }
    let rules = RedactionRules(stored: words)
    let texts = rules.texts.compactMap { source in
      SecretTexts.known(source, to: []).map { TextSecrets(source: source, secrets: $0) }
    }
    var redactor = Redactor(
      rules: rules, count: description.redactedCount, texts: texts,
      textNumbers: description.textNumbers)
    let given = try InteractionDraft(interaction, request: request, response: response)
    var draft = given
    for exception in redactor.redact(&draft, storesUnredacted: true) {
      warnings.append(
        "the \(exception.side.rawValue) content \(exception.omission.reason), it stays as it is")
    }
    guard draft != given else { return description }
    warnings.append("what stands in places for secrets was replaced by placeholders")
    take(draft, insteadOf: given)
    description.redactedCount = redactor.count
    description.textNumbers = redactor.textNumbers
    return description
  }
}

extension InteractionDraft {
  /// With the contents that are small enough to be redacted.
  init(
    _ interaction: Interaction, request: CassetteRewrite.Content,
    response: CassetteRewrite.Content
  ) throws(StoreError) {
    self.init(
      interaction: interaction, requestBody: try Self.body(request),
      responseBody: try Self.body(response))
  }

  private static func body(_ content: CassetteRewrite.Content) throws(StoreError) -> Body {
    switch content {
    case .absent: return .absent
    case .bytes(let bytes): return .bytes(bytes)
    case .stored(let reference, let reader):
      let bytesMax = Redactor.contentBytesMax
      guard reference.size <= Int64(bytesMax) else { return .absent }
      return .bytes(try reader.bytes(of: reference, from: 0, bytesMax: bytesMax))
    }
  }
}
