import FixtureCassette
import FixtureReplay
import FixtureServing

/// What `fixtured replay` is asked to do.
struct ReplayOptions: Equatable, Sendable {
  var cassette: String
  var listen = ListenAddress.standard
  var pacing = Pacing.immediate
  var exhausted = Exhausted.repeatLast
  var match = MatchOptions()
  var dates = DatePolicy.shift
  var derives = true
  var scenario = ScenarioOptions()
  /// What was asked for, when the command line that gives it again is to be printed.
  var repeated: RepeatedCommand?
  var rewritesCookies = false
  /// Where the control API is answered; nil: nowhere.
  var control: ListenAddress?
  /// The ports of the sessions that it makes; nil: any.
  var sessionPorts: SessionPorts?
  /// Where the exchanges are written to; nil: nowhere.
  var journal: String?
  /// How the client is judged at the end; nil: it is not.
  var verdict: VerdictOptions?
  /// Whether a miss makes the exit status 1.
  var isStrict = false
  var isQuiet = false
  /// Secrets that requests may hold, as far as the cassette has placeholders for them.
  var texts: [TextSource] = []
  /// How many event loops; nil for one a core.
  var threads: Int?
}

extension ReplayOptions {
  init(
    _ arguments: ScannedArguments, _ configuration: Command.Configuration
  ) throws(UsageError) {
    self.init(cassette: arguments.operands[0])
    let configuration = try configuration(cassette)
    match = try MatchOptions(arguments, configuration)
    scenario = try ScenarioOptions(arguments, source: arguments.value(.scenario))
    do {
      texts = try RedactionRules(adding: configuration.redactions(beside: cassette)).texts
    } catch {
      throw arguments.error(.valueRefused(.redact, reason: error.description))
    }
    if arguments.has(.printCommand) { repeated = RepeatedCommand(arguments) }
    rewritesCookies = arguments.has(.rewriteCookies)
    control = try arguments.parse(
      .control, as: OptionValue.listenExpected, ListenAddress.init)
    sessionPorts = try arguments.parse(
      .sessionPorts, as: OptionValue.portsExpected, SessionPorts.init(word:))
    if sessionPorts != nil, control == nil {
      throw arguments.error(
        .valueRefused(.sessionPorts, reason: "sessions are made by the control API, add --control"))
    }
    journal = arguments.value(.journal)
    if let journal, journal.isEmpty {
      throw arguments.error(.valueInvalid(.journal, journal, expected: OptionValue.fileExpected))
    }
    verdict = try VerdictOptions(arguments)
    isStrict = arguments.has(.strict)
    isQuiet = arguments.has(.quiet)
    listen =
      try arguments.parse(.listen, as: OptionValue.listenExpected, ListenAddress.init) ?? listen
    if let control, control.port != 0, control == listen {
      throw arguments.error(
        .valueRefused(
          .control, reason: "port \(control.port) is that of --listen, give each its own"))
    }
    pacing = try arguments.parse(.pace, as: Pacing.expected, Pacing.init(word:)) ?? pacing
    exhausted =
      try arguments.parse(
        .exhausted, as: Exhausted.expected, Exhausted.init(rawValue:))
      ?? exhausted
    dates = try arguments.parse(.date, as: DatePolicy.expected, DatePolicy.init(word:)) ?? dates
    derives =
      try arguments.parse(.derive, as: OptionValue.switchExpected, OptionValue.switched) ?? derives
    threads = try arguments.parse(
      .threads, as: OptionValue.threadsExpected, OptionValue.threads)
  }
}
