import FixtureStub
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let site = "https://api.example.com"

func url(_ path: String) throws -> URL { try #require(URL(string: site + path)) }

/// A request with a method and content.
func request(_ method: String, _ path: String, _ body: String? = nil) throws -> URLRequest {
  var request = URLRequest(url: try url(path))
  request.httpMethod = method
  request.httpBody = body.map { Data($0.utf8) }
  return request
}

extension Fixture {
  /// Some interactions of `site`.
  convenience init(
    _ interactions: Cassette.Interaction..., scenario: FixtureScenario? = nil,
    clock: FixtureClock = .real
  ) throws(FixtureFailure) {
    try self.init(
      replaying: Cassette(interactions, upstream: site), scenario: scenario, clock: clock)
  }
}

extension URLSession {
  /// Status and text of an answer.
  func answer(_ request: URLRequest) async throws -> Answer {
    let (data, response) = try await data(for: request)
    return Answer(data, response)
  }

  func answer(_ path: String) async throws -> Answer {
    try await answer(URLRequest(url: try url(path)))
  }

  /// The code of the error that a request ends with.
  func failure(_ path: String) async throws -> URLError.Code? {
    do {
      _ = try await data(from: try url(path))
      return nil
    } catch let error as URLError {
      return error.code
    }
  }
}

/// What a client sees of an answer.
struct Answer: Equatable, CustomStringConvertible {
  var status: Int
  var text: String
  var url: String

  init(_ status: Int, _ text: String, at path: String) {
    self.status = status
    self.text = text
    url = path.hasPrefix("/") ? site + path : path
  }

  init(_ data: Data?, _ response: URLResponse?) {
    status = (response as? HTTPURLResponse)?.statusCode ?? 0
    text = data.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
    url = response?.url?.absoluteString ?? "nowhere"
  }

  var description: String { "\(status) \(text) from \(url)" }
}

/// Writes down what a session tells its delegate, in order, and answers what it is asked.
///
/// All that a delegate may do is declared here: on Linux what only a subclass has is not called.
class Witness: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // Under the lock.
  private let lock = NSLock()
  private var said: [String] = []
  private var ended: CheckedContinuation<Void, Never>?
  private var hasEnded = false

  var events: [String] { lock.withLock { said } }

  func say(_ event: String) { lock.withLock { said.append(event) } }

  /// Returns once a task has ended.
  func waitUntilEnd() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isOver = lock.withLock { () -> Bool in
        if !hasEnded { ended = continuation }
        return hasEnded
      }
      if isOver { continuation.resume() }
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    say("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    say("data \(String(decoding: data, as: UTF8.self))")
  }

  /// What becomes of a redirect; nil refuses it.
  func next(_ request: URLRequest) -> URLRequest? { request }

  /// How a challenge is answered.
  func answer(
    _ challenge: URLAuthenticationChallenge
  ) -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.performDefaultHandling, nil) }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    say("\(response.statusCode) to \(request.url?.path ?? "nowhere")")
    completionHandler(next(request))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (
        URLSession.AuthChallengeDisposition, URLCredential?
      ) -> Void
  ) {
    say("challenge \(challenge.protectionSpace.realm ?? "") \(challenge.previousFailureCount)")
    let (disposition, credential) = answer(challenge)
    completionHandler(disposition, credential)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) { completionHandler(InputStream(data: Data("hello".utf8))) }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let code = (error as? URLError).map { "error \($0.code.rawValue)" }
    say(error == nil ? "end" : code ?? "another error")
    let waiting = lock.withLock { () -> CheckedContinuation<Void, Never>? in
      hasEnded = true
      defer { ended = nil }
      return ended
    }
    waiting?.resume()
  }
}
