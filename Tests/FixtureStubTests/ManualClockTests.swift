import Dispatch
import Synchronization
import Testing

@testable import FixtureStub

/// What happened, in order, from any thread.
final class Notes: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

@Suite(.timeLimit(.minutes(2))) struct ManualClocks {
  let clock = FixtureClock.manual
  let notes = Notes()

  private func noteTime(_ what: String) {
    notes.add("\(what) at \(clock.now.offset)")
  }

  @Test func `it stands still until it is advanced`() async {
    #expect(clock.now.offset == .zero)
    await clock.advance(by: .seconds(2))
    #expect(clock.now.offset == .seconds(2))
    await clock.advance(to: FixtureClock.Instant(offset: .seconds(1)))
    #expect(clock.now.offset == .seconds(2))
    await clock.advance(to: FixtureClock.Instant(offset: .seconds(3)))
    #expect(clock.now.offset == .seconds(3))
  }

  @Test func `patience has not ended where something happened before it was noticed`() async {
    let asked = Mutex(0)
    let ending = await clock.wait(patience: .milliseconds(1)) { [clock] in
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      // After the patience, as when this task was kept from running.
      if number == 3 { clock.note() }
      return number > 3
    }
    #expect(ending == .met)
  }

  @Test func `what is due happens in order, each at its own instant`() async {
    for seconds in [3, 1, 2] as [Int64] {
      clock.schedule(at: seconds * 1_000_000_000) { noteTime("due") }
    }
    clock.schedule(at: 1_000_000_000) { noteTime("also due") }
    clock.schedule(at: 2_000_000_001) { noteTime("a nanosecond late") }
    await clock.advance(by: .seconds(2))
    #expect(
      notes.all == [
        "due at 1.0 seconds", "also due at 1.0 seconds", "due at 2.0 seconds",
      ])
    await clock.advance(by: .nanoseconds(1))
    #expect(notes.all.last == "a nanosecond late at 2.000000001 seconds")
    #expect(clock.now.offset == .seconds(2) + .nanoseconds(1))
  }

  @Test func `what begins on the way and is due within it happens as well`() async {
    let queue = DispatchQueue(label: "work")
    @Sendable func step(_ number: Int) {
      noteTime("step \(number)")
      if number < 3 {
        clock.schedule(at: clock.now_ns + 1_000_000_000, on: queue) { step(number + 1) }
      }
    }
    clock.schedule(at: 1_000_000_000, on: queue) { step(1) }
    clock.schedule(at: 2_500_000_000) { noteTime("between") }
    await clock.advance(by: .seconds(3))
    #expect(
      notes.all == [
        "step 1 at 1.0 seconds", "step 2 at 2.0 seconds", "between at 2.5 seconds",
        "step 3 at 3.0 seconds",
      ])
  }

  @Test func `what is cancelled does not happen`() async {
    let token = clock.schedule(at: 1) { noteTime("cancelled") }
    #expect(clock.cancel(token))
    #expect(!clock.cancel(token))
    await clock.advance(by: .seconds(1))
    #expect(notes.all == [])
  }

  @Test func `what is due already happens at once`() async {
    await clock.advance(by: .seconds(1))
    await withCheckedContinuation { continuation in
      clock.schedule(at: 1_000_000_000) { continuation.resume() }
    }
  }

  @Test func `a task that sleeps goes on at its deadline, not a nanosecond before`() async throws {
    let task = Task {
      try await clock.sleep(for: .seconds(60))
      noteTime("woken")
    }
    try await clock.waitForSleepers()
    await clock.advance(by: .seconds(60) - .nanoseconds(1))
    #expect(clock.sleepers == 1)
    await clock.advance(by: .nanoseconds(1))
    #expect(clock.sleepers == 0)
    try await task.value
    #expect(notes.all == ["woken at 60.0 seconds"])
  }

  @Test func `a task that sleeps again and again is through after the sum`() async throws {
    let task = Task {
      for round in 1...3 {
        try await Task.sleep(for: .seconds(1), clock: clock)
        noteTime("round \(round)")
      }
    }
    // Each step by itself: it does not depend on how fast the machine is.
    for _ in 1...3 {
      try await clock.waitForSleepers()
      await clock.advance(by: .seconds(1))
    }
    try await task.value
    #expect(
      notes.all == ["round 1 at 1.0 seconds", "round 2 at 2.0 seconds", "round 3 at 3.0 seconds"])
  }

  @Test func `sleeps end in the order of their deadlines`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seconds in [4, 2, 3, 1] {
        group.addTask {
          try await clock.sleep(for: .seconds(seconds))
          noteTime("\(seconds)")
        }
      }
      try await clock.waitForSleepers(4)
      for _ in 1...4 { await clock.advance(by: .seconds(1)) }
      try await group.waitForAll()
    }
    #expect(
      notes.all == [
        "1 at 1.0 seconds", "2 at 2.0 seconds", "3 at 3.0 seconds", "4 at 4.0 seconds",
      ])
  }

  @Test func `a cancelled sleep ends at once`() async throws {
    let task = Task { try await clock.sleep(for: .seconds(60)) }
    try await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleepers == 0)
    await clock.advance(by: .seconds(60))
  }

  @Test func `a sleep of a task that is cancelled already does not begin`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(60))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a sleep until an instant that is past returns`() async throws {
    await clock.advance(by: .seconds(1))
    try await clock.sleep(until: FixtureClock.Instant(offset: .seconds(1)))
    try await clock.sleep(for: .zero)
    try await clock.sleep(for: .seconds(-1))
    #expect(clock.now.offset == .seconds(1))
  }

  @Test func `a wait for sleepers ends when it is cancelled`() async {
    let task = Task { try await clock.waitForSleepers() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `it advances until a condition is met, and no further`() async {
    let queue = DispatchQueue(label: "work")
    for seconds in 1...5 as ClosedRange<Int64> {
      clock.schedule(at: seconds * 1_000_000_000, on: queue) {
        notes.add("\(seconds)")
        clock.note()
      }
    }
    let met = await clock.wait(advancing: .seconds(10), patience: .seconds(60)) {
      notes.all.count >= 3
    }
    #expect(met == .met)
    #expect(clock.now.offset == .seconds(3))
    let unmet = await clock.wait(advancing: .seconds(1), patience: .milliseconds(1)) {
      notes.all.count >= 5
    }
    #expect(unmet == .patienceEnded)
    #expect(notes.all == ["1", "2", "3", "4"])
    #expect(clock.now.offset == .seconds(4))
  }

  @Test func `a wait for a condition ends when it is cancelled`() async {
    let task = Task { await clock.wait(patience: .seconds(600)) { false } }
    task.cancel()
    #expect(await task.value == .cancelled)
  }

  @Test func `a client that retries is seen through its waits`() async {
    // Each attempt is told to the clock, as those of a session are.
    let client = Task {
      for attempt in 1...4 {
        notes.add("attempt \(attempt) at \(clock.now.offset)")
        clock.note()
        try await clock.sleep(for: .seconds(2))
      }
    }
    let ending = await clock.wait(advancing: .seconds(6), patience: .seconds(60)) {
      notes.all.count >= 4
    }
    #expect(ending == .met)
    #expect(notes.all.last == "attempt 4 at 6.0 seconds")
    client.cancel()
  }
}
