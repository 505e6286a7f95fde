import FixtureStub
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Redirects are followed without the platform's help (B59).
@Suite struct Redirects {
  private func moved(_ status: Int, to target: String) -> Cassette.Answer {
    Cassette.Answer(status, headers: [("Location", target)], body: Data("moved".utf8))
  }

  @Test(arguments: ["/b", "https://api.example.com/b", "b", "//api.example.com/b"])
  func `the target's answer comes, from the target's URL`(target: String) async throws {
    let fixture = try Fixture(.get("/a", moved(302, to: target)), .get("/b", .text("there")))
    for _ in 0..<20 {
      #expect(try await fixture.session.answer("/a") == Answer(200, "there", at: "/b"))
    }
    #expect(fixture.exchanges.prefix(2).map(\.target) == ["/a", "/b"])
    #expect(fixture.exchanges.count == 40)
  }

  @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
  func `a POST becomes a GET but for 307 and 308`(status: Int, method: String) async throws {
    let fixture = try Fixture(
      .post("/a", moved(status, to: "/b")), .get("/b", .text("got")),
      .post("/b", body: Data("content".utf8), .text("posted")))
    let answer = try await fixture.session.answer(try request("POST", "/a", "content"))
    #expect(answer == Answer(200, method == "GET" ? "got" : "posted", at: "/b"))
    #expect(fixture.exchanges.map(\.method) == ["POST", method])
    #expect(fixture.exchanges.last?.body == Data((method == "GET" ? "" : "content").utf8))
    #expect((fixture.exchanges.last?.header("Content-Type") == nil) == (method == "GET"))
  }

  @Test func `a target that was not recorded is a miss`() async throws {
    let fixture = try Fixture(.get("/a", moved(302, to: "https://example.org/b")))
    #expect(try await fixture.session.answer("/a").status == 501)
    #expect(fixture.misses.first?.text.contains("https://example.org") == true)
  }

  @Test func `a loop ends with an error after twenty`() async throws {
    let fixture = try Fixture(.get("/a", moved(302, to: "/a")))
    #expect(try await fixture.session.failure("/a") == .httpTooManyRedirects)
    #expect(fixture.exchanges.count == 21)
  }

  @Test func `secrets don't go to another host`() async throws {
    let cassette: Cassette = [
      .get("/a", moved(302, to: "https://example.org/b")), .get("/b", .text("there")),
    ]
    let fixture = try Fixture(replaying: cassette)
    var request = try request("GET", "/a")
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    request.setValue("kept", forHTTPHeaderField: "X-Other")
    _ = try await fixture.session.answer(request)
    #expect(fixture.exchanges.map { $0.header("Authorization") } == ["Bearer secret", nil])
    #expect(fixture.exchanges.map { $0.header("X-Other") } == ["kept", "kept"])
    #expect(fixture.exchanges.map { $0.header("Host") } == ["api.example.com", "example.org"])
  }

  private final class Judge: Witness, @unchecked Sendable {
    // As its superclass is.
    let follows: Bool
    init(follows: Bool) { self.follows = follows }

    override func next(_ request: URLRequest) -> URLRequest? { follows ? request : nil }
  }

  @Test(arguments: [true, false], [true, false])
  func `the delegate decides`(follows: Bool, ofTask: Bool) async throws {
    let fixture = try Fixture(.get("/a", moved(302, to: "/b")), .get("/b", .text("there")))
    let judge = Judge(follows: follows)
    let session = URLSession(
      configuration: fixture.configuration, delegate: ofTask ? nil : judge, delegateQueue: nil)
    let (data, response) = try await session.data(
      from: try url("/a"), delegate: ofTask ? judge : nil)
    let expected = follows ? Answer(200, "there", at: "/b") : Answer(302, "moved", at: "/a")
    #expect(Answer(data, response) == expected)
    #expect(judge.events.filter { $0.contains(" to ") } == ["302 to /b"])
  }

  @Test func `cookies of a redirect go with what follows`() async throws {
    let fixture = try Fixture(
      .get(
        "/a",
        Cassette.Answer(302, headers: [("Location", "/b"), ("Set-Cookie", "a=1; Path=/")])),
      .get("/b", .text("there")))
    _ = try await fixture.session.answer("/a")
    #expect(fixture.exchanges.map { $0.header("Cookie") } == [nil, "a=1"])
  }
}
