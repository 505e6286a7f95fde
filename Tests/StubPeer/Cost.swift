import FixtureStub
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a request costs through the stub, against the least that any stub can cost: a protocol that
/// answers a constant.
enum Cost {
  private final class Constant: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
      guard let url = request.url,
        let response = HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: "HTTP/1.1",
          headerFields: ["Content-Type": "application/json"])
      else { return }
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data(#"{"ok": true}"#.utf8))
      client?.urlProtocolDidFinishLoading(self)
    }
  }

  private static let rounds = 12
  private static let requestsPerRound = 500
  /// So many times the constant one a request may cost.
  private static let ratioMax = 1.6

  /// - Returns: whether a request costs little enough, be it always the same or another each time.
  static func compare() async throws -> Bool {
    let headers = [
      ("Server", "nginx/1.22.1"), ("Date", "Mon, 30 Nov 2026 09:36:33 GMT"),
      ("Last-Modified", "Mon, 30 Nov 2026 09:36:33 GMT"), ("ETag", "\"6b0d43a1-400\""),
      ("Cache-Control", "max-age=60"),
    ]
    let cassette = Cassette(
      (1...10_000).map { number in
        .get("/items/\(number)?lang=en", .json(#"{"item": \#(number)}"#, headers: headers))
      }, upstream: site)
    let same = try await compare(cassette, "/items/1?lang=en")
    let others = try await compare(cassette, "/items/#?lang=en")
    return same && others
  }

  private static let site = "https://api.example.com"

  private static func compare(_ cassette: Cassette, _ target: String) async throws -> Bool {
    let fixture = try Fixture(replaying: cassette)
    let constant = URLSessionConfiguration.ephemeral
    constant.protocolClasses = [Constant.self]
    constant.urlCache = nil
    let bare = URLSession(configuration: constant)
    let requests = try (1...requestsPerRound).map { number in
      guard let url = URL(string: site + target.replacing("#", with: "\(number)")) else {
        throw URLError(.badURL)
      }
      return URLRequest(url: url)
    }
    _ = try await time(bare, requests)
    _ = try await time(fixture.session, requests)
    var bares: [Double] = []
    var stubs: [Double] = []
    for _ in 0..<rounds {
      bares.append(try await time(bare, requests))
      stubs.append(try await time(fixture.session, requests))
    }
    let ratios = zip(stubs, bares).map { $0 / $1 }.sorted()
    let ratio = ratios[ratios.count / 2]
    print(
      "\(target): a bare protocol \(microseconds(bares)), the stub \(microseconds(stubs)) a request, "
        + "\((ratio * 100).rounded() / 100) times (median of \(rounds), at most \(ratioMax)); "
        + "misses \(fixture.misses.count)")
    return ratio <= ratioMax && fixture.misses.isEmpty
  }

  private static func microseconds(_ values: [Double]) -> String {
    "\((values.sorted()[values.count / 2] * 10).rounded() / 10) µs"
  }

  /// - Returns: microseconds a request.
  private static func time(
    _ session: URLSession, _ requests: [URLRequest]
  ) async throws -> Double {
    let begin = ContinuousClock.now
    for request in requests { _ = try await session.data(for: request) }
    let time = ContinuousClock.now - begin
    return (time / .microseconds(1)) / Double(requests.count)
  }
}
