import CFixtureSystem
import Glibc

/// A POSIX thread that runs one closure.
enum SystemThread {
  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// - Parameters:
  ///   - name: shown by `ps -L`; Linux keeps 15 bytes of it.
  ///   - body: the whole of the thread.
  /// - Returns: the thread, to join or detach.
  /// - Throws: pthread_create's error, mostly EAGAIN: no more threads.
  static func start(
    name: String, body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> pthread_t {
    var thread = pthread_t()
    // Released by the thread, or here when there is none.
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    let result = pthread_create(
      &thread, nil,
      { argument in
        let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
        // A name is for people who look; a thread without one works as well.
        _ = fixture_thread_set_name(String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
        // Writing to a peer that is gone is an error where it is done, not a signal: sendfile has
        // no other way to be told so.
        _ = fixture_signals_block([SIGPIPE], 1)
        start.body()
        return nil
      }, start.toOpaque())
    guard result == 0 else {
      start.release()
      throw SystemError(call: "pthread_create", errno: result)
    }
    return thread
  }
}
