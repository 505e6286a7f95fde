import FixtureStub
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A 401 never hangs and never leaves the process.
@Suite struct Challenges {
  private let basic = ("WWW-Authenticate", "Basic realm=\"shop\"")

  private func fixture() throws -> Fixture {
    let denied = Cassette.Answer(401, headers: [basic], body: Data("who?".utf8))
    let authorized = [(name: "Authorization", value: "Basic QWRhOnNlY3JldA==")]
    return try Fixture(
      replaying: Cassette(
        [
          .init("GET", "/a", denied),
          .init("GET", "/a", headers: authorized, .text("hello Ada")),
        ], upstream: site),
      options: FixtureOptions(matching: "+header:Authorization"))
  }

  private final class Ada: Witness, @unchecked Sendable {
    // As its superclass is.
    let disposition: URLSession.AuthChallengeDisposition
    let password: String

    init(_ disposition: URLSession.AuthChallengeDisposition, _ password: String) {
      self.disposition = disposition
      self.password = password
    }

    override func answer(
      _ challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      if challenge.previousFailureCount > 2 { return (.rejectProtectionSpace, nil) }
      return (disposition, URLCredential(user: "Ada", password: password, persistence: .none))
    }
  }

  @Test(arguments: ["Basic realm=\"shop\"", "Bearer", "Digest realm=\"x\", nonce=\"y\"", ""])
  func `without a delegate the 401 itself comes`(challenge: String) async throws {
    let headers = challenge.isEmpty ? [] : [("WWW-Authenticate", challenge)]
    let denied = Cassette.Answer(401, headers: headers, body: Data("who?".utf8))
    let fixture = try Fixture(.get("/a", denied))
    let (data, response) = try await fixture.session.data(from: try url("/a"))
    #expect(Answer(data, response) == Answer(401, "who?", at: "/a"))
    let http = try #require(response as? HTTPURLResponse)
    #expect(http.value(forHTTPHeaderField: "WWW-Authenticate") ?? "" == challenge)
  }

  @Test func `a delegate's credentials are sent`() async throws {
    let fixture = try fixture()
    let ada = Ada(.useCredential, "secret")
    let session = URLSession(
      configuration: fixture.configuration, delegate: ada, delegateQueue: nil)
    session.dataTask(with: try url("/a")).resume()
    await ada.waitUntilEnd()
    #expect(ada.events == ["challenge shop 0", "response 200", "data hello Ada", "end"])
    #expect(fixture.exchanges.map(\.status) == [401, 200])
  }

  @Test func `wrong ones are asked for again, and refusing gives the 401`() async throws {
    let denied = Cassette.Answer(401, headers: [basic], body: Data("who?".utf8))
    let fixture = try Fixture(.get("/a", denied))
    let ada = Ada(.useCredential, "wrong")
    let (data, response) = try await fixture.session.data(from: try url("/a"), delegate: ada)
    #expect(Answer(data, response) == Answer(401, "who?", at: "/a"))
    #expect(
      ada.events == [
        "challenge shop 0", "challenge shop 1", "challenge shop 2", "challenge shop 3",
        "response 401",
      ])
    #expect(fixture.exchanges.count == 4)
  }

  @Test func `default handling gives the 401, cancelling an error`() async throws {
    let fixture = try fixture()
    let unmoved = Ada(.performDefaultHandling, "")
    let (data, response) = try await fixture.session.data(from: try url("/a"), delegate: unmoved)
    #expect(Answer(data, response) == Answer(401, "who?", at: "/a"))
    let source = try url("/a")
    let error = await #expect(throws: URLError.self) {
      try await fixture.session.data(
        from: source, delegate: Ada(.cancelAuthenticationChallenge, ""))
    }
    #expect(error?.code == .cancelled)
  }

  @Test func `stored credentials are used without asking`() async throws {
    let fixture = try fixture()
    let storage = URLCredentialStorage()
    let space = URLProtectionSpace(
      host: "api.example.com", port: 443, protocol: "https", realm: "shop",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    storage.setDefaultCredential(
      URLCredential(user: "Ada", password: "secret", persistence: .forSession), for: space)
    let configuration = fixture.configuration
    configuration.urlCredentialStorage = storage
    let session = URLSession(configuration: configuration)
    #expect(try await session.answer("/a") == Answer(200, "hello Ada", at: "/a"))
  }
}
