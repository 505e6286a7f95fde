import CFixtureSystem

/// Room for bytes whose pages are handed to sockets themselves (`PagePipe`), without being copied.
///
/// Sockets may hold the pages when the room is long gone: so it is only ever added to, and nothing
/// in it is written twice.
package final class SharedPages {
  /// Parts start at pages: one that starts inside takes more of them.
  private static let pageBytes = 4096
  private static let hugePageBytes = 2 << 20

  private let room: UnsafeMutableRawBufferPointer
  private var filled = 0

  /// - Parameter count: bytes; no memory is used before they are filled.
  /// - Throws: mmap's error.
  package init(count: Int) throws(SystemError) {
    let count = (max(1, count) + Self.hugePageBytes - 1) & ~(Self.hugePageBytes - 1)
    var start: UnsafeMutableRawPointer?
    try Syscalls.check("mmap") { fixture_pages_create(count, &start) }
    room = UnsafeMutableRawBufferPointer(start: start, count: count)
  }

  deinit { fixture_pages_free(room.baseAddress, room.count) }

  /// Adds a part, made of two pieces.
  /// - Returns: where it lies, as long as the room is there; nil when it does not fit any more.
  package func append(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    let count = first.count + second.count
    guard count <= room.count - filled else { return nil }
    let part = UnsafeMutableRawBufferPointer(rebasing: room[filled..<(filled + count)])
    part.copyBytes(from: first)
    UnsafeMutableRawBufferPointer(rebasing: part[first.count...]).copyBytes(from: second)
    filled = min(room.count, (filled + count + Self.pageBytes - 1) & ~(Self.pageBytes - 1))
    return UnsafeRawBufferPointer(part)
  }
}
