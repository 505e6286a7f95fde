import FixtureHTTP
import FixtureReplay

/// What `fixtured ctl` is asked to do.
struct ControlOptions: Equatable, Sendable {
  /// What can be asked, in the words of the command line.
  enum Verb: String, CaseIterable, Sendable {
    case sessions, session, create, delete, reset, scenario, flags, etags, release, clock, exchanges
    case verdict

    /// What may stand behind it, as help and errors print it.
    var usage: String {
      switch self {
      case .sessions: "sessions"
      case .session: "session [ID]"
      case .create: "create [NAME=VALUE]..."
      case .delete: "delete ID"
      case .reset: "reset [ID]"
      case .scenario: "scenario [ID]"
      case .flags: "flags ID [raise=FLAG]... [clear=FLAG]..."
      case .etags: "etags [ID [TARGET]]"
      case .release: "release ID GATE"
      case .clock: "clock ID now|DATE|+SECONDS|run"
      case .exchanges: "exchanges [ID [NUMBER]]"
      case .verdict: "verdict [ID]"
      }
    }

    /// All of them, a line each.
    static var usages: String {
      allCases.map { "  fixtured ctl \($0.usage)" }.joined(separator: "\n")
    }

    /// How many words follow it.
    fileprivate var counts: ClosedRange<Int> {
      switch self {
      case .sessions: 0...0
      case .session, .reset, .scenario, .verdict: 0...1
      case .create: 0...Int.max
      case .delete: 1...1
      case .flags: 2...Int.max
      case .etags, .exchanges: 0...2
      case .release, .clock: 2...2
      }
    }
  }

  var verb: Verb
  /// Behind the verb.
  var words: [String]
  var address = Self.standard
  var scenario = ScenarioOptions()
  /// Checks that make the exit status 1.
  var failsOn: [Verdict.Check] = []
  var limits = Verdict.Limits()
  var givesJSON = false

  /// Whether a journal is to be printed for people.
  var listsExchanges: Bool { verb == .exchanges && words.count < 2 && !givesJSON }

  static let standard = ListenAddress(host: "127.0.0.1", port: 8378)
  static var membersExpected: String { members.joined(separator: ", ") }
  /// What `create` takes beside the rules, which have options.
  static let members = [
    "cassette", "match", "pace", "exhausted", "date", "lease_s", "receipts",
  ]
}

extension ControlOptions {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    let word = arguments.operands[0]
    guard let verb = Verb(rawValue: word) else {
      let verbs = Verb.allCases.map(\.rawValue).joined(separator: ", ")
      throw arguments.error(.operandInvalid("VERB", word, expected: "one of \(verbs)"))
    }
    self.init(verb: verb, words: Array(arguments.operands.dropFirst()))
    guard verb.counts.contains(words.count) else {
      throw arguments.error(
        .operandInvalid("VERB", word, expected: "it as: fixtured ctl \(verb.usage)"))
    }
    address =
      try arguments.parse(.control, as: OptionValue.listenExpected, Self.address) ?? address
    scenario = try ScenarioOptions(arguments, source: arguments.value(.scenario))
    failsOn =
      try arguments.parse(.failOn, as: OptionValue.checksExpected, OptionValue.checks) ?? []
    limits = try arguments.verdictLimits()
    givesJSON = arguments.has(.json)
    try check(arguments)
  }

  /// `http://HOST:PORT`, or without the scheme.
  private static func address(_ text: String) -> ListenAddress? {
    var text = text[...]
    if text.hasPrefix("http://") { text = text.dropFirst(7) }
    if text.hasSuffix("/") { text = text.dropLast() }
    guard let address = ListenAddress(String(text)), address.port > 0 else { return nil }
    return address
  }

  /// An option that another verb takes would be ignored.
  private func check(_ arguments: ScannedArguments) throws(UsageError) {
    let rules: [OptionName] = [.scenario, .rule, .seed]
    let judging: [OptionName] = [.failOn, .connectionsMax, .attemptsMax]
    for name in rules where arguments.has(name) && verb != .create && verb != .scenario {
      throw arguments.error(
        .valueRefused(name, reason: "\(verb.rawValue) takes no rules, create and scenario do"))
    }
    for name in judging where arguments.has(name) && verb != .delete && verb != .verdict {
      throw arguments.error(
        .valueRefused(name, reason: "\(verb.rawValue) judges nothing, verdict and delete do"))
    }
    for (check, limit, name) in [
      (Verdict.Check.connections, limits.connectionsMax, OptionName.connectionsMax),
      (.attempts, limits.attemptsMax, .attemptsMax),
    ] where failsOn.contains(check) && limit == nil {
      throw arguments.error(
        .valueRefused(
          .failOn, reason: "\(check.rawValue) is judged by a limit, give \(name.written) N"))
    }
  }
}
