import FixtureStub
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Each way to ask with URLSession gives the same.
@Suite struct Styles {
  private let expected = Answer(200, "hello", at: "/a")

  private func fixture() throws -> Fixture {
    try Fixture(.get("/a", .text("hello")), .post("/b", .text("posted")))
  }

  @Test func `await data`() async throws {
    let fixture = try fixture()
    #expect(try await fixture.session.answer("/a") == expected)
    #expect(fixture.exchanges.map(\.status) == [200])
    #expect(fixture.exchanges.map(\.outcome) == [.completed])
    #expect(fixture.exchanges.map(\.bodyBytesSent) == [5])
  }

  @Test func `a completion handler`() async throws {
    let fixture = try fixture()
    let request = URLRequest(url: try url("/a"))
    let answer = await withCheckedContinuation { continuation in
      fixture.session.dataTask(with: request) { data, response, error in
        continuation.resume(returning: (Answer(data, response), error == nil))
      }.resume()
    }
    #expect(answer == (expected, true))
  }

  @Test func `a delegate of the session gets each piece when it is due`() async throws {
    let fixture = try Fixture(
      .get("/a", .text("abcdef")), scenario: "*: trickle 2B/20ms", clock: .immediate)
    let witness = Witness()
    let session = URLSession(
      configuration: fixture.configuration, delegate: witness, delegateQueue: nil)
    session.dataTask(with: try url("/a")).resume()
    await witness.waitUntilEnd()
    #expect(witness.events == ["response 200", "data ab", "data cd", "data ef", "end"])
  }

  @Test func `a completion handler beside a delegate gets all of it`() async throws {
    let fixture = try Fixture(
      .get("/a", .text("abcdef")), scenario: "*: trickle 2B/20ms", clock: .immediate)
    let session = URLSession(
      configuration: fixture.configuration, delegate: Witness(), delegateQueue: nil)
    #expect(try await session.answer("/a") == Answer(200, "abcdef", at: "/a"))
    let request = URLRequest(url: try url("/a"))
    let answer = await withCheckedContinuation { continuation in
      session.dataTask(with: request) { data, response, _ in
        continuation.resume(returning: Answer(data, response))
      }.resume()
    }
    #expect(answer == Answer(200, "abcdef", at: "/a"))
  }

  @Test func `a delegate of the task`() async throws {
    let fixture = try fixture()
    let witness = Witness()
    let (data, response) = try await fixture.session.data(from: try url("/a"), delegate: witness)
    #expect(Answer(data, response) == expected)
  }

  @Test func `an empty answer is empty, not missing`() async throws {
    let fixture = try Fixture(.get("/empty", .text("")), .get("/none", .status(204)))
    #expect(try await fixture.session.answer("/empty") == Answer(200, "", at: "/empty"))
    #expect(try await fixture.session.answer("/none") == Answer(204, "", at: "/none"))
  }

  @Test func `HEAD has the length and no content`() async throws {
    let fixture = try fixture()
    let (data, response) = try await fixture.session.data(for: try request("HEAD", "/a"))
    #expect(data.isEmpty)
    #expect(response.expectedContentLength == 5)
  }

  @Test(arguments: ["await", "handler", "delegate"])
  func `a download is refused by name`(style: String) async throws {
    let fixture = try fixture()
    let source = try url("/a")
    let error: (any Error)?
    switch style {
    case "await":
      error = await #expect(throws: URLError.self) {
        try await fixture.session.download(from: source)
      }
    case "handler":
      error = await withCheckedContinuation { continuation in
        fixture.session.downloadTask(with: source) { _, _, error in
          continuation.resume(returning: error)
        }.resume()
      }
    default:
      let witness = DownloadWitness()
      let session = URLSession(
        configuration: fixture.configuration, delegate: witness, delegateQueue: nil)
      session.downloadTask(with: source).resume()
      await witness.waitUntilEnd()
      #expect(witness.events == ["error -1002"])
      return
    }
    #expect(error?.localizedDescription.contains("downloads can't be replayed") == true)
    #expect(fixture.exchanges.isEmpty)
  }

  private final class DownloadWitness: Witness, URLSessionDownloadDelegate, @unchecked Sendable {
    // As its superclass is.
    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    ) { say("downloaded") }
  }

  @Test func `a URL of another scheme is refused, too`() async throws {
    let fixture = try fixture()
    for address in ["ftp://api.example.com/a", "file:///etc/hosts", "https:///a"] {
      let url = try #require(URL(string: address))
      await #expect(throws: URLError.self) { try await fixture.session.data(from: url) }
    }
  }

  @Test func `what was not recorded is a miss that says what is near`() async throws {
    let fixture = try fixture()
    let answer = try await fixture.session.answer("/a?b=1")
    #expect(answer.status == 501)
    #expect(answer.text.contains("\"nearest\""))
    #expect(fixture.misses.map(\.exchange) == [1])
    #expect(fixture.misses.first?.text.contains("interaction 1 GET /a") == true)
    #expect(fixture.unusedRecordings.map(\.target) == ["/a", "/b"])
  }

  @Test func `what is for somebody else is a miss that says so`() async throws {
    let fixture = try fixture()
    let other = try #require(URL(string: "https://example.org/a"))
    let answer = try await fixture.session.answer(URLRequest(url: other))
    #expect(answer.status == 501)
    #expect(answer.text.contains("https://example.org"))
    let local = try #require(URL(string: "http://127.0.0.1:8377/a"))
    #expect(try await fixture.session.answer(URLRequest(url: local)).text == "hello")
  }

  @Test(arguments: [
    (Fixture.ErrorCodes.common, URLError.Code.networkConnectionLost),
    (.platform, .badServerResponse),
  ])
  func `a session of its own has the error codes that it was given`(
    codes: Fixture.ErrorCodes, expected: URLError.Code
  ) async throws {
    let session = try URLSession(
      replaying: Cassette([.get("/a", .text("hello"))], upstream: site), scenario: "*: close",
      errorCodes: codes)
    #expect(try await session.failure("/a") == expected)
  }

  @Test func `a session of its own replays and keeps what it replays`() async throws {
    let session = try URLSession(replaying: [.get("/a", .text("hello"))])
    #expect(try await session.answer("/a") == expected)
    let configuration = URLSessionConfiguration.default
    let other = URLSession(configuration: try configuration.replaying([.get("/a", .text("x"))]))
    #expect(try await other.answer("/a").text == "x")
    #expect(configuration.protocolClasses?.contains { "\($0)".contains("Isolated") } != true)
  }
}
