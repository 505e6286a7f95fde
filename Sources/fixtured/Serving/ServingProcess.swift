import FixtureEventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The process of a command that serves clients.
struct ServingProcess {
  /// What ends it.
  let stop: StopSignal
  /// Where it tells what happens.
  let diagnostics: DiagnosticThread

  /// To be called before the first thread is started: holds the signals back that will end it, and
  /// lets it keep as many connections as the system allows.
  /// - Returns: nil when the system lacks something, which was said.
  static func prepare() -> ServingProcess? {
    StopSignal.block()
    do throws(SystemError) {
      try DescriptorLimit.raise()
    } catch {
      Diagnostic.write("fewer connections than could be are kept open: \(error.description)")
    }
    do throws(SystemError) {
      try DescriptorLimit.reserve()
    } catch {
      // The kernel makes room when it has to; only exact times suffer then.
    }
    do throws(SystemError) {
      let stop = try StopSignal()
      return ServingProcess(stop: stop, diagnostics: try DiagnosticThread(STDERR_FILENO))
    } catch {
      Diagnostic.write("no clients can be served: \(error.description)")
      return nil
    }
  }

  /// Processors it may use, at least 1 (sysconf).
  static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
