#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A value behind a lock, and a condition to wait on.
///
/// @unchecked Sendable: `value` is only touched while `mutex` is held.
final class Monitor<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    // With default attributes neither call can fail but for lack of memory.
    let codes = (pthread_mutex_init(mutex, nil), pthread_cond_init(condition, nil))
    precondition(codes == (0, 0), "pthread_mutex_init, pthread_cond_init: \(codes)")
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock()
    defer { unlock() }
    return body(&value)
  }

  /// Calls `body` under the lock until it gives a result, each time after the value was signalled.
  func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
    lock()
    defer { unlock() }
    while true {
      if let result = body(&value) { return result }
      let code = pthread_cond_wait(condition, mutex)
      precondition(code == 0, "pthread_cond_wait: \(code)")
    }
  }

  /// As `wait`, but no longer than this: nil then. The time is that of dates, so it may end early
  /// or late when the clock is set.
  @discardableResult
  func wait<Result>(atMost_ns: Int64, _ body: (inout Value) -> Result?) -> Result? {
    var deadline = timespec()
    // CLOCK_REALTIME always exists, so the call cannot fail.
    clock_gettime(CLOCK_REALTIME, &deadline)
    let end = Int64(deadline.tv_nsec) + atMost_ns
    deadline.tv_sec += Int(end / 1_000_000_000)
    deadline.tv_nsec = Int(end % 1_000_000_000)
    lock()
    defer { unlock() }
    while true {
      if let result = body(&value) { return result }
      let code = pthread_cond_timedwait(condition, mutex, &deadline)
      if code == ETIMEDOUT { return nil }
      precondition(code == 0, "pthread_cond_timedwait: \(code)")
    }
  }

  /// Wakes whoever waits. Only one thread may.
  func signal() { pthread_cond_signal(condition) }

  private func lock() {
    let code = pthread_mutex_lock(mutex)
    precondition(code == 0, "pthread_mutex_lock: \(code)")
  }

  private func unlock() {
    let code = pthread_mutex_unlock(mutex)
    precondition(code == 0, "pthread_mutex_unlock: \(code)")
  }
}
