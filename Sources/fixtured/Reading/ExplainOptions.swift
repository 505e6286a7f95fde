import FixtureHTTP
import FixtureReplay

/// What `fixtured explain` is asked to do.
struct ExplainOptions: Equatable, Sendable {
  var scenario: ScenarioOptions
  var method: Method
  /// As a client would send it.
  var target: [UInt8]
}

extension ExplainOptions {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    let request = arguments.operands[1]
    let words = request.split(separator: " ")
    let isRequest =
      words.count == 1 || words.count == 2 && words[0].utf8.allSatisfy(\.isTokenCharacter)
    guard isRequest, let target = words.last, target.hasPrefix("/") || target == "*" else {
      throw arguments.error(
        .operandInvalid("REQUEST", request, expected: "a method and a target, as 'GET /feed?n=1'"))
    }
    self.init(
      scenario: try ScenarioOptions(arguments, source: arguments.operands[0]),
      method: words.count == 2 ? Method(words[0].utf8) : .get, target: Array(target.utf8))
  }
}
