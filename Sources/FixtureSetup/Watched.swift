import Dispatch
import Synchronization

/// A value under a lock, and those who wait until it is as they want it.
///
/// Whoever waits is asked after every change, in no order; there are never many.
package final class Watched<State: Sendable>: Sendable {
  /// How a wait ended.
  package enum Ending: Equatable, Sendable {
    case met
    case patienceEnded
    case cancelled
  }

  private struct Waiter: Sendable {
    let isMet: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Ending, Never>
  }

  private struct Held: Sendable {
    var state: State
    var idNext: UInt64 = 0
    var waiters: [UInt64: Waiter] = [:]
    /// Waits that were cancelled before they began.
    var cancelled: Set<UInt64> = []
  }

  private let held: Mutex<Held>

  package init(_ state: State) {
    held = Mutex(Held(state: state))
  }

  /// Looks at the value, or at a part of it.
  package func read<Value: Sendable>(_ body: (State) -> Value) -> Value {
    held.withLock { body($0.state) }
  }

  /// Changes the value; then those wait no more whose condition is met.
  @discardableResult
  package func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let (value, met) = held.withLock { held in
      let value = body(&held.state)
      guard !held.waiters.isEmpty else { return (value, [Waiter]()) }
      let met = held.waiters.filter { $0.value.isMet(held.state) }
      for id in met.keys { held.waiters[id] = nil }
      return (value, Array(met.values))
    }
    for waiter in met { waiter.continuation.resume(returning: .met) }
    return value
  }

  /// Waits until the condition is met.
  ///
  /// - Parameters:
  ///   - patience: how much real time is waited at most; nil: any.
  ///   - isMet: called under the lock. It must not use this value.
  package func wait(
    patience: Duration? = nil, until isMet: @escaping @Sendable (State) -> Bool
  ) async -> Ending {
    let id = newID()
    let ending = await withTaskCancellationHandler {
      await begin(id, patience: patience, until: isMet)
    } onCancel: {
      cancel(id)
    }
    held.withLock { _ = $0.cancelled.remove(id) }
    return ending
  }

  /// As `wait`, whether or not the task is cancelled: for what is bound to happen.
  package func waitRegardless(until isMet: @escaping @Sendable (State) -> Bool) async {
    _ = await begin(newID(), patience: nil, until: isMet)
  }

  private func newID() -> UInt64 {
    held.withLock { held in
      held.idNext += 1
      return held.idNext
    }
  }

  private func begin(
    _ id: UInt64, patience: Duration?, until isMet: @escaping @Sendable (State) -> Bool
  ) async -> Ending {
    await withCheckedContinuation { continuation in
      let ending: Ending? = held.withLock { held in
        if held.cancelled.contains(id) { return .cancelled }
        if isMet(held.state) { return .met }
        held.waiters[id] = Waiter(isMet: isMet, continuation: continuation)
        return nil
      }
      if let ending { return continuation.resume(returning: ending) }
      guard let patience else { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + patience.dispatchInterval) {
        [weak self] in
        self?.end(id, .patienceEnded)
      }
    }
  }

  private func end(_ id: UInt64, _ ending: Ending) {
    let waiter = held.withLock { $0.waiters.removeValue(forKey: id) }
    waiter?.continuation.resume(returning: ending)
  }

  private func cancel(_ id: UInt64) {
    let waiter = held.withLock { held in
      guard let waiter = held.waiters.removeValue(forKey: id) else {
        held.cancelled.insert(id)
        return nil as Waiter?
      }
      return waiter
    }
    waiter?.continuation.resume(returning: .cancelled)
  }
}

extension Duration {
  /// For waits that need no exactness; at most about 292 years.
  fileprivate var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    guard seconds < Int64.max / 1_000_000_000 else { return .never }
    return .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
  }
}
