import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

/// Every fault with every other on every small answer: what holds for all of them.
@Suite struct FaultPairTests {
  static let clauses = [
    "delay 1s", "pause 1s", "trickle 3B/1s", "trickle 3 pieces over 1s", "rate 5B/s",
    "rate 5B/s shared", "stall 1s at 50%", "stall 1s in head", "stall 1s before head",
    "stall 1s after end", "hang", "hang at 3B", "hang in head", "hang after end", "hold door",
    "status 503", "retry-after 1s", "body \"text\"", "body size 7B", "set A 1", "remove ETag",
    "json /a 1", "age 1s", "expires 1s", "redirect /b", "challenge basic", "corrupt json",
    "corrupt utf8", "corrupt gzip", "reset", "reset at 50%", "reset in head", "reset after end",
    "close before request", "close after commit", "truncate at 3B", "malformed status",
    "malformed chunk", "malformed length", "keep-alive off", "early 413", "quota 1/1s",
  ]

  static let scripts: [Script] = [
    plainAnswer, chunkedAnswer, answer(framing: .length),
    answer(framing: .untilClose, .generated([0x61])),
    answer(
      framing: .untilClose, .content(BodySlice(body: 1, range: 0..<1)),
      .content(BodySlice(body: 1, range: 1..<9))),
    Script(
      steps: [
        Step(.requestEnd, .milliseconds(5), .interim(head(103, "Early Hints"))),
        Step(.requestEnd, .milliseconds(9), .head(head(200, "OK"))),
        Step(.previous, .zero, .content(BodySlice(body: 2, range: 0..<5))),
        Step(.previous, .milliseconds(7), .reset),
      ], framing: .chunked, interaction: 2),
    Script(
      steps: [Step(.requestEnd, .zero, .head(head(304, ""))), Step(.previous, .zero, .end)],
      framing: .none, interaction: 3),
    Script(steps: [Step(.requestEnd, .zero, .wait(Gate("x")))], framing: .none, interaction: 4),
  ]

  @Test(arguments: scripts.indices)
  func `two faults keep what every answer keeps`(_ index: Int) throws {
    let script = Self.scripts[index]
    for first in Self.clauses {
      for second in Self.clauses {
        let lines = ["*: \(first)", "*: \(second)"]
        let answer = try faulted(lines, script, content: "{}").script
        #expect(Self.objection(to: answer) == nil, "\(first), \(second)\n\(answer)")
        #expect(try faulted(lines, script, content: "{}").script == answer)
      }
    }
  }

  /// What is wrong with an answer: it plays to an end, once, in order of time, its content in
  /// order, and nothing follows a connection that is gone.
  private static func objection(to script: Script) -> String? {
    guard script.steps.allSatisfy({ $0.offset >= .zero }) else { return "a negative offset" }
    var playhead = Playhead(script: script, accepted_ns: 0, requestHead_ns: 0, requestEnd_ns: 0)
    var now_ns: Int64 = 0
    var heads = 0
    var endings = 0
    var position: Int64 = -1
    for _ in 0..<500 {
      switch playhead.next(at: now_ns) {
      case .perform(let action):
        switch action {
        case .head, .headBeginning: heads += 1
        case .content(let slice):
          guard heads == 1, slice.range.lowerBound >= position else { return "out of order" }
          position = slice.range.upperBound
        case .generated: guard heads == 1 else { return "content without a head" }
        case .end, .close, .reset: endings += 1
        case .interim, .headRest, .malform, .trailers: break
        case .wait, .raw, .paced, .send: return "performs what is to be waited for"
        }
      case .waitUntil(let due_ns):
        guard due_ns > now_ns else { return "waits for the past" }
        now_ns = due_ns
      case .waitForGrant(let link, let count): playhead.grant(min(2, count), on: link)
      case .waitFor(Gate("door")): playhead.open(Gate("door"), at: now_ns)
      case .waitFor: return endings <= 1 ? nil : "waits after two endings"
      case .waitForRequestEnd: return "waits for a request that has ended"
      case .finished:
        // An end may be followed by that of the connection.
        let afterEnd = script.steps.suffix(2).first?.action == .end
        return endings == (afterEnd ? 2 : 1) && heads <= 1 ? nil : "\(endings) endings"
      }
    }
    return "does not end"
  }
}
