import Glibc
import Synchronization

/// Notes when something happened on any thread, and lets others wait for it.
final class Instants: Sendable {
  private let instants = Mutex<[ContinuousClock.Instant]>([])

  func note() { instants.withLock { $0.append(.now) } }

  var all: [ContinuousClock.Instant] { instants.withLock { $0 } }

  /// Returns once it has happened so often, or after ten seconds.
  func wait(count: Int) {
    let deadline = ContinuousClock.now + .seconds(10)
    while all.count < count, ContinuousClock.now < deadline { usleep(1_000) }
  }
}
