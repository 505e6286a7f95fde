/// How an exchange with the upstream ended.
package enum Outcome: String, Hashable, Sendable, CaseIterable {
  /// The response arrived whole.
  case complete
  /// The upstream ended the connection in good order before the response was whole.
  case truncated
  /// The connection was reset.
  case reset
  /// No connection could be made.
  case refused
  /// The upstream's name did not resolve.
  case dns
  /// The TLS handshake failed.
  case tls
  /// A deadline passed.
  case timeout
  /// The client left before the response was whole.
  case cancelled
}
