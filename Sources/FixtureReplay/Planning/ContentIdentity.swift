/// What is known of a request's content when its answer is planned.
///
/// No content and empty content are the same to a match: clients differ in whether they send
/// `Content-Length: 0` with a method that could have content.
package enum ContentIdentity: Equatable, Sendable {
  /// The request has no body.
  case absent
  /// A body is announced and not read yet. `expectsContinue`: the client waits for a 100 before it
  /// sends it (RFC 9110 §10.1.1).
  case pending(expectsContinue: Bool)
  /// Read whole: bytes of content and their SHA-256 (32 bytes). `held`: the bytes themselves, if
  /// they were asked for and are no more than was said.
  case known(size: Int64, digest: [UInt8], held: [UInt8]? = nil)
}
