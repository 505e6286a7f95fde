import FixtureCassette
import FixtureHTTP
import FixtureReplay

/// A recorded answer of ten bytes, whole at once.
let plainAnswer = answer(framing: .length, .content(BodySlice(body: 1, range: 0..<10)))

/// Of twelve bytes in three chunks, the second 100 ms after the first, the end after 50 ms more.
let chunkedAnswer = Script(
  steps: [
    Step(.requestEnd, .milliseconds(20), .head(head(200, "OK", section(("ETag", "\"a\""))))),
    Step(.previous, .zero, .content(BodySlice(body: 1, range: 0..<4))),
    Step(.previous, .milliseconds(100), .content(BodySlice(body: 1, range: 4..<8))),
    Step(.previous, .zero, .content(BodySlice(body: 1, range: 8..<12))),
    Step(.previous, .zero, .trailers(section(("T", "1")))),
    Step(.previous, .milliseconds(50), .end),
  ], framing: .chunked, interaction: 1)

func answer(framing: RecordedFraming, _ content: Action...) -> Script {
  let steps =
    [Step(.requestEnd, .zero, .head(head(200, "OK", section(("Content-Length", "10")))))]
    + content.map { Step(.previous, .zero, $0) } + [Step(.previous, .zero, .end)]
  return Script(steps: steps, framing: framing, interaction: 1)
}

/// What becomes of an answer by rules, as a script.
func faulted(
  _ lines: [String], _ script: Script, method: Method = .get, content: String? = nil,
  exchange: Int64 = 1
) throws -> FaultedAnswer {
  let rules = try lines.map { try Rule(parsing: $0.utf8) }
  let setup = ScenarioSetup(rules: rules, seed: 1, files: ["f": Array("file".utf8)])
  let encounter = setup.begun(at: 0).foresee(
    RuleRequest(method: method, target: Array("/a?q=1".utf8)), key: 7, now_ns: 0)
  let context = FaultContext(
    method: method, target: Array("/a?q=1".utf8), date: 784_111_777, exchange: exchange,
    content: content.map { Array($0.utf8) }, files: setup.files)
  return encounter.isMade ? encounter.making(context) : encounter.changing(script, context)
}

/// The play of what becomes of an answer, with what follows on its connection.
func played(
  _ line: String, _ script: Script = plainAnswer, method: Method = .get, content: String? = nil
) throws -> String {
  let answer = try faulted([line], script, method: method, content: content).script
  return transcript(answer)
}
