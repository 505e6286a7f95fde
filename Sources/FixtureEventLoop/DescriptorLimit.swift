import CFixtureSystem

/// How many descriptors the process may have open (RLIMIT_NOFILE).
package enum DescriptorLimit {
  /// Raises the soft limit to the hard one.
  ///
  /// - Returns: the limit in force.
  /// - Throws: setrlimit's error; the limit is then as it was.
  @discardableResult
  package static func raise() throws(SystemError) -> Int {
    Int(try Syscalls.check("setrlimit", fixture_descriptors_raise_limit))
  }
}
