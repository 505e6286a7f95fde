import Testing

@testable import FixtureSetup
@testable import FixtureStub

@Suite(.timeLimit(.minutes(2))) struct Gates {
  let gate = FixtureGate("answer")
  let notes = Notes()

  @Test func `plays wait until it is released, and go on in their order`() async throws {
    for number in 1...3 { _ = gate.enter { notes.add("play \(number)") } }
    try await gate.waitUntilEntered(3)
    #expect(gate.waiting == 3)
    #expect(notes.all == [])
    gate.release()
    #expect(notes.all == ["play 1", "play 2", "play 3"])
    #expect(gate.waiting == 0)
  }

  @Test func `who comes after the release passes, and has entered`() async throws {
    gate.release()
    _ = gate.enter { notes.add("passed") }
    #expect(notes.all == ["passed"])
    try await gate.waitUntilEntered()
    #expect(gate.isReleased)
  }

  @Test func `it can be released twice`() {
    _ = gate.enter { notes.add("once") }
    gate.release()
    gate.release()
    #expect(notes.all == ["once"])
  }

  @Test func `a test waits until a play comes`() async throws {
    let waiting = Task { try await gate.waitUntilEntered() }
    await Task.yield()
    _ = gate.enter {}
    try await waiting.value
  }

  @Test func `who leaves is not told`() {
    let token = gate.enter { notes.add("left") }
    _ = gate.enter { notes.add("stayed") }
    gate.leave(token)
    gate.release()
    gate.leave(token)
    #expect(notes.all == ["stayed"])
    #expect(gate.entered == 2)
  }

  @Test func `a wait for plays ends when it is cancelled`() async {
    let waiting = Task { try await gate.waitUntilEntered() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(gate.entered == 0)
  }
}
