import CFixtureSystem

/// What a watcher wants to hear of; the end of a connection is always reported.
package struct Interest: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Made here, where it costs three branches: set algebra on a type of another module is not
  /// specialized, and connections ask for their interest with every request.
  package init(readable: Bool, writable: Bool, peerFinished: Bool) {
    rawValue =
      (readable ? FIXTURE_READABLE : 0) | (writable ? FIXTURE_WRITABLE : 0)
      | (peerFinished ? FIXTURE_PEER_FINISHED : 0)
  }

  package static let readable = Interest(rawValue: FIXTURE_READABLE)
  package static let writable = Interest(rawValue: FIXTURE_WRITABLE)
  /// That the peer writes no more, also while nothing is read. Take it back once it was reported.
  package static let peerFinished = Interest(rawValue: FIXTURE_PEER_FINISHED)
}
