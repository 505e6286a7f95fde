import CFixtureSystem

/// How many descriptors the process may have open (RLIMIT_NOFILE).
package enum DescriptorLimit {
  /// The soft limit.
  ///
  /// - Throws: getrlimit's error.
  package static func current() throws(SystemError) -> Int {
    Int(try Syscalls.check("getrlimit", fixture_descriptors_limit))
  }

  /// Raises the soft limit to the hard one.
  ///
  /// - Throws: setrlimit's error; the limit is then as it was.
  package static func raise() throws(SystemError) {
    try Syscalls.check("setrlimit", fixture_descriptors_raise_limit)
  }

  /// Makes room for as many descriptors as the soft limit allows, up to 65,536.
  ///
  /// The kernel doubles a table that is full, and where a process has several threads the one that
  /// accepts waits for every processor meanwhile: tens of milliseconds on a busy machine, in which
  /// no deadline is kept. To be called before the second thread is started.
  ///
  /// - Throws: what prevented it; all that is lost is time later.
  package static func reserve() throws(SystemError) {
    let count = min(try current(), reservedMax)
    try Syscalls.check("fcntl") { fixture_descriptors_reserve(Int32(count)) }
  }

  /// 512 KiB of the kernel's memory.
  private static let reservedMax = 65_536
}
