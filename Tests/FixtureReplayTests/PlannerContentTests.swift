import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct PlannerContentTests {
  static let post = request(.post, "/orders")
  static let expecting = request(.post, "/orders", section(("Expect", "100-continue")))

  @Test func `content chooses among recordings of one target, each with its own place`() {
    var replay = Replay([
      recording(1, Self.post, sent: body(1, "a")), recording(2, Self.post, sent: body(2, "b")),
      recording(3, Self.post, sent: body(1, "a")), recording(4, Self.post),
    ])
    #expect(replay.outcome(Self.post, content("b")) == "2, 1 of 1")
    #expect(replay.outcome(Self.post, content("a")) == "1, 1 of 2")
    #expect(replay.outcome(Self.post, content("b")) == "2, 1 of 1")
    #expect(replay.outcome(Self.post, content("a")) == "3, 2 of 2")
    #expect(replay.outcome(Self.post) == "4, 1 of 1")
    #expect(replay.outcome(Self.post, content("c")) == "differs")
  }

  @Test func `equal content of another size does not match`() {
    var replay = Replay([recording(1, Self.post, sent: body(1, "a"))])
    #expect(
      replay.outcome(Self.post, .known(size: 2, digest: SHA256.digest(of: [0x61]))) == "differs")
  }

  @Test func `empty content and none are the same`() {
    var replay = Replay([
      recording(1, Self.post, sent: body(1, "")), recording(2, Self.post),
    ])
    #expect(replay.outcome(Self.post) == "1, 1 of 2")
    #expect(replay.outcome(Self.post, content("")) == "2, 2 of 2")
  }

  @Test func `content that was not read yet is needed unless there is nothing to choose`() {
    var replay = Replay([recording(1, Self.post, sent: body(1, "a"))])
    #expect(replay.outcome(Self.post, .pending(expectsContinue: false)) == "needs content")
    #expect(replay.outcome(Self.expecting, .pending(expectsContinue: true)) == "needs content")
    // To say what differs; who waits for leave to send it gets the answer at once.
    let other = request(.post, "/b")
    #expect(replay.outcome(other, .pending(expectsContinue: false)) == "needs content")
    #expect(replay.outcome(other, .pending(expectsContinue: true)) == "not-recorded")
    #expect(replay.session.summary == .init(misses: 1, distinctMisses: 1))
    var empty = Replay([])
    #expect(empty.outcome(other, .pending(expectsContinue: false)) == "not-recorded")
  }

  static let refused = RecordedResponse(head: head(417, "Expectation Failed"), framing: .length)

  @Test func `an answer before the content needs none when all recordings are like that`() {
    var replay = Replay([
      recording(1, Self.expecting, Self.refused), recording(2, Self.expecting, Self.refused),
    ])
    #expect(replay.outcome(Self.expecting, .pending(expectsContinue: true)) == "1, 1 of 2")
    #expect(replay.outcome(Self.expecting, .pending(expectsContinue: true)) == "2, 2 of 2")
    // This client sends its content whatever it is told: a 417 was never recorded for that.
    #expect(replay.outcome(Self.post, .pending(expectsContinue: false)) == "needs content")
    #expect(replay.outcome(Self.post, content("a")) == "differs")
  }

  @Test func `refused first, then sent without asking`() {
    var replay = Replay(
      [
        recording(1, Self.expecting, Self.refused),
        recording(2, Self.post, sent: body(1, "a")),
      ], exhausted: .miss)
    #expect(replay.outcome(Self.expecting, .pending(expectsContinue: true)) == "needs content")
    #expect(replay.outcome(Self.expecting, content("a")) == "1, 1 of 2")
    #expect(replay.outcome(Self.post, content("a")) == "2, 1 of 1")
  }

  @Test func `an answer that came while content was being sent is for any content`() {
    var replay = Replay([
      recording(1, Self.post, sent: body(1, "the begin"), notes: [.requestCut]),
      recording(2, Self.post, sent: body(2, "a")),
    ])
    #expect(replay.outcome(Self.post, .pending(expectsContinue: false)) == "needs content")
    #expect(replay.outcome(Self.post, content("the beginning and the end")) == "1, 1 of 1")
    #expect(replay.outcome(Self.post, content("a")) == "1, 1 of 2")
    #expect(replay.outcome(Self.post, content("a")) == "2, 2 of 2")
    // It was about a request with content.
    #expect(replay.outcome(Self.post) == "differs")
  }

  @Test func `content that could not be stored is named`() {
    var replay = Replay([recording(5, Self.post, notes: [.contentOmitted])])
    #expect(replay.outcome(Self.post, content("a")) == "content-omitted")
  }
}
