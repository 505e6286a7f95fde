import FixtureHTTP

/// Whether a request may be sent again on another connection after the first one failed.
package enum RetryRule {
  /// - Parameters:
  ///   - reused: the connection had carried an exchange before, so that the upstream may have
  ///     closed it as idle without having seen the request.
  ///   - answerBegun: any byte of an answer had arrived.
  ///   - contentIsWhole: everything that was sent can be sent again.
  ///
  /// RFC 9112 §9.3.1: "A client that pipelines … MAY retry a connection attempt"; "a user agent
  /// MUST NOT automatically retry a request with a non-idempotent method", and "a proxy MUST NOT
  /// automatically retry non-idempotent requests".
  package static func mayRetry(
    method: Method, reused: Bool, answerBegun: Bool, contentIsWhole: Bool
  ) -> Bool {
    reused && !answerBegun && contentIsWhole && method.isIdempotent
  }
}
