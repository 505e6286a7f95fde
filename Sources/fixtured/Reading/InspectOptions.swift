/// What `fixtured inspect` is asked to show.
struct InspectOptions: Equatable, Sendable {
  var cassette: String
  /// nil: a line for every interaction.
  var id: Int64?
  var asJSON = false
}

extension InspectOptions {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    self.init(cassette: arguments.operands[0], asJSON: arguments.has(.json))
    guard arguments.operands.count > 1 else { return }
    let word = arguments.operands[1]
    guard let id = OptionValue.identifier(word) else {
      throw arguments.error(
        .operandInvalid("ID", word, expected: OptionValue.identifierExpected))
    }
    self.id = id
  }
}
