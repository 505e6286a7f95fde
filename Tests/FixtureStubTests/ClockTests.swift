import Dispatch
import Testing

@testable import FixtureStub

@Suite(.timeLimit(.minutes(2))) struct ImmediateClocks {
  let clock = FixtureClock.immediate

  @Test func `a sleep ends at once and leaves the clock at its deadline`() async throws {
    let began = ContinuousClock.now
    try await clock.sleep(for: .seconds(3600))
    #expect(clock.now.offset == .seconds(3600))
    try await clock.sleep(until: FixtureClock.Instant(offset: .seconds(10)))
    #expect(clock.now.offset == .seconds(3600))
    #expect(began.duration(to: .now) < .seconds(60))
  }

  @Test func `a sleep of a cancelled task throws`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(60))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.now.offset == .zero)
  }

  @Test func `each exchange has its own time`() async {
    let (first, second) = (FixtureTimeline(clock), FixtureTimeline(clock))
    await reach(5, on: first)
    #expect(first.now_ns == 5)
    #expect(second.now_ns == 0)
    await reach(3, on: second)
    #expect(second.now_ns == 3)
    #expect(clock.now_ns == 5)
    #expect(FixtureTimeline(clock).now_ns == 5)
  }

  @Test func `the time of an exchange never goes back`() async {
    let timeline = FixtureTimeline(clock)
    await reach(5, on: timeline)
    await reach(3, on: timeline)
    #expect(timeline.now_ns == 5)
  }

  private func reach(_ deadline_ns: Int64, on timeline: FixtureTimeline) async {
    await withCheckedContinuation { continuation in
      timeline.wait(until: deadline_ns) { continuation.resume() }
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct Timelines {
  @Test func `a wait takes the place of the one before`() async {
    let clock = FixtureClock.manual
    let timeline = FixtureTimeline(clock)
    let notes = Notes()
    timeline.wait(until: 1) { notes.add("first") }
    timeline.wait(until: 2) { notes.add("second") }
    await clock.advance(by: .nanoseconds(5))
    #expect(notes.all == ["second"])
    timeline.wait(until: 9) { notes.add("third") }
    timeline.cancel()
    await clock.advance(by: .nanoseconds(5))
    #expect(notes.all == ["second"])
    #expect(timeline.now_ns == 10)
  }

  @Test func `a wait that was cancelled on its queue is not performed there`() async {
    let clock = FixtureClock.manual
    let timeline = FixtureTimeline(clock)
    let notes = Notes()
    let queue = DispatchQueue(label: "work")
    // What is set off stands behind what cancels it.
    queue.suspend()
    queue.async { timeline.cancel() }
    timeline.wait(until: 1, on: queue) { notes.add("performed") }
    let advance = Task { await clock.advance(by: .nanoseconds(1)) }
    while clock.now_ns == 0 { await Task.yield() }
    queue.resume()
    await advance.value
    #expect(notes.all == [])
  }
}

@Suite(.timeLimit(.minutes(2))) struct RealClocks {
  let clock = FixtureClock.real

  @Test func `a sleep takes as long as it says, and the clock agrees`() async throws {
    let began = clock.now
    try await clock.sleep(for: .milliseconds(30))
    #expect(began.duration(to: clock.now) >= .milliseconds(30))
  }

  @Test func `a cancelled sleep ends at once`() async throws {
    let task = Task { try await clock.sleep(for: .seconds(3600)) }
    try await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `an earlier deadline is kept though a later one was there first`() async throws {
    let late = Task { try await clock.sleep(for: .seconds(3600)) }
    try await clock.waitForSleepers()
    try await clock.sleep(for: .milliseconds(1))
    #expect(clock.sleepers == 1)
    late.cancel()
  }

  @Test func `ten thousand sleeps end, none early`() async throws {
    let clock = clock
    let early = Notes()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<10_000 {
        group.addTask {
          let deadline = clock.now.advanced(by: .microseconds(index * 37 % 100_000))
          try await clock.sleep(until: deadline)
          if clock.now < deadline { early.add("early") }
        }
      }
      try await group.waitForAll()
    }
    #expect(early.all == [])
    #expect(clock.sleepers == 0)
  }

  @Test func `a deadline at the end of time is no deadline`() async throws {
    let token = clock.schedule(at: .max) {}
    try await clock.sleep(for: .milliseconds(1))
    #expect(clock.cancel(token))
  }

  @Test func `time can be waited for without being advanced`() async {
    let notes = Notes()
    clock.schedule(at: 5_000_000) { [clock] in
      notes.add("due")
      clock.note()
    }
    let ending = await clock.wait(advancing: .seconds(1), patience: .seconds(60)) {
      notes.all == ["due"]
    }
    #expect(ending == .met)
  }
}
