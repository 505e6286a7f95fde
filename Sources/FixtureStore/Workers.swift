#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Threads for a piece of work that can be divided; they are gone when it is done.
enum Workers {
  /// As many as can work at the same time, at most 4: reading one file does not get faster by more.
  static var countMax: Int { min(4, max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))) }

  /// Performs `work` for 0, 1, … `count - 1`, the first on this thread and the others beside it,
  /// and returns when all are done. What no thread can be made for is done here.
  static func perform(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
    var threads: [pthread_t] = []
    var left: [Int] = []
    for index in stride(from: 1, to: count, by: 1) {
      if let thread = start({ work(index) }) { threads.append(thread) } else { left.append(index) }
    }
    if count > 0 { work(0) }
    for index in left { work(index) }
    // The only failures are misuses.
    for thread in threads { pthread_join(thread, nil) }
  }

  private final class Work: Sendable {
    let perform: @Sendable () -> Void

    init(_ perform: @escaping @Sendable () -> Void) {
      self.perform = perform
    }
  }

  /// The C function is `pthread_create`.
  private static func start(_ perform: @escaping @Sendable () -> Void) -> pthread_t? {
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
      return nil
    }
    return thread
  }
}
