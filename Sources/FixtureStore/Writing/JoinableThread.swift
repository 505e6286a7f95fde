#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// pthread_create's error number, mostly EAGAIN: no more threads.
struct NoThread: Error {
  let code: Int32
}

/// Threads that end when their work is done; to be joined or detached.
enum JoinableThread {
  static func start(_ perform: @escaping @Sendable () -> Void) throws(NoThread) -> pthread_t {
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    // Released by the thread.
    let context = Unmanaged.passRetained(Work(perform))
    let code = pthread_create(
      &thread, nil,
      { context in
        #if canImport(Glibc)
          let pointer = context!
        #else
          let pointer = context
        #endif
        Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().perform()
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw NoThread(code: code)
    }
    #if canImport(Glibc)
      return thread
    #else
      return thread!
    #endif
  }

  private final class Work: Sendable {
    let perform: @Sendable () -> Void

    init(_ perform: @escaping @Sendable () -> Void) {
      self.perform = perform
    }
  }
}
