import FixtureCassette
import FixtureHTTP
import FixtureReplay

/// `fixtured explain`: what a request meets of a scenario.
enum ExplainCommand {
  static func run(_ options: ExplainOptions) -> ExitStatus {
    do throws(UsageError) {
      guard let setup = try options.scenario.load(for: .explain) else { return .success }
      return Output.print(text(setup, options))
    } catch {
      Diagnostic.write(error.description)
      return .usage
    }
  }

  /// So many requests are looked at.
  private static let requestCount = 10

  static func text(_ setup: ScenarioSetup, _ options: ExplainOptions) -> String {
    let request = RuleRequest(method: options.method, target: options.target)
    let session = setup.begun(at: 0)
    let name = String(decoding: options.method.bytes + [0x20] + options.target, as: UTF8.self)
    var text = "\(name.escapedForTerminal), seed \(setup.seed)\n\n"
    let rules = session.rules.enumerated().filter { $0.element.pattern.matches(request) }
    guard !rules.isEmpty else { return text + "no rule is about it\n" }
    for (index, rule) in rules { text += "rule \(index + 1)  \(rule.description)\n" }
    if let connections = session.connections {
      text += "\nfor all connections, since the start of a replay:\n\n\(connections)\n"
    }
    text += "\nat the start of a replay, without fields and content:\n\n"
    var key: [UInt8] = []
    MatchKeys(description: CassetteDescription()).appendKey(
      method: options.method, target: options.target, upstream: nil, to: &key)
    let hash = StableHash.value(of: key)
    let outcomes = (0..<requestCount).map { _ in
      outcome(session.foresee(request, key: hash, now_ns: 0))
    }
    return text + lines(outcomes)
  }

  private static func outcome(_ encounter: Encounter) -> String {
    guard !encounter.met.isEmpty else { return "as recorded" }
    let overruled = encounter.overruled
    return encounter.met.map { met in
      let wait = met.wait == nil ? "" : " exhausted"
      let effect = overruled.contains(met) ? " overruled" : ""
      return "\(met.fault)\(wait)\(effect) (rule \(met.rule))"
    }.joined(separator: ", ")
  }

  /// A line for each run of equal outcomes.
  private static func lines(_ outcomes: [String]) -> String {
    var text = ""
    var start = 0
    while start < outcomes.count {
      let end = outcomes[start...].firstIndex { $0 != outcomes[start] } ?? outcomes.count
      let isLast = end == outcomes.count
      let numbers =
        isLast && start > 0 && end - start > 1
        ? "from request \(start + 1)"
        : end - start == 1 ? "request \(start + 1)" : "requests \(start + 1) to \(end)"
      text += "\(numbers): \(outcomes[start])\n"
      start = end
    }
    return text
  }
}
