import CFixtureSQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Has the kernel write the log to the disk while it grows. Moving the log into the file waits for
/// the disk, and so does every commit meanwhile: this way little is left to wait for.
///
/// Only a hint, so nothing of it is an error. The log is the one file that may be opened and closed
/// beside SQLite: it holds no locks on it.
final class LogWriteback {
  private let descriptor: Int32
  /// Up to where the kernel was told to write.
  private var position: Int64 = 0

  /// - Parameter path: of the log, which exists.
  init(path: String) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// - Parameter size: of the log, in bytes; less than before when it is used from its start again.
  func logIsLong(_ size: Int64) {
    if size < position { position = 0 }
    guard descriptor >= 0, size - position >= StoreLimits.logWritebackBytes else { return }
    fixture_file_start_writing(descriptor, position, size - position)
    position = size
  }
}
