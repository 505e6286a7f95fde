import Glibc

/// A reference to an object of a loop that other threads may carry, such as a completion that posts
/// back. Only the loop's thread may follow it, which is checked.
///
/// It does not keep the object alive, so that nothing of a loop is ever released on another thread:
/// the object needs an owner on the loop.
// Sendable because the object is reached only on the thread it belongs to, see `object`, and a weak
// reference may be copied and released anywhere.
package struct LoopReference<Object: AnyObject>: @unchecked Sendable {
  private weak var bound: Object?
  private let owner: pthread_t

  package init(_ object: Object, on loop: EventLoop) {
    loop.preconditionOnThread()
    bound = object
    owner = pthread_self()
  }

  /// The object, nil once it is gone; only on the thread of its loop.
  package var object: Object? {
    precondition(pthread_equal(owner, pthread_self()) != 0, "used off its event loop's thread")
    return bound
  }
}
