import FixtureCassette
import FixtureHTTP
import Testing

@testable import FixtureReplay

/// What is planned, for people to look at.
@Suite struct PlannedStepTests {
  private let head = Action.head(ResponseHead(status: 200, reason: Array("OK".utf8)))

  private func content(_ range: Range<Int64>) -> Action {
    .content(BodySlice(body: 1, range: range))
  }

  /// `2 ms until 3 ms: what`, with the request's head at 0.
  private func lines(_ steps: [Step], requestEnd_ns: Int64? = 1_000_000) -> [String] {
    PlannedStep.all(of: steps, requestHead_ns: 0, requestEnd_ns: requestEnd_ns).map { step in
      let instants = [step.due_ns, step.until_ns].map { at in
        at.map { PrintableText.milliseconds(ns: $0) } ?? "?"
      }
      return "\(instants[0]) until \(instants[1]): \(step.text)"
    }
  }

  @Test func `instants add up, and pieces of content are one step`() {
    #expect(
      lines([
        Step(.requestHead, .milliseconds(3), .interim(ResponseHead(status: 103, reason: []))),
        Step(.requestEnd, .milliseconds(1), head),
        Step(.previous, .milliseconds(7), content(0..<10)),
        Step(.previous, .milliseconds(5), content(10..<25)),
        Step(.previous, .zero, .end),
      ]) == [
        "3ms until 3ms: interim 103", "3ms until 3ms: head 200",
        "10ms until 15ms: content of 25 bytes in 2 pieces",
      ])
    #expect(
      lines([
        Step(.requestEnd, .zero, content(0..<10)), Step(.previous, .zero, .wait(Gate("door"))),
        Step(.previous, .zero, content(10..<15)), Step(.previous, .zero, content(15..<25)),
        Step(.previous, .zero, .close),
      ]).map { String($0.drop { $0 != ":" }) } == [
        ": content of 10 bytes", ": wait for door", ": content of 15 bytes in 2 pieces", ": close",
      ])
  }

  @Test func `nothing is known of what a gate, a link or the request holds up`() {
    let payload = Payload.stored(BodySlice(body: 1, range: 0..<1000))
    let link = Link("a", ByteRate(bytesPerSecond: 1000))
    #expect(
      lines([
        Step(.requestEnd, .zero, head), Step(.previous, .zero, .wait(Gate("door"))),
        Step(.previous, .milliseconds(5), content(0..<10)), Step(.requestEnd, .zero, .close),
      ]) == [
        "1ms until 1ms: head 200", "1ms until ?: wait for door",
        "? until ?: content of 10 bytes", "? until ?: close",
      ])
    #expect(
      lines([Step(.requestEnd, .zero, .send(payload, via: link)), Step(.previous, .zero, .reset)])
        == ["1ms until ?: content of 1000 bytes, 1KB/s shared", "? until ?: reset"])
    #expect(
      lines([Step(.requestEnd, .zero, head)], requestEnd_ns: nil) == ["? until ?: head 200"])
  }

  @Test func `content with a pace of its own lasts until its last piece`() {
    let payload = Payload.stored(BodySlice(body: 1, range: 0..<1000))
    func lines(_ flow: Flow) -> [String] {
      self.lines([Step(.requestEnd, .zero, .paced(payload, flow)), Step(.previous, .zero, .close)])
    }
    #expect(
      lines(Flow(.rate(ByteRate(bytesPerSecond: 1000))))
        == ["1ms until 1001ms: content of 1000 bytes, 1KB/s", "1001ms until 1001ms: close"])
    #expect(
      lines(Flow(.trickle(ByteCount(bytes: 100), every: .milliseconds(50))))[0]
        == "1ms until 451ms: content of 1000 bytes, 100B/50ms")
    // The second half of a whole that comes in two seconds.
    #expect(
      lines(Flow(.rate(ByteRate(bytesPerSecond: 1000)), start: 1000))[0].hasPrefix(
        "1ms until 1001ms: "))
  }

  @Test func `a long plan is summed up`() {
    let steps = (0..<100).map {
      Step(.previous, .milliseconds(1), .interim(ResponseHead(status: 100 + $0 % 2, reason: [])))
    }
    let lines = lines(steps)
    #expect(lines.count == 33)
    #expect(lines.last == "33ms until 100ms: 68 more steps")
  }
}
