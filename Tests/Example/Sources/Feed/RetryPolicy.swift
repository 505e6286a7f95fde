import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// When a request that failed is sent again.
public struct RetryPolicy: Sendable {
  /// The first one counts.
  public var attemptsMax: Int
  /// So long after the first attempt began, no wait for another one may end.
  public var budget: Duration
  /// Doubled after each attempt that brought no `Retry-After`.
  public var backoff: Duration

  public init(
    attemptsMax: Int = 4, budget: Duration = .seconds(30), backoff: Duration = .milliseconds(500)
  ) {
    self.attemptsMax = attemptsMax
    self.budget = budget
    self.backoff = backoff
  }

  /// How long to wait before the next attempt; nil: there is none.
  ///
  /// - Parameters:
  ///   - attempt: which one failed, from 1.
  ///   - elapsed: since the first one began.
  func wait(
    afterAttempt attempt: Int, of response: HTTPURLResponse?, elapsed: Duration
  ) -> Duration? {
    guard attempt < attemptsMax else { return nil }
    let wait = response.flatMap(Self.retryAfter) ?? backoff * (1 << (attempt - 1))
    return elapsed + wait <= budget ? wait : nil
  }

  /// `Retry-After` in seconds or as a date (RFC 9110 §10.2.3), which counts from the response's own
  /// `Date`.
  private static func retryAfter(_ response: HTTPURLResponse) -> Duration? {
    guard let text = response.value(forHTTPHeaderField: "Retry-After") else { return nil }
    if let seconds = Int(text) { return .seconds(seconds) }
    guard let date = httpDate(text),
      let now = response.value(forHTTPHeaderField: "Date").flatMap(httpDate)
    else { return nil }
    return .seconds(max(0, date.timeIntervalSince(now)))
  }

  private static func httpDate(_ text: String) -> Date? {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.date(from: text)
  }
}
