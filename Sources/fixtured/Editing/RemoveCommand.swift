import FixtureStore

/// `fixtured rm`: takes interactions out of a cassette.
enum RemoveCommand {
  static func run(_ options: RemoveOptions) -> ExitStatus {
    do throws(StoreError) {
      let reader = try CassetteReader(path: options.cassette)
      let known = Set(try reader.interactionIDs())
      for id in options.ids where !known.contains(id) {
        throw .interactionMissing(path: options.cassette, id: id)
      }
      let removed = Set(options.ids)
      try CassetteChange.perform(on: reader) {
        removed.contains($0.id) ? .removed : .kept
      }
      let left = known.count - removed.count
      return Output.print(
        "\(options.cassette.escapedForTerminal): \(removed.count) removed, \(left) left\n")
    } catch {
      Diagnostic.write(error.description)
      return .failure
    }
  }
}

/// What `fixtured rm` is asked to remove.
struct RemoveOptions: Equatable, Sendable {
  var cassette: String
  /// At least one.
  var ids: [Int64]
}

extension RemoveOptions {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    self.init(cassette: arguments.operands[0], ids: [])
    for word in arguments.operands.dropFirst() { ids.append(try arguments.identifier(word)) }
  }
}

extension ScannedArguments {
  /// The number of an interaction that stands as an operand.
  func identifier(_ word: String) throws(UsageError) -> Int64 {
    guard let id = OptionValue.identifier(word) else {
      throw error(.operandInvalid("ID", word, expected: OptionValue.identifierExpected))
    }
    return id
  }
}
