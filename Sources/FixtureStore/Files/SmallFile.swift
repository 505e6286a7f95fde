#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Small files, read whole.
enum SmallFile {
  enum Failure: Error, Equatable {
    case system(call: String, errno: Int32)
    case tooLarge(bytesMax: Int)
  }

  /// The C functions are `open` and `read`.
  /// - Parameter waitsForWriter: whether a pipe that nobody writes to yet may hold this up.
  /// - Returns: nil when there is no such file.
  static func contents(
    _ path: String, bytesMax: Int, waitsForWriter: Bool
  ) throws(Failure) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | (waitsForWriter ? 0 : O_NONBLOCK))
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .system(call: "open", errno: errno)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw .system(call: "read", errno: errno)
      }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= bytesMax else { throw .tooLarge(bytesMax: bytesMax) }
    }
  }
}
