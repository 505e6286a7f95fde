import Glibc

/// Carries a loop's object through code of other threads, such as a completion that posts back.
///
/// The object is touched on the loop's thread only, which is checked. Releasing the last
/// `LoopBound` elsewhere releases the object there, so it should have an owner on the loop.
// Sendable because the value is reached only on the thread it belongs to; see `value`.
package struct LoopBound<Value>: @unchecked Sendable {
  private let bound: Value
  private let owner: pthread_t

  package init(_ value: Value, on loop: EventLoop) {
    loop.preconditionOnThread()
    bound = value
    owner = pthread_self()
  }

  /// The object; only on the thread of its loop.
  package var value: Value {
    precondition(pthread_equal(owner, pthread_self()) != 0, "used off its event loop's thread")
    return bound
  }
}
