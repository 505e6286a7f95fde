import Dispatch
import Synchronization

/// The time of one exchange: the clock's, but for an immediate one, where it goes from one deadline
/// of this exchange to the next.
///
/// It waits for one deadline at a time. Who waits for several (a step, a timeout) waits for the
/// earliest, and looks at `now_ns` for what is due.
final class FixtureTimeline: Sendable {
  private struct State: Sendable {
    var now_ns: Int64
    var token: FixtureClock.Token?
    /// Counts waits, so that one that was replaced while it was set off is not performed.
    var generation: UInt64 = 0
  }

  private let clock: FixtureClock
  private let state: Mutex<State>

  /// - Parameter now_ns: when the exchange began, where its time is its own; nil: now.
  init(_ clock: FixtureClock, at now_ns: Int64? = nil) {
    self.clock = clock
    state = Mutex(State(now_ns: now_ns ?? clock.now_ns))
  }

  /// Nanoseconds since the clock was made.
  var now_ns: Int64 {
    clock.kind == .immediate ? state.withLock(\.now_ns) : clock.now_ns
  }

  /// Calls `action` once it is `deadline_ns`, instead of what was waited for before.
  ///
  /// - Parameter queue: where it is called; nil: on a queue of the clock. When all calls of `wait`
  ///   and `cancel` are made there as well, an action that was replaced or cancelled is never
  ///   called.
  func wait(
    until deadline_ns: Int64, on queue: DispatchQueue? = nil,
    _ action: @escaping @Sendable () -> Void
  ) {
    let generation = replace()
    let token = clock.schedule(at: deadline_ns, on: queue) { [weak self] in
      self?.reached(deadline_ns, generation, action)
    }
    state.withLock { state in
      if state.generation == generation { state.token = token }
    }
  }

  /// What is waited for is not called any more.
  func cancel() { _ = replace() }

  private func replace() -> UInt64 {
    let (token, generation) = state.withLock { state in
      defer { state.token = nil }
      state.generation += 1
      return (state.token, state.generation)
    }
    if let token { clock.cancel(token) }
    return generation
  }

  private func reached(_ deadline_ns: Int64, _ generation: UInt64, _ action: () -> Void) {
    let isCurrent = state.withLock { state in
      guard state.generation == generation else { return false }
      state.now_ns = max(state.now_ns, deadline_ns)
      state.generation += 1
      state.token = nil
      return true
    }
    if isCurrent { action() }
  }
}
