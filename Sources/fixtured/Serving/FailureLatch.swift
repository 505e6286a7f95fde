import Synchronization

/// Remembers for the exit status that the cassette can't be written or read any more.
final class FailureLatch: Sendable {
  private let state = Atomic(false)

  var hasFailed: Bool { state.load(ordering: .acquiring) }

  func fail() { state.store(true, ordering: .releasing) }
}
