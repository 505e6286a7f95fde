import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A client as apps have one: it keeps what it got, asks whether that is still true, and tries
/// again when the server says so. Its session and its clock come from outside, which is all that a
/// test needs.
public actor FeedAPI<Time: Clock> where Time.Duration == Duration {
  /// Why there is no feed.
  public enum Failure: Error, Equatable {
    case status(Int)
  }

  private let session: URLSession
  private let clock: Time
  private let base: URL
  private let retries: RetryPolicy
  private var stored: StoredResponse<Time>?

  public init(
    session: URLSession, clock: Time, base: URL = URL(string: "https://feed.example")!,
    retries: RetryPolicy = RetryPolicy()
  ) {
    self.session = session
    self.clock = clock
    self.base = base
    self.retries = retries
  }

  /// The feed, from the server or as it was got before.
  public func feed() async throws -> Feed {
    if let stored, stored.isFresh(at: clock.now) { return try decoded(stored.content) }
    var request = URLRequest(url: base.appending(path: "feed"))
    if let tag = stored?.entityTag { request.setValue(tag, forHTTPHeaderField: "If-None-Match") }
    let (content, response) = try await sent(request)
    if response.statusCode == 304, let stored { return try decoded(stored.content) }
    guard response.statusCode == 200 else { throw Failure.status(response.statusCode) }
    stored = StoredResponse(response, content: content, arrived: clock.now)
    return try decoded(content)
  }

  /// Sends the request until it is answered, as often as the policy allows.
  private func sent(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let began = clock.now
    var attempt = 1
    while true {
      let result = try await attempted(request)
      let response = try? result.get().1
      let wait =
        isWorthAnother(result)
        ? retries.wait(
          afterAttempt: attempt, of: response, elapsed: began.duration(to: clock.now)) : nil
      guard let wait else { return try result.get() }
      try await clock.sleep(for: wait)
      attempt += 1
    }
  }

  /// - Throws: only when the task was cancelled.
  private func attempted(
    _ request: URLRequest
  ) async throws -> Result<(Data, HTTPURLResponse), URLError> {
    do {
      let (content, response) = try await session.data(for: request)
      guard let response = response as? HTTPURLResponse else {
        return .failure(URLError(.badServerResponse))
      }
      return .success((content, response))
    } catch let error as URLError {
      try Task.checkCancellation()
      return .failure(error)
    }
  }

  private func isWorthAnother(_ result: Result<(Data, HTTPURLResponse), URLError>) -> Bool {
    switch result {
    case .success((_, let response)): [429, 502, 503, 504].contains(response.statusCode)
    case .failure(let error): error.code != .cancelled
    }
  }

  private func decoded(_ content: Data) throws -> Feed {
    try JSONDecoder().decode(Feed.self, from: content)
  }
}
