import Synchronization

/// Where plays of a session wait whose rule says `hold NAME`, until somebody releases it; from then
/// on they pass.
package final class SessionGates: Sendable {
  private struct Gate {
    var isReleased = false
    /// Plays that wait, by the order in which they came.
    var waiting: [Int: @Sendable () -> Void] = [:]
  }

  private struct State {
    var gates: [String: Gate] = [:]
    var entered = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// How many plays wait at each gate that somebody came to or released, by name.
  package var waiting: [(name: String, count: Int, isReleased: Bool)] {
    state.withLock { state in
      state.gates.map { ($0.key, $0.value.waiting.count, $0.value.isReleased) }
    }.sorted { $0.name < $1.name }
  }

  /// See `ReplayConfiguration.EnterGate`.
  package func enter(
    _ name: String, _ opened: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    let (number, passes) = state.withLock { state in
      state.entered += 1
      let passes = state.gates[name]?.isReleased ?? false
      if !passes { state.gates[name, default: Gate()].waiting[state.entered] = opened }
      return (state.entered, passes)
    }
    if passes { opened() }
    return { [weak self] in
      self?.state.withLock { _ = $0.gates[name]?.waiting.removeValue(forKey: number) }
    }
  }

  /// Lets go on who waits, in the order in which they came, and who still comes.
  /// - Returns: how many waited.
  @discardableResult
  package func release(_ name: String) -> Int {
    let waiting = state.withLock { state in
      defer { state.gates[name] = Gate(isReleased: true) }
      return state.gates[name]?.waiting ?? [:]
    }
    for (_, opened) in waiting.sorted(by: { $0.key < $1.key }) { opened() }
    return waiting.count
  }

  /// Gates are closed again; who waits at one waits on.
  package func reset() {
    state.withLock { state in
      for name in state.gates.keys { state.gates[name]?.isReleased = false }
    }
  }
}
