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

  /// Whether a request may be the next on a connection that has been idle for so long.
  ///
  /// Origin servers close idle connections, after two seconds or more, and a request that crosses
  /// with the close is lost. One that may not be sent again is not risked: it would fail here and
  /// not without us.
  package static func mayReuse(method: Method, idle_ns: Int64) -> Bool {
    method.isIdempotent || idle_ns < 1_000_000_000
  }
}
