import FixtureHTTP
import FixtureReplay
import Testing

@testable import FixtureServing

@Suite struct JournalBlockTests {
  private let head = RequestHead(method: .get, target: Array("/".utf8))

  private func text(_ block: JournalBlock) -> String {
    String(decoding: block.text, as: UTF8.self)
  }

  @Test func `plain exchanges are a row of ten numbers each`() {
    let asked = AskedHead(head, .interaction(1, ordinal: 1, count: 1))
    let answered = AnsweredHead(
      ResponseHead(status: 200, reason: [], fields: FieldSection()), byteCount: 140)
    var block = JournalBlock()
    for at_ns: Int64 in [5_012_999, 1_234_567_890_000, -8000] {
      block.append(
        PlainExchange(
          asked, answered, connection: 2, ordinal: 30, at_ns: at_ns, at_us: 0,
          bodyBytesSent: 1024), 4, 50, 60, began_ns: 0)
    }
    #expect(block.count == 3)
    #expect(
      text(block)
        == "[[0,2,30,0,4,50,60,5012,140,1024],[0,2,30,0,4,50,60,1234567890,140,1024],"
        + "[0,2,30,0,4,50,60,-8,140,1024]]")
  }

  @Test func `the longest numbers have room`() {
    let answered = AnsweredHead(
      ResponseHead(status: 200, reason: [], fields: FieldSection()), byteCount: .min)
    var block = JournalBlock()
    block.append(
      PlainExchange(
        AskedHead(head, .none), answered, connection: .min, ordinal: .min, at_ns: .min, at_us: 0,
        bodyBytesSent: .min), .min, .min, .min, began_ns: 0)
    #expect(text(block).hasPrefix("[[0,-9223372036854775808,-9223372036854775808,0,"))
  }

  @Test func `any other exchange has all of it`() throws {
    var entry = JournalEntry(
      .init(head, connection: 1, received_ns: 10_000, receivedAt_us: 0), number: 9, concurrent: 3)
    entry.source = .rules
    let setup = ScenarioSetup(rules: [try Rule(parsing: "*: chance 50%, reset".utf8)], seed: 7)
    entry.ruling = Ruling(
      setup.ruleSet(2), rules: [1], overruled: ["hang \"x\" (rule 1)"],
      draws: [Draw(rule: 1, .chance(.percent(50), drawn: .percent(12)))])
    entry.head = .init(due_ns: 12_000, done_ns: 15_000)
    entry.last = .init(due_ns: 9000, done_ns: 16_000)
    entry.end(.reset, at: 20_000)
    var block = JournalBlock()
    block.append(
      entry, .init(request: 4, source: 5, response: nil), began_ns: 1000, digest: nil,
      redacted: { $0.uppercased() })
    let digits = #"[[9,1,1,3,4,5,"",9,0,0,"",2,5,-1,6,10,"reset",0,null,null,0,2,"1","#
    let words =
      #""HANG \"X\" (RULE 1)",[{"rule":1,"clause":"chance 50%","drawn":"12%","holds":true}]]]"#
    #expect(text(block) == digits + words)
  }

  @Test func `a block is full after some hundred exchanges`() {
    let asked = AskedHead(head, .none)
    let answered = AnsweredHead(
      ResponseHead(status: 200, reason: [], fields: FieldSection()), byteCount: 140)
    var block = JournalBlock()
    while !block.isFull {
      block.append(
        PlainExchange(
          asked, answered, connection: 1, ordinal: 1, at_ns: 0, at_us: 0, bodyBytesSent: 0),
        1, 1, 1, began_ns: 0)
    }
    #expect((500...2000).contains(block.count))
  }
}
