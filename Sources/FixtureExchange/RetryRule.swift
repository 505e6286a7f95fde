import FixtureHTTP

/// Whether a request may be sent again on another connection after the first one failed.
package enum RetryRule {
  /// RFC 9110 §9.2.2: "A proxy MUST NOT automatically retry non-idempotent requests." RFC 9112
  /// §9.3.1 allows it for the others, when the connection closed before an answer.
  ///
  /// - Parameters:
  ///   - reused: the connection had carried an exchange before, so that the upstream may have
  ///     closed it as idle without having seen the request.
  ///   - answerBegun: any byte of an answer had arrived.
  ///   - contentIsWhole: everything that was sent can be sent again.
  package static func mayRetry(
    method: Method, reused: Bool, answerBegun: Bool, contentIsWhole: Bool
  ) -> Bool {
    reused && !answerBegun && contentIsWhole && method.isIdempotent
  }
}
