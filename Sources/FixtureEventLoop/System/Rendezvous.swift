import Glibc
import Synchronization

/// Hands one value from a thread to another that waits for it.
package final class Rendezvous<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  // Sendable by POSIX: sem_post and sem_wait may be called from any thread. The pointer never
  // changes, and the semaphore lives as long as its owner.
  private nonisolated(unsafe) let given: UnsafeMutablePointer<sem_t>

  package init() {
    given = .allocate(capacity: 1)
    given.initialize(to: sem_t())
    // Fails only for a start value above SEM_VALUE_MAX.
    sem_init(given, 0, 0)
  }

  deinit {
    sem_destroy(given)
    given.deallocate()
  }

  /// Called once.
  package func give(_ value: Value) {
    self.value.withLock { $0 = value }
    sem_post(given)
  }

  /// Waits for the value; called once.
  package func take() -> Value {
    // EINTR is the only failure there can be.
    while sem_wait(given) != 0 {}
    return value.withLock { $0! }
  }
}
