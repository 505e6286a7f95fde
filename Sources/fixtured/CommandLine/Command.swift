import FixtureCassette

/// What a command line asks for, with every option value parsed.
enum Command: Equatable, Sendable {
  case record(RecordOptions)
  case replay(ReplayOptions)
  case explain(ExplainOptions)
  case inspect(InspectOptions)
  case dump(DumpOptions)
  case diff(DiffOptions)
  case merge(MergeOptions)
  case drift(AskOptions)
  case refresh(AskOptions)
  case edit(EditOptions)
  case set(SetOptions)
  case remove(RemoveOptions)
  case redact(RedactOptions)
  case scan(ScanOptions)
  case verify(VerifyOptions)
  case control(ControlOptions)
  case report(ReportOptions)
  /// nil: the overview.
  case help(CommandName?)
  case version

  /// What the `fixtured.conf` beside a cassette says.
  typealias Configuration = (_ cassette: String) throws(UsageError) -> FolderConfiguration

  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - configuration: asked for by the commands that follow it.
  /// - Throws: the first thing that is wrong; nothing was done.
  init(
    arguments: [String], configuration: Configuration = { _ in FolderConfiguration() }
  ) throws(UsageError) {
    guard let first = arguments.first else { throw UsageError(.commandMissing) }
    let rest = arguments.dropFirst()
    guard let name = CommandName(rawValue: first) else {
      self = try Self.withoutCommand(first, rest)
      return
    }
    let scanned: ScannedArguments
    switch try ArgumentScanner.scan(rest, for: name) {
    case .help:
      self = .help(name == .help || name == .version ? nil : name)
      return
    case .arguments(let arguments): scanned = arguments
    }
    switch name {
    case .record: self = .record(try RecordOptions(scanned, configuration))
    case .replay: self = .replay(try ReplayOptions(scanned, configuration))
    case .explain: self = .explain(try ExplainOptions(scanned))
    case .inspect: self = .inspect(try InspectOptions(scanned))
    case .dump: self = .dump(try DumpOptions(scanned))
    case .diff: self = .diff(try DiffOptions(scanned))
    case .merge: self = .merge(try MergeOptions(scanned))
    case .drift: self = .drift(try AskOptions(scanned, configuration))
    case .refresh: self = .refresh(try AskOptions(scanned, configuration))
    case .edit: self = .edit(try EditOptions(scanned))
    case .set: self = .set(try SetOptions(scanned))
    case .remove: self = .remove(try RemoveOptions(scanned))
    case .redact: self = .redact(try RedactOptions(scanned, configuration))
    case .scan: self = .scan(ScanOptions(scanned))
    case .report: self = .report(try ReportOptions(scanned))
    case .verify: self = .verify(try VerifyOptions(scanned))
    case .control: self = .control(try ControlOptions(scanned))
    case .help: self = .help(try Self.helpTopic(scanned))
    case .version: self = .version
    }
  }

  /// `--help` and `--version` stand where a command would; anything else there is an error.
  private static func withoutCommand(
    _ first: String, _ rest: ArraySlice<String>
  ) throws(UsageError) -> Command {
    if first == "--help" || first == "-h" { return .help(rest.first.flatMap(CommandName.init)) }
    if first == "--version" {
      if let extra = rest.first { throw UsageError(.operandUnexpected(extra)) }
      return .version
    }
    if first.hasPrefix("-"), first != "-" { throw UsageError(.optionBeforeCommand(first)) }
    let names = CommandName.allCases.map(\.rawValue)
    throw UsageError(.commandUnknown(first, nearest: EditDistance.nearest(to: first, in: names)))
  }

  private static func helpTopic(_ arguments: ScannedArguments) throws(UsageError) -> CommandName? {
    guard let word = arguments.operands.first else { return nil }
    if let topic = CommandName(rawValue: word) { return topic }
    let names = CommandName.allCases.map(\.rawValue)
    throw UsageError(.commandUnknown(word, nearest: EditDistance.nearest(to: word, in: names)))
  }
}
