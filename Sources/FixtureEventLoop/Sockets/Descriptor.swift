import CFixtureSystem

/// A file descriptor with one owner, closed when the owner goes.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  /// Takes over what `open` returns.
  ///
  /// - Parameter call: the C function's name, for the error.
  /// - Throws: what the call failed with.
  init(_ call: String, _ open: () -> Int32) throws(SystemError) {
    number = try Syscalls.check(call, open)
  }

  /// Gives the number away: the caller closes it.
  consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }

  // close can only fail for a bad number, which would be ours, or after the descriptor is gone.
  deinit { _ = fixture_close(number) }
}
