import CFixtureSystem

/// What a descriptor is ready for. Level-triggered: reported again each round until it's dealt
/// with or the interest in it is taken back.
///
/// | what the peer did | reported |
/// |---|---|
/// | sent bytes | `readable` |
/// | finished writing (FIN) | `readable`, `peerFinished` |
/// | reset the connection (RST) | `readable`, `peerFinished`, `closed`, `failed` |
/// | finished, and so did we | `readable`, `peerFinished`, `closed` |
/// | refused to connect | `closed`, `failed` |
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A read would give bytes, the end or an error.
  package static let readable = Readiness(rawValue: FIXTURE_READABLE)
  /// A write would take bytes or fail; a connect has ended.
  package static let writable = Readiness(rawValue: FIXTURE_WRITABLE)
  /// The peer writes no more (EPOLLRDHUP); bytes it sent before may still be unread.
  package static let peerFinished = Readiness(rawValue: FIXTURE_PEER_FINISHED)
  /// The connection is over in both directions (EPOLLHUP or EPOLLERR). Reported whatever the
  /// interest, so the watcher has to remove the descriptor or would be called for ever.
  package static let closed = Readiness(rawValue: FIXTURE_HUNG_UP)
  /// An error is pending (EPOLLERR), which `Socket.connectError` or a read tells.
  package static let failed = Readiness(rawValue: FIXTURE_FAILED)

  /// What epoll reported: an error without a hang-up is the end of a connection too.
  @inline(__always)
  init(events: UInt32) {
    rawValue = events & FIXTURE_FAILED == 0 ? events : events | FIXTURE_HUNG_UP
  }
}
