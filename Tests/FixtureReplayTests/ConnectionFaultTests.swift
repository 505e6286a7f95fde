import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct ConnectionFaultTests {
  @Test(arguments: [
    ("reset", ["reset"]), ("close before head", ["close"]),
    ("close in head", ["head beginning 200 OK | Content-Length: 10", "close"]),
    ("reset after head", ["head 200 OK | Content-Length: 10", "reset"]),
    ("reset at 0B", ["head 200 OK | Content-Length: 10", "reset"]),
    ("truncate at 40%", ["head 200 OK | Content-Length: 10", "content body 1 at 0..<4", "close"]),
    (
      "reset at 1KB", ["head 200 OK | Content-Length: 10", "content body 1 at 0..<10", "reset"]
    ),
    (
      "close before end", ["head 200 OK | Content-Length: 10", "content body 1 at 0..<10", "close"]
    ),
    (
      "close after end",
      ["head 200 OK | Content-Length: 10", "content body 1 at 0..<10", "end", "close"]
    ),
    ("reset after commit", ["reset"]), ("close after request", ["close"]),
  ])
  func `an answer ends where a rule says`(_ clause: String, _ lines: [String]) throws {
    #expect(try played("*: \(clause)") == lines.map { "0ms \($0)" }.joined(separator: "\n"))
  }

  @Test func `an end before the head comes when the head would`() throws {
    #expect(try played("*: delay 2s, reset") == "2000ms reset")
    #expect(try played("*: delay 2s, reset after commit") == "0ms reset")
    #expect(
      try played("*: delay 2s, close in head") == """
        2000ms head beginning 200 OK | Content-Length: 10
        2000ms close
        """)
  }

  @Test func `the earliest end wins, and the others are told`() throws {
    let answer = try faulted(
      ["*: reset at 50%", "*: close in head", "*: hang after end"], plainAnswer)
    #expect(transcript(answer.script).hasSuffix("0ms close"))
    #expect(
      answer.overruled.map { "\($0.rule) \($0.fault)" } == ["1 reset at 50%", "3 hang after end"])
  }

  @Test(arguments: [
    (["reset at 50%", "close in head"], ["reset at 50% (rule 1)"]),
    (["close in head", "reset at 50%"], ["reset at 50% (rule 2)"]),
    // At one place the last one counts.
    (["reset at 3B", "close at 3B"], ["reset at 3B (rule 1)"]),
    (["reset at 3B", "close at 5B"], []),
    (["close at 5B", "reset at 3B"], ["close at 5B (rule 1)"]),
    // It depends on the size.
    (["reset at 3B", "close at 50%"], []), (["reset at 20%", "close at 50%"], []),
    (["close at 50%", "reset at 20%"], ["close at 50% (rule 1)"]),
    (["hang", "status 503", "reset after end"], ["reset after end (rule 3)"]), (["reset"], []),
  ])
  func `what has no effect is known before the content is`(
    _ clauses: [String], _ expected: [String]
  ) throws {
    let rules = try clauses.map { try Rule(parsing: "*: \($0)".utf8) }
    let encounter = ScenarioSetup(rules: rules, seed: 1).begun(at: 0)
      .foresee(RuleRequest(method: .get, target: [0x2F]), key: 1, now_ns: 0)
    #expect(encounter.overruled.map(\.description) == expected)
  }

  @Test func `an end before the commit uses up nothing`() throws {
    let setup = ScenarioSetup(
      rules: [try Rule(parsing: "*: reset before commit".utf8)], seed: 1)
    let encounter = setup.begun(at: 0)
      .foresee(RuleRequest(method: .get, target: [0x2F]), key: 1, now_ns: 0)
    let answer = encounter.endingBeforeCommit(FaultContext(method: .get, target: [0x2F], date: 0))
    #expect(answer?.script.steps == [Step(.requestEnd, .zero, .reset)])
  }

  @Test(arguments: [
    (Malformation.status, RecordedFraming.length, "Content-Length: 10"),
    (.field, .length, "Content-Length: 10"), (.length, .length, "Content-Length: 10"),
    (.chunk, .chunked, ""),
  ])
  func `what is malformed ends the connection`(
    _ malformation: Malformation, _ framing: RecordedFraming, _ fields: String
  ) throws {
    let script = try faulted(["*: malformed \(malformation.rawValue)"], plainAnswer).script
    #expect(script.framing == framing)
    #expect(script.persistence == .ends)
    let head = fields.isEmpty ? "head 200 OK" : "head 200 OK | \(fields)"
    #expect(
      transcript(script) == """
        0ms malformed \(malformation.rawValue)
        0ms \(head)
        0ms content body 1 at 0..<10
        0ms end
        """)
  }

  @Test func `keep-alive says how long the connection lives`() throws {
    #expect(try faulted(["*: keep-alive off"], plainAnswer).script.persistence == .ends)
    #expect(
      try faulted(["*: keep-alive 3s"], plainAnswer).script.persistence == .idle(.seconds(3)))
    #expect(
      try faulted(["*: keep-alive 2"], plainAnswer, exchange: 1).script.persistence == .asAsked)
    #expect(try faulted(["*: keep-alive 2"], plainAnswer, exchange: 2).script.persistence == .ends)
  }
}
