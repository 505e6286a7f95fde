import FixtureCassette
import FixtureStore

/// `fixtured redact`: takes secrets out of a cassette that is there already.
enum RedactCommand {
  static func run(_ options: RedactOptions) -> ExitStatus {
    do {
      let reader = try CassetteReader(path: options.cassette)
      let rules = try RedactionRules(
        adding: (reader.description.redactions ?? []) + options.rules)
      var redactor = Redactor(rules: rules, count: reader.description.redactedCount)
      var count = 0
      try CassetteChange.perform(
        on: reader,
        description: {
          var description = reader.description
          description.redactions = rules.words
          description.redactedCount = redactor.count
          return description
        },
        change: { (old) throws(StoreError) in
          var interaction = old
          redactor.redact(&interaction)
          guard interaction != old else { return .kept }
          count += 1
          return .changed(
            interaction, request: .init(old.requestBody, in: reader),
            response: .init(old.response?.body, in: reader))
        })
      return Output.print("\(options.cassette.escapedForTerminal): \(count) redacted\n")
    } catch let error as StoreError {
      Diagnostic.write(error.description)
      return .failure
    } catch {
      Diagnostic.write("\(error)")
      return .failure
    }
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
    let rules = try configuration(cassette).redactions.map(\.text) + arguments.values(.redact)
    do throws(RedactionRuleError) {
      _ = try RedactionRules(adding: rules)
    } catch {
      throw arguments.error(.valueRefused(.redact, reason: error.description))
    }
    self.init(cassette: cassette, rules: rules)
  }
}
