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
      do throws(NoThread) {
        threads.append(try JoinableThread.start { work(index) })
      } catch {
        left.append(index)
      }
    }
    if count > 0 { work(0) }
    for index in left { work(index) }
    // The only failures are misuses.
    for thread in threads { pthread_join(thread, nil) }
  }
}
