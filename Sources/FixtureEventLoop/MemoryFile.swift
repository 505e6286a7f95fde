import CFixtureSystem

/// A file in memory (memfd_create), for bytes that leave through sockets without being copied.
///
/// Its pages are handed to the sockets themselves, which may hold them when the file is long closed
/// or grown: so it is only ever added to, and nothing in it is written twice.
package final class MemoryFile {
  /// Parts start at pages: one that starts inside takes more pieces, and more time, to send.
  private static let pageBytes: Int64 = 4096

  private let file: Descriptor
  /// Where the next part starts.
  package private(set) var size: Int64 = 0

  var descriptor: Int32 { file.number }

  /// - Throws: mostly for want of descriptors.
  package init() throws(SystemError) {
    file = try Descriptor("memfd_create", fixture_memory_file_create)
  }

  /// Adds a part.
  /// - Returns: where it starts.
  /// - Throws: pwrite's error, for want of memory; nothing was added.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int64 {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = Syscalls.uninterrupted {
        fixture_file_write(file.number, rest.baseAddress, rest.count, size + Int64(written))
      }
      guard count > 0 else { throw SystemError(call: "pwrite", errno: Int32(max(1, -count))) }
      written += count
    }
    let start = size
    size = (start + Int64(bytes.count) + Self.pageBytes - 1) & ~(Self.pageBytes - 1)
    return start
  }
}
