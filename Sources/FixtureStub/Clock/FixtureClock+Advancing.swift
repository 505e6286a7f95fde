import Dispatch
import FixtureReplay

extension FixtureClock {
  /// Lets so much time pass on a manual clock.
  ///
  /// Whatever becomes due meanwhile happens in the order of its deadlines, at the instant of each,
  /// also what only begins meanwhile: a task that sleeps 1 s three times in a row is through after
  /// 3 s. Between two deadlines, answers are sent as far as they go, and tasks that were woken get
  /// the time to come to their next wait. How long they need for that nobody can know: a test that
  /// depends on it waits for what it expects, with `waitForSleepers(_:)` or
  /// `Fixture.waitForExchanges(_:advancing:)`.
  ///
  /// - Parameter duration: not negative.
  /// - Precondition: the clock is manual.
  public func advance(by duration: Duration) async {
    precondition(kind == .manual, "only a manual clock can be advanced: make it with .manual")
    precondition(duration >= .zero, "time was to pass by \(duration)")
    let target_ns = target_ns(duration)
    await settle()
    while let wake = take(dueBy: target_ns) {
      set(off: wake)
      await settle()
    }
    state.change { $0.now_ns = max($0.now_ns, target_ns) }
  }

  /// As `advance(by:)`, to an instant; does nothing when it is past.
  public func advance(to instant: Instant) async {
    await advance(by: max(.zero, now.duration(to: instant)))
  }

  /// Waits until so many tasks sleep on this clock.
  /// - Throws: `CancellationError`, when the task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async throws {
    guard await state.wait(until: { $0.sleepers >= count }) == .met else {
      throw CancellationError()
    }
  }

  /// How a wait for something ended.
  enum Wait: Equatable, Sendable {
    case met
    /// Nothing happened for so long.
    case patienceEnded
    case cancelled
  }

  /// Waits until a condition is met, and lets up to `duration` pass on a manual clock meanwhile:
  /// from deadline to deadline, so that it stands where the condition was met.
  ///
  /// - Parameters:
  ///   - duration: nil or zero: no time passes on a manual clock. On others it passes by itself.
  ///   - patience: how much real time may go by without anything that this clock is told of.
  ///   - isMet: asked after everything that this clock is told of.
  func wait(
    advancing duration: Duration? = nil, patience: Duration,
    until isMet: @escaping @Sendable () -> Bool
  ) async -> Wait {
    let target_ns = target_ns(duration ?? .zero)
    while true {
      let seen = state.read(\.events)
      if isMet() { return .met }
      if kind == .manual {
        await settle()
        if isMet() { return .met }
        if let wake = take(dueBy: target_ns) {
          set(off: wake)
          await settle()
          continue
        }
      }
      switch await state.wait(patience: patience, until: { $0.events != seen }) {
      case .met: continue
      case .patienceEnded:
        if isMet() { return .met }
        // On a machine that kept tasks waiting, more may have happened before this one went on.
        if state.read({ $0.events == seen }) { return .patienceEnded }
      case .cancelled: return .cancelled
      }
    }
  }

  private func target_ns(_ duration: Duration) -> Int64 {
    let (sum, overflow) = now_ns.addingReportingOverflow(duration.saturatedNanoseconds)
    return overflow ? .max : sum
  }

  /// How often those who were woken may lead to something new before the clock goes on regardless.
  private static let settlingRoundsMax = 64

  /// Waits until what was set off is done, and gives others time to react to it.
  private func settle() async {
    for _ in 0..<Self.settlingRoundsMax {
      await state.waitRegardless { $0.working == 0 }
      let (events, wasTold) = state.change { state in
        defer { state.clientWasTold = false }
        return (state.events, state.clientWasTold)
      }
      // The client is told through queues of its session.
      if wasTold { await realPause() }
      for _ in 0..<10 {
        await Task.detached(priority: .background) { await Task.yield() }.value
      }
      let isQuiet = state.read { $0.working == 0 && $0.events == events && !$0.clientWasTold }
      if isQuiet { return }
    }
  }

  /// A millisecond, whether or not the task is cancelled.
  private func realPause() async {
    await withCheckedContinuation { continuation in
      timer.queue.asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
    }
  }
}
