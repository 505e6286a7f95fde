import Dispatch
import FixtureCassette
import FixtureHTTP
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests to where they belong, by a session of its own, and keeps what came of them until
/// it is stored.
///
/// A redirect is an answer like any other: whoever asked follows it, and is recorded again. What
/// fails is not recorded.
final class EpisodeRecorder: NSObject, URLSessionDataDelegate, Sendable {
  /// What a live request came to.
  typealias Answer = Result<Episode, URLError>

  /// A request under way.
  fileprivate struct Forwarding: Sendable {
    let ticket: Ticket
    let request: RequestHead
    let url: LiveURL
    let content: Data?
    let startedAt_us: Int64
    let started = ContinuousClock.now
    let completion: @Sendable (Answer) -> Void
    var response: HTTPURLResponse?
    var head_us: Int64 = 0
    var body = Data()
    var arrivals = Arrivals()
  }

  /// Names a request.
  struct Ticket: Hashable, Sendable {
    fileprivate let number: Int
  }

  private struct State: Sendable {
    /// By the numbers of their tasks.
    var forwardings: [Int: Forwarding] = [:]
    /// By tickets; nil for one that is to be begun.
    var tasks: [Ticket: URLSessionTask?] = [:]
    var ticketNext = 0
    var isFinished = false
    var episodes: [Episode] = []
    /// Bytes of content that are held.
    var count = 0
  }

  private let bytesMax: Int
  private let state = Mutex(State())
  /// All sessions of a process share one queue on Linux, and wait for it in most of their calls:
  /// none may be called from there, where requests come from.
  private let queue = DispatchQueue(label: "fixture recorder")
  private let session = Mutex<URLSession?>(nil)

  /// - Parameter bytesMax: of contents; more is not held in memory.
  init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  /// In the order in which their requests were sent.
  var episodes: [Episode] {
    state.withLock(\.episodes).sorted { $0.startedAt_us < $1.startedAt_us }
  }

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - request: with all its fields and its content as `httpBody`.
  ///   - head: as it is to be recorded.
  ///   - completion: called once, on any thread.
  /// - Returns: what `cancel` asks for.
  func forward(
    _ request: URLRequest, head: RequestHead, url: LiveURL,
    completion: @escaping @Sendable (Answer) -> Void
  ) -> Ticket {
    var request = request
    // The fields of this request are the app's, cookies included.
    request.httpShouldHandleCookies = false
    request.cachePolicy = .reloadIgnoringLocalCacheData
    if request.value(forHTTPHeaderField: "Accept-Encoding") == nil {
      request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    }
    let ticket = state.withLock { state in
      state.ticketNext += 1
      let ticket = Ticket(number: state.ticketNext)
      state.tasks[ticket] = .some(nil)
      return ticket
    }
    queue.async { [request] in
      self.begin(request, ticket, head, url, completion)
    }
    return ticket
  }

  /// A request that is not over ends with an error.
  func cancel(_ ticket: Ticket) {
    queue.async {
      let task = self.state.withLock { $0.tasks.removeValue(forKey: ticket) }
      task??.cancel()
    }
  }

  /// Nothing is sent any more; what is under way ends with an error. What came is kept.
  func finish() {
    state.withLock { $0.isFinished = true }
    queue.async {
      let session = self.session.withLock { session in
        defer { session = nil }
        return session
      }
      session?.invalidateAndCancel()
      #if canImport(FoundationNetworking)
        if let session { Self.ended.withLock { $0.append(session) } }
      #endif
    }
  }

  #if canImport(FoundationNetworking)
    /// Sessions that are over. Released with connections that are open, one ends the process now
    /// and then, up to Swift 6.3; it knows nobody any more, so little is kept.
    private static let ended = Mutex<[URLSession]>([])
  #endif

