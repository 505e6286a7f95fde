/// Why a command line cannot be understood or makes no sense; the exit status is 2.
struct UsageError: Error, Equatable {
  /// What might have been meant by an unknown option.
  enum Hint: Equatable {
    case nearest(OptionName)
    case belongs(to: CommandName)
    /// Not offered, for this reason.
    case declined(reason: String)
    case nothing
  }

  enum Problem: Equatable {
    case commandMissing
    case commandUnknown(String, nearest: String?)
    case optionBeforeCommand(String)
    case optionUnknown(String, Hint)
    case optionAmbiguous(String, [OptionName])
    case optionMissing(OptionName)
    case valueMissing(OptionName)
    case valueUnexpected(OptionName, String)
    case valueInvalid(OptionName, String, expected: String)
    /// As `valueInvalid`, for a value that is not to be printed because it may hold a secret.
    case valueRefused(OptionName, reason: String)
    case repeated(OptionName)
    case excluded(OptionName, OptionName)
    case operandMissing(String)
    case operandEmpty(String)
    case operandUnexpected(String)
    case operandInvalid(String, String, expected: String)
    case upstreamNameTaken(String)
    case upstreamNameMissing
    case portsExhausted(first: UInt16, count: Int)
    case modeMissing(cassette: String)
    case cassetteMissing(cassette: String)
    case outputIsDatabase(String)
    /// A rule, a file of them or what it names can't be used.
    case scenarioInvalid(String, reason: String)
    /// A line of `fixtured.conf`, or the file when there is no line.
    case configurationInvalid(path: String, line: Int?, reason: String)
  }

  let problem: Problem
  /// nil when no command was recognised.
  let command: CommandName?

  init(_ problem: Problem, in command: CommandName? = nil) {
    self.problem = problem
    self.command = command
  }

  /// One line: what, where, what to do. What the user typed is printed escaped.
  var description: String {
    let place = command.map { "fixtured \($0.rawValue)" } ?? "fixtured"
    return "\(problem.what), in \(place), \(problem.advice(help: place + " --help"))"
  }
}

extension UsageError.Problem {
  fileprivate var what: String {
    switch self {
    case .commandMissing: "no command was given"
    case .commandUnknown(let word, _): "there is no command \(word.quotedForTerminal)"
    case .optionBeforeCommand(let text):
      "the option \(text.quotedForTerminal) stands before a command"
    case .optionUnknown(let text, _): "there is no option \(text.quotedForTerminal)"
    case .optionAmbiguous(let text, _): "\(text.quotedForTerminal) begins several options"
    case .optionMissing(let name): "\(name.written) is missing"
    case .valueMissing(let name): "\(name.written) has no value"
    case .valueUnexpected(let name, _): "\(name.written) takes no value"
    case .valueInvalid(let name, let value, _):
      "\(name.written) cannot be \(value.quotedForTerminal)"
    case .valueRefused(let name, _): "the value of \(name.written) is refused"
    case .repeated(let name): "\(name.written) is given more than once"
    case .excluded(let first, let second):
      "\(first.written) and \(second.written) exclude each other"
    case .operandMissing(let name): "\(name) is missing"
    case .operandEmpty(let name): "\(name) is empty"
    case .operandUnexpected(let text): "\(text.quotedForTerminal) is one operand too many"
    case .operandInvalid(let name, let text, _):
      "\(name) cannot be \(text.quotedForTerminal)"
    case .upstreamNameTaken(let name): "two upstreams are named \(name.quotedForTerminal)"
    case .upstreamNameMissing: "one of several upstreams has no name"
    case .portsExhausted(let first, let count):
      "\(count) upstreams need the ports from \(first) on, beyond 65535"
    case .modeMissing(let cassette): "\(cassette.quotedForTerminal) exists"
    case .cassetteMissing(let cassette):
      "\(cassette.quotedForTerminal) does not exist and --mode none records nothing"
    case .outputIsDatabase(let path):
      "\(path.quotedForTerminal) holds a database, most likely a cassette"
    case .scenarioInvalid(let source, _): "\(source.quotedForTerminal) can't be followed"
    case .configurationInvalid(let path, let line?, _):
      "line \(line) of \(path.quotedForTerminal) can't be followed"
    case .configurationInvalid(let path, nil, _):
      "\(path.quotedForTerminal) can't be read"
    }
  }

  /// - Parameter help: the command that explains the place of the error.
  fileprivate func advice(help: String) -> String {
    switch self {
    case .commandMissing: "the commands are \(CommandName.list); fixtured --help explains them"
    case .commandUnknown(_, let nearest?): "did you mean \(nearest)?"
    case .commandUnknown(_, nil): "the commands are \(CommandName.list)"
    case .optionBeforeCommand: "give the command first; the commands are \(CommandName.list)"
    case .optionUnknown(_, .nearest(let name)): "did you mean \(name.written)?"
    case .optionUnknown(_, .belongs(let other)): "it belongs to fixtured \(other.rawValue)"
    case .optionUnknown(_, .declined(let reason)): reason
    case .optionUnknown(_, .nothing): "\(help) lists the options"
    case .optionAmbiguous(_, let names):
      "write one of \(names.map(\.written).joined(separator: ", "))"
    case .optionMissing(let name): "give \(name.usage)"
    case .valueMissing(let name): "write \(name.usage)"
    case .valueUnexpected(_, let value): "leave out \("=\(value)".quotedForTerminal)"
    case .valueInvalid(_, _, let expected): "give \(expected)"
    case .valueRefused(_, let reason): reason
    case .repeated: "give it once"
    case .excluded: "leave one out"
    case .operandMissing: "\(help) shows where it stands"
    case .operandEmpty: "give a value, or check the variable it came from"
    case .operandUnexpected: "leave it out; \(help) shows what is expected"
    case .operandInvalid(_, _, let expected): "give \(expected)"
    case .upstreamNameTaken: "give each its own name"
    case .upstreamNameMissing:
      "write each as --upstream NAME=URL, for example --upstream api=https://api.example.com"
    case .portsExhausted: "give --listen a smaller port, or 0"
    case .modeMissing:
      "choose --mode once or none (replay it), new-episodes (replay it and record the rest) or "
        + "all (record everything anew)"
    case .cassetteMissing: "name an existing cassette or choose another mode"
    case .outputIsDatabase: "give another FILE"
    case .configurationInvalid(_, _, let reason), .scenarioInvalid(_, let reason): reason
    }
  }
}

extension CommandName {
  fileprivate static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension OptionName {
  /// The option with its placeholder, `--listen HOST:PORT`.
  var usage: String { placeholder.map { "\(written) \($0)" } ?? written }
}
