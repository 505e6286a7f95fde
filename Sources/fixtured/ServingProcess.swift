import FixtureEventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The process of a command that serves clients.
enum ServingProcess {
  /// To be called before the first thread is started: holds the signals back that will end it, and
  /// lets it keep as many connections as the system allows.
  /// - Returns: what ends it; nil when the system lacks something, which was said.
  static func prepare() -> StopSignal? {
    StopSignal.block()
    do throws(SystemError) {
      try DescriptorLimit.raise()
    } catch {
      Diagnostic.write("fewer connections than could be are kept open: \(error.description)")
    }
    do throws(SystemError) {
      return try StopSignal()
    } catch {
      Diagnostic.write("signals can't be waited for: \(error.description)")
      return nil
    }
  }

  /// Processors it may use, at least 1 (sysconf).
  static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
