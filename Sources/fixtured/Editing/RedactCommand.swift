import FixtureCassette
import FixtureStore

/// `fixtured redact`: takes secrets out of a cassette that is there already.
enum RedactCommand {
  static func run(_ options: RedactOptions) -> ExitStatus {
    do {
      let reader = try CassetteReader(path: options.cassette)
      let rules = try RedactionRules(
        adding: (reader.description.redactions ?? []) + options.rules)
      let texts = try SecretTexts.read(
        RedactionRules(adding: options.rules).texts, in: .redact)
      var redactor = Redactor(
        rules: rules, count: reader.description.redactedCount, texts: texts,
        textNumbers: reader.description.textNumbers)
      try learn(&redactor, reader)
      var exceptions: [String] = []
      let count = try redact(reader, &redactor, &exceptions)
      for exception in exceptions { Diagnostic.write(exception) }
      let printing = Output.print("\(options.cassette.escapedForTerminal): \(count) redacted\n")
      return exceptions.isEmpty ? printing : .failure
    } catch let error as StoreError {
      Diagnostic.write(error.description)
      return .failure
    } catch let error as UsageError {
      Diagnostic.write(error.description)
      return .usage
    } catch {
      Diagnostic.write("\(error)")
      return .failure
    }
  }

  /// Secrets may stand in interactions before the one whose places they are found in.
  private static func learn(
    _ redactor: inout Redactor, _ reader: CassetteReader
  ) throws(StoreError) {
    for id in try reader.interactionIDs() {
      var draft = try self.draft(try reader.interaction(id: id), reader)
      _ = redactor.redact(&draft, storesUnredacted: true)
    }
  }

  /// - Parameter exceptions: gets a line for each content that could not be redacted; it stays.
  /// - Returns: how many interactions were changed.
  private static func redact(
    _ reader: CassetteReader, _ redactor: inout Redactor, _ exceptions: inout [String]
  ) throws(StoreError) -> Int {
    var count = 0
    let (rules, rest) = (redactor.rules, redactor)
    var description = reader.description
    description.redactions = rules.words
    description.redactedCount = rest.count
    description.textNumbers = rest.textNumbers
    try CassetteChange.perform(
      on: reader, description: { description },
      change: { (old) throws(StoreError) in
        let given = try draft(old, reader)
        var draft = given
        for exception in redactor.redact(&draft, storesUnredacted: true) {
          exceptions.append(
            "interaction \(old.id): its \(exception.side.rawValue) content "
              + "\(exception.omission.reason), it stays as it is")
        }
        guard draft != given else { return .kept }
        count += 1
        return .changed(
          draft.interaction, request: content(draft.requestBody, old.requestBody, reader),
          response: content(draft.responseBody, old.response?.body, reader))
      })
    return count
  }

  private static func draft(
    _ interaction: Interaction, _ reader: CassetteReader
  ) throws(StoreError) -> InteractionDraft {
    try InteractionDraft(
      interaction, request: .init(interaction.requestBody, in: reader),
      response: .init(interaction.response?.body, in: reader))
  }

  private static func content(
    _ body: InteractionDraft.Body, _ stored: BodyReference?, _ reader: CassetteReader
  ) -> CassetteRewrite.Content {
    if case .bytes(let bytes) = body { return .bytes(bytes) }
    return .init(stored, in: reader)
  }
}

/// What `fixtured redact` is asked to take out.
struct RedactOptions: Equatable, Sendable {
  var cassette: String
  /// In the words of `--redact`, beyond the defaults and those of the cassette.
  var rules: [String]
}

extension RedactOptions {
  init(
    _ arguments: ScannedArguments, _ configuration: Command.Configuration
  ) throws(UsageError) {
    let cassette = arguments.operands[0]
    let rules =
      try configuration(cassette).redactions(beside: cassette) + arguments.values(.redact)
    do throws(RedactionRuleError) {
      _ = try RedactionRules(adding: rules)
    } catch {
      throw arguments.error(.valueRefused(.redact, reason: error.description))
    }
    self.init(cassette: cassette, rules: rules)
  }
}
