import CFixtureSystem
import Glibc

/// Every system call of this target goes through here.
///
/// EINTR, one policy each:
/// - a call that doesn't wait is made again at once;
/// - a wait for events ends with no events: the loop looks at its timers and waits again;
/// - a connect that was interrupted goes on by itself and counts as in progress;
/// - close is never repeated: the descriptor is gone, and its number may belong to someone else.
enum Syscalls {
  /// Makes `call` until a signal doesn't interrupt it.
  @inline(__always)
  static func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result != -Result(EINTR) { return result }
    }
  }

  /// Makes `body`, which reports failure as a negated errno.
  ///
  /// - Parameter name: the C function's name, for the error.
  /// - Throws: what the call failed with.
  @discardableResult
  static func check(_ name: String, _ body: () -> Int32) throws(SystemError) -> Int32 {
    let result = uninterrupted(body)
    if result < 0 { throw SystemError(call: name, errno: -result) }
    return result
  }

  /// Makes a call that only a mistake of ours can make fail.
  static func mustSucceed(_ name: String, _ body: () -> Int32) {
    let result = uninterrupted(body)
    precondition(result >= 0, "\(SystemError(call: name, errno: -result))")
  }

  /// One wait for events; EINTR counts as none.
  static func wait(
    _ poller: Int32, _ events: UnsafeMutablePointer<fixture_event>, timeout_ms: Int32
  ) -> Int {
    let count = fixture_poller_wait(poller, events, timeout_ms)
    if count >= 0 { return Int(count) }
    precondition(count == -EINTR, "\(SystemError(call: "epoll_wait", errno: -count))")
    return 0
  }

  /// Turns what recv or send gave into a result.
  @inline(__always)
  static func transferred(_ name: String, _ call: () -> Int) -> IOResult {
    let count = uninterrupted(call)
    if count >= 0 { return .bytes(count) }
    if count == -Int(EAGAIN) { return .wouldBlock }
    return .failed(SystemError(call: name, errno: Int32(-count)))
  }
}
