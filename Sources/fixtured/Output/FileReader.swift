#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that is read from its beginning, in parts.
final class FileReader {
  private let path: String
  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  /// nil when there is no such file. The C function is `open`.
  init?(_ path: String) throws(FileError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    self.path = path
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw FileError(path: path, call: "open", errno: errno)
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The next bytes; none at the end. The C function is `read`.
  func next(bytesMax: Int = .max) throws(FileError) -> [UInt8] {
    while true {
      let count = read(descriptor, &buffer, min(buffer.count, bytesMax))
      if count >= 0 { return Array(buffer[..<count]) }
      if errno != EINTR { throw FileError(path: path, call: "read", errno: errno) }
    }
  }
}
