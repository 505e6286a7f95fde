import FixtureReplay
import Synchronization

/// What a fixture has to tell of requests beside the journal, where a miss is a line and what comes
/// after the end is nothing.
final class Remarks: Sendable {
  private struct State: Sendable {
    var misses: [Fixture.Miss] = []
    var stragglers: [Fixture.Straggler] = []
    var onLate: @Sendable (Fixture.Straggler) -> Void = { _ in }
  }

  private let state = Mutex(State())

  var misses: [Fixture.Miss] { state.withLock { $0.misses } }
  var stragglers: [Fixture.Straggler] { state.withLock { $0.stragglers } }

  /// As many are kept as a journal keeps exchanges: the first, which are what has to be mended.
  func add(_ miss: Fixture.Miss) {
    state.withLock { if $0.misses.count < Journal.entriesMax { $0.misses.append(miss) } }
  }

  func add(_ straggler: Fixture.Straggler) {
    let onLate = state.withLock { state in
      if state.stragglers.count < Journal.entriesMax { state.stragglers.append(straggler) }
      return straggler.wasOpen ? { _ in } : state.onLate
    }
    onLate(straggler)
  }

  /// - Parameter told: of each request that comes after the end from now on.
  func onLate(_ told: @escaping @Sendable (Fixture.Straggler) -> Void) {
    state.withLock { $0.onLate = told }
  }
}
