import FixtureCassette
import FixtureExchange
import FixtureHTTP
import FixtureHTTP1
import FixtureReplay
import Testing

/// Every small answer under every fault and every pair of them, as bytes, read back by a client of
/// RFC 9112: time never runs backwards, an answer ends once, and it is whole for its reader exactly
/// when all of it was sent, unless a rule breaks the framing on purpose.
@Suite struct FaultedAnswersTests {
  static let clauses = [
    "delay 1s", "pause 1s", "trickle 2B/1s", "trickle 2 pieces over 1s", "rate 3B/s",
    "rate 3B/s shared", "stall 1s at 50%", "stall 1s in head", "stall 1s after end", "hang",
    "hang at 2B", "hold door", "status 503", "redirect /b", "body \"text\"", "body \"\"",
    "json /a 1", "set A 1", "corrupt json", "corrupt utf8", "corrupt gzip", "reset",
    "reset in head", "reset at 50%", "reset after end", "close before request", "close in head",
    "close before end", "truncate at 2B", "malformed status", "malformed field",
    "malformed chunk", "malformed length", "keep-alive off", "early 413",
  ]

  /// Answers of up to two pieces in each framing, complete and not.
  static let answers: [Script] = RecordedFraming.allCases.flatMap { framing in
    [[], [1], [2, 3]].flatMap { (pieces: [Int64]) in
      [Action.end, .reset].compactMap { ending in
        if framing == .none, !pieces.isEmpty { return nil }
        return answer(framing, pieces, ending)
      }
    }
  }

  private static func answer(
    _ framing: RecordedFraming, _ pieces: [Int64], _ ending: Action
  ) -> Script {
    var fields = FieldSection()
    if framing == .length { fields.append("Content-Length", "\(pieces.reduce(0, +))") }
    let head = ResponseHead(status: 200, reason: Array("OK".utf8), fields: fields)
    var steps = [
      Step(.requestEnd, .zero, .interim(ResponseHead(status: 103, reason: [], fields: .init()))),
      Step(.requestEnd, .milliseconds(5), .head(head)),
    ]
    var position: Int64 = 0
    for count in pieces {
      steps.append(
        Step(.previous, .milliseconds(7), .content(slice(position..<(position + count)))))
      position += count
    }
    if framing == .chunked {
      var trailers = FieldSection()
      trailers.append("T", "1")
      steps.append(Step(.previous, .zero, .trailers(trailers)))
    }
    steps.append(Step(.previous, .milliseconds(9), ending))
    return Script(steps: steps, framing: framing, interaction: 1)
  }

  @Test(arguments: answers.indices)
  func `a client reads what was sent, and knows whether that is all`(_ index: Int) throws {
    for first in Self.clauses.indices {
      for second in first..<Self.clauses.count {
        let rules = [Self.clauses[first], Self.clauses[second]]
        let script = try faulted(rules, Self.answers[index])
        let objection = objection(to: script)
        #expect(objection == nil, "\(rules)\n\(Self.answers[index])\n\(script)")
      }
    }
  }

  private func faulted(_ clauses: [String], _ script: Script) throws -> Script {
    let rules = try clauses.map { try Rule(parsing: "*: \($0)".utf8) }
    let encounter = ScenarioSetup(rules: rules, seed: 1).begun(at: 0)
      .foresee(RuleRequest(method: .get, target: [0x2F]), key: 1, now_ns: 0)
    let context = FaultContext(
      method: .get, target: [0x2F], date: 0, content: Array("{}".utf8))
    if let answer = encounter.endingBeforeCommit(context) { return answer.script }
    return encounter.isMade
      ? encounter.making(context).script : encounter.changing(script, context).script
  }

  /// What was performed of an answer.
  private struct Performance {
    var bytes: [UInt8] = []
    var contentCount: Int64 = 0
    var ending: WireSink.Ending?
    var breaksFraming = false
    /// It waits for its client to leave.
    var hangs = false
  }

  /// What is wrong; nil when nothing is.
  private func objection(to script: Script) -> String? {
    var playhead = Playhead(script: script, accepted_ns: 0, requestHead_ns: 0, requestEnd_ns: 0)
    var sink = WireSink(
      client: Self.client, framing: script.framing, keepsAlive: script.persistence != .ends)
    var performance = Performance()
    var now_ns: Int64 = 0
    for _ in 0..<200 {
      switch playhead.next(at: now_ns) {
      case .perform(let action):
        if case .complete? = performance.ending, !action.isConnectionEnd {
          return "\(action) after the end"
        }
        perform(action, &sink, &performance)
      case .waitUntil(let due_ns):
        guard due_ns > now_ns else { return "waits for the past" }
        now_ns = due_ns
      case .waitForGrant(let link, let count): playhead.grant(min(2, count), on: link)
      case .waitFor(Gate("door")): playhead.open(Gate("door"), at: now_ns)
      case .waitFor:
        performance.hangs = true
        return objection(to: performance)
      case .waitForRequestEnd: return "waits for a request that has ended"
      case .finished: return objection(to: performance)
      }
    }
    return "does not end"
  }

  private static let client = ClientFacts(
    RequestHead(method: .get, target: [0x2F], version: .http11))

  private func perform(
    _ action: Action, _ sink: inout WireSink, _ performance: inout Performance
  ) {
    var output = OutputQueue()
    let ending = sink.perform(action, output: &output)
    if let ending { performance.ending = ending }
    switch action {
    case .malform: performance.breaksFraming = true
    case .content(let slice): performance.contentCount += slice.count
    case .generated(let bytes): performance.contentCount += Int64(bytes.count)
    default: break
    }
    while let front = output.front {
      switch front {
      case .bytes(let bytes): performance.bytes += bytes
      case .body(let slice):
        performance.bytes += [UInt8](repeating: 0x78, count: Int(slice.count))
      }
      output.advance(by: front.count)
    }
  }

  private func objection(to performance: Performance) -> String? {
    let keepsAlive = performance.ending == .complete(keepsAlive: true)
    if performance.breaksFraming {
      return keepsAlive ? "a connection is kept behind what is malformed" : nil
    }
    guard performance.ending != nil || performance.hangs else { return "no ending" }
    let read: (content: Int64, isWhole: Bool, isAll: Bool)
    do {
      read = try self.read(performance.bytes)
    } catch {
      return "the client understands no answer: \(error)"
    }
    guard read.content == performance.contentCount else {
      return "\(read.content) bytes read of \(performance.contentCount)"
    }
    if keepsAlive, !(read.isWhole && read.isAll) { return "kept, and not whole" }
    if case .complete? = performance.ending, !read.isWhole, keepsAlive { return "ends, not whole" }
    return read.isAll ? nil : "bytes behind the end"
  }

  private func read(_ bytes: [UInt8]) throws -> (content: Int64, isWhole: Bool, isAll: Bool) {
    var parser = ResponseParser()
    parser.begin(answering: .get)
    var content: Int64 = 0
    var position = 0
    while true {
      let (event, consumed) = try bytes[position...].withUnsafeBytes { try parser.parse($0) }
      position += consumed
      switch event {
      case .head, .interim: break
      case .content(let range): content += Int64(range.count)
      case .end: return (content, true, position == bytes.count)
      case .needMore: return (content, false, true)
      }
    }
  }
}

extension Action {
  fileprivate var isConnectionEnd: Bool {
    switch self {
    case .close, .reset: true
    default: false
    }
  }
}
