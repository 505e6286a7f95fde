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
}
