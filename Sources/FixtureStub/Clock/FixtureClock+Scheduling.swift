import Dispatch
import FixtureReplay

/// What the stub asks of a clock: to do something at an instant.
extension FixtureClock {
  typealias Token = DeadlineQueue<Wake>.Token

  /// Nanoseconds since the clock was made.
  var now_ns: Int64 {
    kind == .real ? timer.now_ns : state.read(\.now_ns)
  }

  /// Does something once it is `deadline_ns`, never before.
  ///
  /// - Parameters:
  ///   - queue: where it is done; nil: on a queue of the clock, where it must be short. An advance
  ///     of a manual clock goes on after it.
  ///   - action: not called any more once `cancel` returned true.
  @discardableResult
  func schedule(
    at deadline_ns: Int64, on queue: DispatchQueue? = nil,
    _ action: @escaping @Sendable () -> Void
  ) -> Token {
    let token = state.change { $0.pending.newToken() }
    if kind == .immediate {
      raise(to: deadline_ns)
      perform(on: queue, action)
    } else {
      begin(.action(queue, action), at: deadline_ns, as: token)
    }
    return token
  }

  /// - Returns: whether it was still to be done, and now is not.
  @discardableResult
  func cancel(_ token: Token) -> Bool {
    let removed = state.change { $0.pending.remove(token) }
    return removed != nil
  }

  /// Does something on a queue now. An advance of a manual clock goes on after it.
  func perform(on queue: DispatchQueue?, _ action: @escaping @Sendable () -> Void) {
    state.change { $0.working += 1 }
    (queue ?? timer.queue).async { [self] in
      action()
      state.change { $0.working -= 1 }
    }
  }

  /// An exchange came or ended, a play reached a gate: whoever waits for such looks again.
  /// - Parameter isEnd: whether the client was told the end of an exchange, and may go on.
  func note(isEnd: Bool = false) {
    state.change { state in
      state.events += 1
      if isEnd { state.clientWasTold = true }
    }
  }

  func begin(_ wake: Wake, at deadline_ns: Int64, as token: Token) {
    let now_ns = self.now_ns
    enum Beginning {
      case kept(isEarliest: Bool)
      case due, cancelled
    }
    let beginning: Beginning = state.change { state in
      if state.cancelled.contains(token) { return .cancelled }
      // Of a manual clock, which may have been advanced meanwhile.
      if deadline_ns <= max(now_ns, state.now_ns) { return .due }
      let earliest_ns = state.pending.earliest_ns ?? .max
      state.pending.add(wake, at: deadline_ns, as: token)
      if case .sleeper = wake { state.sleepers += 1 }
      state.events += 1
      return .kept(isEarliest: deadline_ns < earliest_ns)
    }
    switch (beginning, wake) {
    case (.kept(let isEarliest), _): if isEarliest, kind == .real { arm() }
    case (.due, .sleeper(let continuation)): continuation.resume(returning: .atOnce)
    case (.due, .action(let queue, let action)): perform(on: queue, action)
    case (.cancelled, .sleeper(let continuation)):
      continuation.resume(throwing: CancellationError())
    case (.cancelled, .action): break
    }
  }

  func cancelSleep(_ token: Token) {
    let removed = state.change { state in
      guard let removed = state.pending.remove(token) else {
        state.cancelled.insert(token)
        return nil as Wake?
      }
      state.sleepers -= 1
      return removed
    }
    if case .sleeper(let continuation) = removed {
      continuation.resume(throwing: CancellationError())
    }
  }

  /// Takes out the earliest that is due by then. A clock that is not real then says its deadline.
  func take(dueBy limit_ns: Int64) -> Wake? {
    state.change { state in
      guard let (deadline_ns, wake) = state.pending.removeEarliest(dueBy: limit_ns) else {
        return nil
      }
      state.now_ns = max(state.now_ns, deadline_ns)
      if case .sleeper = wake { state.sleepers -= 1 }
      state.working += 1
      return wake
    }
  }

  /// Sets off what `take` took out; `working` says when it is done.
  func set(off wake: Wake) {
    switch wake {
    case .sleeper(let continuation): continuation.resume(returning: .counted)
    case .action(let queue, let action):
      (queue ?? timer.queue).async { [self] in
        action()
        state.change { $0.working -= 1 }
      }
    }
  }

  private func arm() {
    timer.arm(at: { state.read(\.pending.earliest_ns) }, do: { [weak self] in self?.fire() })
  }

  private func fire() {
    while let wake = take(dueBy: timer.now_ns) { set(off: wake) }
    arm()
  }
}
