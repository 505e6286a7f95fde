import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Asks the control API of a `fixtured replay` that runs in another process: for test runners of
/// apps, such as those of XCUITest, that can't replay inside the app.
///
///     let control = FixtureControl(URL(string: "http://127.0.0.1:8378")!)
///     let session = try await control.createSession(
///       .init(scenario: "GET /feed: first 2, status 503, retry-after 1s"))
///     app.launchEnvironment["API_BASE_URL"] = session.baseURL.absoluteString
///     …
///     let verdict = try await session.delete()
///     XCTAssert(verdict.findings.isEmpty, "\(verdict)")
///
/// It needs nothing but Foundation.
public struct FixtureControl: Sendable {
  /// Where the API is answered: `http://HOST:PORT`.
  public let url: URL
  private let token: String?
  private let network: URLSession
  private let timeout: TimeInterval

  /// - Parameters:
  ///   - url: what the replay prints as `control on`.
  ///   - token: the one of `FIXTURED_CONTROL_TOKEN`, which the API needs beyond loopback.
  ///   - timeout: after so many seconds without an answer a call fails.
  public init(_ url: URL, token: String? = nil, timeout: TimeInterval = 30) {
    self.url = url
    self.token = token
    self.timeout = timeout
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    network = URLSession(configuration: configuration)
  }

  /// The client for `FIXTURED_CONTROL_URL` and `FIXTURED_CONTROL_TOKEN` of the environment; nil
  /// when there is no such URL.
  public init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard let url = environment["FIXTURED_CONTROL_URL"].flatMap({ URL(string: $0) }) else {
      return nil
    }
    self.init(url, token: environment["FIXTURED_CONTROL_TOKEN"])
  }

  /// Why a call failed.
  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nobody answered, or the connection broke; what was said.
    case unreachable(URL, String)
    /// The API refused it; the status, and what is wrong.
    case refused(status: Int, detail: String)
    /// What was answered is not what this version understands.
    case answerUnknown(String)

    /// What, where, and what to do.
    public var description: String {
      switch self {
      case .unreachable(let url, let said):
        "no control API answers at \(url.absoluteString), \(said): start fixtured replay with"
          + " --control"
      case .refused(let status, let detail): "the control API refused, status \(status): \(detail)"
      case .answerUnknown(let what):
        "the control API answered with \(what): use the FixtureControl of its version"
      }
    }
  }

  /// Returns when the API answers.
  public func checkHealth() async throws(Failure) {
    let _: Health = try await ask("GET", "/v1/health")
  }

  /// Makes a session: a replay with ports, places, counts, flags, clock and journal of its own.
  public func createSession(_ setup: SessionSetup = SessionSetup()) async throws(Failure) -> Session
  {
    let status: SessionStatus = try await ask("POST", "/v1/sessions", setup)
    return try session(status)
  }

  /// All sessions: that of the command first, then in the order in which they were made.
  public func sessions() async throws(Failure) -> [SessionStatus] {
    let all: Sessions = try await ask("GET", "/v1/sessions")
    return all.sessions
  }

  /// The session of this id, which somebody made before; `default` is that of the command.
  public func session(id: String) async throws(Failure) -> Session {
    try session(try await ask("GET", "/v1/sessions/\(Self.escaped(id))"))
  }

  private func session(_ status: SessionStatus) throws(Failure) -> Session {
    guard let session = Session(self, status) else {
      throw .answerUnknown("a session without a URL")
    }
    return session
  }
}

extension FixtureControl {
  struct Health: Decodable { let status: String }
  struct Sessions: Decodable { let sessions: [SessionStatus] }
  private struct Problem: Decodable { let detail: String }
  private struct Nothing: Encodable {}

  /// As a segment of a path.
  static func escaped(_ text: String) -> String {
    let plain = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
  }

  func ask<Value: Decodable>(
    _ method: String, _ target: String
  ) async throws(Failure) -> Value {
    try await ask(method, target, Nothing?.none)
  }

  func ask<Value: Decodable, Content: Encodable>(
    _ method: String, _ target: String, _ content: Content?
  ) async throws(Failure) -> Value {
    let base = url.absoluteString
    guard let place = URL(string: (base.hasSuffix("/") ? String(base.dropLast()) : base) + target)
    else { throw .unreachable(url, "it is no URL to append \(target) to") }
    var request = URLRequest(url: place, timeoutInterval: timeout)
    request.httpMethod = method
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    let data: Data
    let response: URLResponse
    do {
      if let content {
        request.httpBody = try JSONEncoder().encode(content)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      }
      (data, response) = try await network.data(for: request)
    } catch {
      throw .unreachable(url, error.localizedDescription)
    }
    guard let status = (response as? HTTPURLResponse)?.statusCode else {
      throw .answerUnknown("what is not HTTP")
    }
    guard (200...299).contains(status) else {
      // Without a problem document the status has to do.
      let detail = (try? JSONDecoder().decode(Problem.self, from: data))?.detail
      throw .refused(status: status, detail: detail ?? "no reason was given")
    }
    do {
      return try JSONDecoder().decode(Value.self, from: data)
    } catch {
      throw .answerUnknown("\(error)")
    }
  }
}
