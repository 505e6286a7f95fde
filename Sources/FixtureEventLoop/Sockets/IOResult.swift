/// What a read or write on a nonblocking socket gave.
package enum IOResult: Equatable, Sendable {
  /// This many bytes were transferred, at least one unless none were offered.
  case bytes(Int)
  /// Nothing can be transferred now; readiness will tell.
  case wouldBlock
  /// The peer writes no more (FIN). From reads only.
  case finished
  /// The connection is of no use any more, such as ECONNRESET or EPIPE.
  case failed(SystemError)
}
