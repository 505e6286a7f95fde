/// What `fixtured dump` is asked to write.
struct DumpOptions: Equatable, Sendable {
  enum Destination: Equatable, Sendable {
    case standardOutput
    case file(String)
    /// Nothing is written: the file must hold the same text.
    case comparison(with: String)
  }

  var cassette: String
  /// Further ones to compare, each with the dump beside it.
  var others: [String] = []
  var destination = Destination.standardOutput
  /// Whether the text holds dates and offsets, which differ between recordings of the same thing.
  var withTimes = false

  /// Where the dump of a cassette is kept: beside it, `.txt` added to its whole name.
  static func standardFile(for cassette: String) -> String { cassette + ".txt" }
}

extension DumpOptions {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    self.init(cassette: arguments.operands[0], withTimes: arguments.has(.times))
    let file = try arguments.parse(.output, as: OptionValue.fileExpected, OptionValue.file)
    others = Array(arguments.operands.dropFirst())
    if let other = others.first, !arguments.has(.check) || file != nil {
      throw arguments.error(.operandUnexpected(other))
    }
    if arguments.has(.check) {
      destination = .comparison(with: file ?? Self.standardFile(for: cassette))
    } else if let file, file != "-" {
      destination = .file(file)
    }
  }
}