  private func begin(
    _ request: URLRequest, _ ticket: Ticket, _ head: RequestHead, _ url: LiveURL,
    _ completion: @escaping @Sendable (Answer) -> Void
  ) {
    let isWanted = state.withLock { !$0.isFinished && $0.tasks[ticket] != nil }
    guard isWanted else { return completion(.failure(URLError(.cancelled))) }
    let task = innerSession().dataTask(with: request)
    let forwarding = Forwarding(
      ticket: ticket, request: head, url: url, content: request.httpBody,
      startedAt_us: Int64(Date().timeIntervalSince1970 * 1_000_000), completion: completion)
    state.withLock { state in
      state.count += request.httpBody?.count ?? 0
      state.forwardings[task.taskIdentifier] = forwarding
      state.tasks[ticket] = .some(task)
    }
    task.resume()
  }

  private func innerSession() -> URLSession {
    session.withLock { session in
      if let session { return session }
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.httpCookieStorage = nil
      configuration.httpShouldSetCookies = false
      let made = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
      session = made
      return made
    }
  }

  // MARK: What the session tells

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// A 401 is an answer like any other: whoever asked answers the challenge.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // It comes when the response has come whole. Whatever else is chosen here hangs, asks again
      // or ends with an error (Swift 6.3.1).
      end(task, nil)
      completionHandler(.cancelAuthenticationChallenge, nil)
    #else
      completionHandler(.performDefaultHandling, nil)
    #endif
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    change(dataTask) { forwarding in
      forwarding.response = response as? HTTPURLResponse
      forwarding.head_us = forwarding.started.duration(to: .now).microseconds
    }
    completionHandler(.allow)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
  ) {
    let isTooMuch = state.withLock { state in
      state.count += data.count
      return state.count > bytesMax
    }
    if isTooMuch { return queue.async { dataTask.cancel() } }
    change(dataTask) { forwarding in
      guard !data.isEmpty else { return }
      forwarding.body.append(data)
      let since_us = forwarding.started.duration(to: .now).microseconds - forwarding.head_us
      forwarding.arrivals.append(offset_us: since_us, count: Int64(data.count))
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    end(task, error)
  }

  /// Only the first call for a task counts.
  private func end(_ task: URLSessionTask, _ error: (any Error)?) {
    let forwarding = state.withLock { state in
      let forwarding = state.forwardings.removeValue(forKey: task.taskIdentifier)
      if let forwarding { state.tasks[forwarding.ticket] = nil }
      return forwarding
    }
    guard let forwarding else { return }
    forwarding.completion(answer(forwarding, error))
  }

  private func answer(_ forwarding: Forwarding, _ error: (any Error)?) -> Answer {
    // A task that is cancelled may have come to its end before.
    guard state.withLock(\.count) <= bytesMax else {
      return .failure(
        URLError(
          .dataLengthExceedsMaximum, "a test can't record more than \(bytesMax) bytes", for: nil))
    }
    if let error { return .failure(error as? URLError ?? URLError(.unknown)) }
    // What is no HTTP can't be recorded.
    guard let response = forwarding.response else { return .failure(URLError(.badServerResponse)) }
    let episode = Episode(forwarding, response)
    state.withLock { $0.episodes.append(episode) }
    return .success(episode)
  }

  private func change(_ task: URLSessionTask, _ body: (inout Forwarding) -> Void) {
    state.withLock { state in
      guard var forwarding = state.forwardings.removeValue(forKey: task.taskIdentifier) else {
        return
      }
      body(&forwarding)
      state.forwardings[task.taskIdentifier] = forwarding
    }
  }
}

extension Episode {
  fileprivate init(_ forwarding: EpisodeRecorder.Forwarding, _ response: HTTPURLResponse) {
    request = forwarding.request
    url = forwarding.url
    content = forwarding.content
    startedAt_us = forwarding.startedAt_us
    status = response.statusCode
    fields = response.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") }
    body = forwarding.body
    firstByte_us = forwarding.head_us
    end_us = forwarding.started.duration(to: .now).microseconds
    arrivals = forwarding.arrivals
  }
}

extension Duration {
  fileprivate var microseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
