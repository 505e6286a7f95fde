import FixtureCassette
import FixtureReplay
import FixtureServing
import FixtureStore

/// `fixtured replay`: answers from a cassette until a signal comes.
enum ReplayCommand {
  static func run(_ options: ReplayOptions) -> ExitStatus {
    let scenario: ScenarioSetup?
    do throws(UsageError) {
      scenario = try options.scenario.load(for: .replay)
    } catch {
      Diagnostic.write(error.description)
      return .usage
    }
    guard let process = ServingProcess.prepare() else { return .failure }
    defer { process.diagnostics.finish() }
    let damage = FailureLatch()
    var configuration = configuration(options, process.diagnostics)
    configuration.scenario = scenario
    configuration.onDamage = { damage.fail() }
    let verdict: ClientVerdict?
    do throws(FileError) {
      verdict = try options.verdict.map { (options) throws(FileError) in
        try ClientVerdict(options)
      }
    } catch {
      process.diagnostics.write(
        "the verdict could not be written, \(error.description), name another FILE")
      return .failure
    }
    let watched = verdict != nil || options.control != nil
    let gates = SessionGates()
    let router = SessionRouter()
    if options.control != nil {
      configuration.enterGate = { gates.enter($0, $1) }
      configuration.router = router
    }
    do throws(ServerError) {
      let log = try log(options, process.diagnostics, damage)
      let journal =
        try log.map { (log) throws(ServerError) in
          try started(log, configuration)
        } ?? (watched ? Journal() : nil)
      configuration.journal = journal
      let server = try ReplayServer.start(configuration)
      let control = try journal.flatMap { (journal) throws(ServerError) in
        try ReplayControl.start(
          options, configuration, server, journal, log, gates, router, process.diagnostics)
      }
      // Also with --quiet: without it nobody could see the same again.
      if let scenario { process.diagnostics.line(Self.text(scenario)) }
      if let repeated = options.repeated {
        process.diagnostics.line(repeated.text(seed: scenario?.seed))
      }
      if !options.isQuiet { process.diagnostics.line(hint(options, server)) }
      Listening.announce(server.listeners, control: control?.address)
      process.stop.wait()
      control?.stop()
      let summary = server.stop()
      finish(log, damage)
      if !options.isQuiet {
        for line in lines(summary) { process.diagnostics.line(line) }
      }
      var hasFailed = damage.hasFailed || options.isStrict && summary.misses > 0
      if let verdict, let journal {
        let passed = verdict.judge(journal, of: options.cassette, process.diagnostics)
        hasFailed = hasFailed || !passed
      }
      return hasFailed ? .failure : .success
    } catch {
      process.diagnostics.write(error.description)
      return .failure
    }
  }

  private static func log(
    _ options: ReplayOptions, _ diagnostics: DiagnosticThread, _ damage: FailureLatch
  ) throws(ServerError) -> JournalLog? {
    guard let path = options.journal else { return nil }
    do {
      return try JournalLog(creating: path, createdBy: Version.createdBy) {
        diagnostics.write($0)
        damage.fail()
      }
    } catch {
      throw .store(error)
    }
  }

  private static func started(
    _ log: JournalLog, _ configuration: ReplayConfiguration
  ) throws(ServerError) -> Journal {
    do {
      return try log.journal(SessionTable.mainID, configuration)
    } catch {
      throw .store(error)
    }
  }

  private static func finish(_ log: JournalLog?, _ damage: FailureLatch) {
    do {
      try log?.finish()
    } catch {
      // It was told when it happened.
      damage.fail()
    }
  }

  private static func configuration(
    _ options: ReplayOptions, _ diagnostics: DiagnosticThread
  ) -> ReplayConfiguration {
    ReplayConfiguration(
      cassette: options.cassette, host: options.listen.host, port: options.listen.port,
      pacing: options.pacing, exhausted: options.exhausted, match: options.match,
      dates: options.dates, derives: options.derives, rewritesCookies: options.rewritesCookies,
      threads: options.threads ?? ServingProcess.processorCount,
      texts: { SecretTexts.known($0, to: options.texts) },
      onMiss: { diagnostics.write(lines: "miss: \($0)") },
      onError: { diagnostics.write($0) })
  }

  /// What is replayed, by what it is found if not by the standard, and a command to try it with.
  private static func hint(_ options: ReplayOptions, _ server: ReplayServer) -> String {
    let interactions = count(server.interactionCount, "interaction")
    var line = "replaying \(interactions) of \(options.cassette.escapedForTerminal)"
    if options.match != MatchOptions() {
      line += " by \(options.match.words.escapedForTerminal)"
    }
    if let example = server.example,
      let listener = server.listeners.first(where: { $0.name == example.upstream })
    {
      let target = String(decoding: example.target, as: UTF8.self).escapedForTerminal
      line += "; try: curl -i '\(listener.url)\(target.replacing("'", with: "%27"))'"
    }
    return line
  }

  /// What was played, and what was missed.
  private static func lines(_ summary: ReplaySummary) -> [String] {
    let made = summary.made > 0 ? "\(count(summary.made, "answer")) made by rules, " : ""
    var lines = ["\(count(summary.plays, "play")), \(made)\(count(summary.misses, "miss"))"]
    for report in summary.reports {
      let times = report.count == 1 ? "" : "\(report.count) x "
      lines.append("  missed: \(times)\(report.text)".escapedForTerminal)
    }
    if summary.unreported > 0 {
      lines.append("  and \(summary.unreported) other requests")
    }
    return lines
  }

  private static func text(_ scenario: ScenarioSetup) -> String {
    let rules = count(scenario.rules.count, "rule")
    return "\(rules) in force, seed \(scenario.seed); for the same again: --seed \(scenario.seed)"
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun == "miss" ? "misses" : noun + "s")"
  }
}
