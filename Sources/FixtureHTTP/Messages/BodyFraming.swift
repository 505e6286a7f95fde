/// How the end of a message body is found (RFC 9112 §6.3).
package enum BodyFraming: Equatable, Sendable {
  /// There is no body.
  case none
  /// Exactly this many bytes follow.
  case length(Int64)
  /// The chunked transfer coding (RFC 9112 §7.1).
  case chunked
  /// Everything until the connection is closed; responses only.
  case untilClose
}
