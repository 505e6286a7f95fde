import CFixtureSystem

/// Hands pages of memory to sockets without copying them, through a pipe (vmsplice, splice).
///
/// For one thread, which blocks SIGPIPE, as those of a `LoopThread` do.
package final class PagePipe {
  /// As much as an unprivileged process may have: one answer of a megabyte goes through at once.
  private static let roomBytes: Int32 = 1 << 20

  private let exit: Descriptor
  private let entrance: Descriptor
  /// Where what a socket did not take goes.
  private let sink: Descriptor

  /// - Throws: mostly for want of descriptors, of which it has three; also when the system does not
  ///   let us use the calls.
  package init() throws(SystemError) {
    var ends: (Int32, Int32) = (-1, -1)
    try withUnsafeMutableBytes(of: &ends) { (ends) throws(SystemError) in
      let ends = ends.assumingMemoryBound(to: Int32.self)
      try Syscalls.check("pipe2") { fixture_pipe_create(ends.baseAddress) }
    }
    let (first, second) = ends
    exit = try Descriptor("pipe2") { first }
    entrance = try Descriptor("pipe2") { second }
    sink = try Descriptor("open", fixture_sink_open)
    // Not every system that has these calls lets everybody use them: found out here.
    var probe: UInt8 = 0
    try Syscalls.check("vmsplice") { Int32(fixture_pipe_put_pages(second, &probe, 1)) }
    try Syscalls.check("splice") { Int32(fixture_pipe_move(first, sink.number, 1, 0)) }
    // With less room, which the system may insist on, it only takes more rounds.
    _ = fixture_pipe_set_room(second, Self.roomBytes)
  }

  /// Writes as much of `bytes` as the socket takes.
  /// - Parameter bytes: in `SharedPages`: the socket refers to them as long as it likes.
  package func write(_ bytes: UnsafeRawBufferPointer, to socket: Int32) -> IOResult {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let put = Syscalls.transferred("vmsplice") {
        fixture_pipe_put_pages(entrance.number, rest.baseAddress, rest.count)
      }
      guard case .bytes(let put) = put else { return put }
      let moved = Syscalls.transferred("splice") {
        fixture_pipe_move(exit.number, socket, put, put < rest.count ? 1 : 0)
      }
      guard case .bytes(let count) = moved else {
        discard(put)
        // An error that comes behind bytes comes again.
        return written > 0 ? .bytes(written) : moved
      }
      written += count
      if count < put {
        discard(put - count)
        break
      }
    }
    return .bytes(written)
  }

  private func discard(_ count: Int) {
    var left = count
    while left > 0 {
      let moved = Syscalls.uninterrupted {
        fixture_pipe_move(exit.number, sink.number, left, 0)
      }
      precondition(moved > 0, "\(left) bytes stay in a pipe: \(moved)")
      left -= moved
    }
  }
}
