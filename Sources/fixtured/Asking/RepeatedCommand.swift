import FixtureReplay

/// A command line that does again what one did: every option that it had, with its value as it was
/// given, and the seed.
struct RepeatedCommand: Equatable, Sendable {
  private let arguments: ScannedArguments

  init(_ arguments: ScannedArguments) {
    self.arguments = arguments
  }

  /// To be pasted into a shell, in the folder where the command ran.
  /// - Parameter seed: nil when nothing is drawn.
  func text(seed: UInt64?) -> String {
    var words = ["fixtured", arguments.command.rawValue]
    for option in arguments.options where option.name != .seed && option.name != .printCommand {
      words.append(option.name.written)
      if option.name.placeholder != nil { words.append(option.value) }
    }
    if let seed { words += [OptionName.seed.written, "\(seed)"] }
    // An operand may look like an option.
    if arguments.operands.contains(where: { $0.hasPrefix("-") }) { words.append("--") }
    return (words + arguments.operands).map(ShellWord.quoted).joined(separator: " ")
  }
}
