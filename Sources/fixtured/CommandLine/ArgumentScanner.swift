import FixtureCassette

/// Options and operands of one command, before their values are understood.
struct ScannedArguments: Equatable, Sendable {
  struct Option: Equatable, Sendable {
    let name: OptionName
    /// Empty for an option that takes none.
    let value: String
  }

  let command: CommandName
  var options: [Option] = []
  var operands: [String] = []

  func has(_ name: OptionName) -> Bool { options.contains { $0.name == name } }

  /// The value of an option that is not repeatable; nil when it was not given.
  func value(_ name: OptionName) -> String? { options.first { $0.name == name }?.value }

  /// The values of a repeatable option, in the order given.
  func values(_ name: OptionName) -> [String] {
    options.filter { $0.name == name }.map(\.value)
  }

  func error(_ problem: UsageError.Problem) -> UsageError {
    UsageError(problem, in: command)
  }

  /// Refuses two options that make no sense together.
  func refuse(_ first: OptionName, with second: OptionName) throws(UsageError) {
    if has(first), has(second) { throw error(.excluded(first, second)) }
  }

  /// Understands the value of an option, when it was given.
  func parse<Value>(
    _ name: OptionName, as expected: String, _ parse: (String) -> Value?
  ) throws(UsageError) -> Value? {
    guard let text = value(name) else { return nil }
    guard let value = parse(text) else {
      throw error(.valueInvalid(name, text, expected: expected))
    }
    return value
  }
}

/// Splits arguments as `getopt_long` does: `--name value`, `--name=value`, `-o value`, `-ovalue`,
/// unambiguous beginnings of long names, options also after operands, `--` before operands that
/// begin with a hyphen. A lone `-` is an operand.
struct ArgumentScanner {
  enum Scanned: Equatable {
    case arguments(ScannedArguments)
    /// `--help` was met before anything wrong.
    case help
  }

  /// Options that don't exist on purpose, and what to do instead.
  private static let declined = [
    "rewrite-content":
      "links inside content stay as they were recorded, because its length, ranges, digests, tags "
      + "and signatures are those of the recorded bytes; let the client put its own base URL "
      + "before their paths, or change a recorded answer with fixtured set or a rule with json"
  ]

  private var rest: ArraySlice<String>
  private var result: ScannedArguments
  private var askedForHelp = false

  static func scan(
    _ arguments: ArraySlice<String>, for command: CommandName
  ) throws(UsageError) -> Scanned {
    var scanner = ArgumentScanner(rest: arguments, result: ScannedArguments(command: command))
    try scanner.run()
    if scanner.askedForHelp { return .help }
    try scanner.checkOperands()
    return .arguments(scanner.result)
  }

  private mutating func run() throws(UsageError) {
    while !askedForHelp, let argument = rest.popFirst() {
      if argument == "--" {
        result.operands += rest
        return
      }
      if argument.hasPrefix("--") {
        try takeLong(argument.dropFirst(2))
      } else if argument.hasPrefix("-"), argument != "-" {
        try takeLetters(argument.dropFirst())
      } else {
        result.operands.append(argument)
      }
    }
  }

  private mutating func takeLong(_ text: Substring) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = try option(named: String(parts[0]))
    let attached = parts.count == 2 ? String(parts[1]) : nil
    guard name.placeholder != nil else {
      if let attached { throw result.error(.valueUnexpected(name, attached)) }
      return try add(name, "")
    }
    guard let value = attached ?? rest.popFirst() else { throw result.error(.valueMissing(name)) }
    try add(name, value)
  }

  /// A cluster of single-letter options; one that takes a value takes the remainder as its value.
  private mutating func takeLetters(_ letters: Substring) throws(UsageError) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let name = result.command.options.first(where: { $0.letter == letter }) else {
        throw result.error(.optionUnknown("-\(letter)", .nothing))
      }
      guard name.placeholder != nil else {
        try add(name, "")
        continue
      }
      guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
        throw result.error(.valueMissing(name))
      }
      return try add(name, value)
    }
  }

  private func option(named text: String) throws(UsageError) -> OptionName {
    let known = result.command.options
    if let exact = known.first(where: { $0.rawValue == text }) { return exact }
    let beginnings = text.isEmpty ? [] : known.filter { $0.rawValue.hasPrefix(text) }
    if beginnings.count == 1 { return beginnings[0] }
    if beginnings.count > 1 { throw result.error(.optionAmbiguous("--" + text, beginnings)) }
    throw result.error(.optionUnknown("--" + text, hint(for: text)))
  }

  private func hint(for text: String) -> UsageError.Hint {
    if let reason = Self.declined[text] { return .declined(reason: reason) }
    if let elsewhere = CommandName.allCases.first(where: { command in
      command.options.contains { $0.rawValue == text }
    }) {
      return .belongs(to: elsewhere)
    }
    let names = result.command.options.map(\.rawValue)
    let nearest = EditDistance.nearest(to: text, in: names).flatMap(OptionName.init)
    return nearest.map { .nearest($0) } ?? .nothing
  }

  private mutating func add(_ name: OptionName, _ value: String) throws(UsageError) {
    if name == .help { askedForHelp = true }
    if result.has(name), !name.isRepeatable { throw result.error(.repeated(name)) }
    result.options.append(ScannedArguments.Option(name: name, value: value))
  }

  private func checkOperands() throws(UsageError) {
    let expected = result.command.operands
    if result.operands.count > expected.count, expected.last?.repeats != true {
      throw result.error(.operandUnexpected(result.operands[expected.count]))
    }
    for (index, operand) in expected.enumerated() {
      guard index < result.operands.count else {
        if operand.required { throw result.error(.operandMissing(operand.name)) }
        return
      }
      // The last one may be content, and that may be empty.
      let isContent = result.command == .set && operand.repeats
      if result.operands[index].isEmpty, !isContent {
        throw result.error(.operandEmpty(operand.name))
      }
    }
  }
}
