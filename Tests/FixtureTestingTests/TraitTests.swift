import FixtureTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private let feed: Cassette = [
  .get("/feed", .json(#"{"items": []}"#, headers: [("ETag", "\"v1\"")])),
  .get("/old", .text("old")),
]

private let url = URL(string: "http://feed.example/feed")!

extension Fixture {
  /// The status and the text that the session of this test gets.
  fileprivate static func get(_ url: URL) async throws -> (status: Int, text: String) {
    let fixture = try #require(Fixture.current)
    let (data, response) = try await fixture.session.data(from: url)
    let status = try #require(response as? HTTPURLResponse).statusCode
    return (status, String(decoding: data, as: UTF8.self))
  }
}

@Suite(.timeLimit(.minutes(2))) struct FixtureTraits {
  @Test(.cassette(feed)) func `a test has a fixture of its own`() async throws {
    let answer = try await Fixture.get(url)
    #expect(answer.status == 200)
    #expect(answer.text == #"{"items": []}"#)
    #expect(Fixture.current?.exchanges.map(\.target) == ["/feed"])
  }

  @Test func `a test without traits has none`() {
    #expect(Fixture.current == nil)
  }

  @Test(.cassette(feed), arguments: 1...8)
  func `each case of a test has a fixture of its own, also at the same time`(
    _ count: Int
  ) async throws {
    for _ in 1...count { _ = try await Fixture.get(url) }
    #expect(Fixture.current?.exchanges.count == count)
  }

  @Test(.cassette(feed), .scenario("GET /feed: first 1, status 503"), .clock(.manual))
  func `traits of one test stack`() async throws {
    let fixture = try #require(Fixture.current)
    #expect(fixture.clock.kind == .manual)
    #expect(try await Fixture.get(url).status == 503)
    #expect(try await Fixture.get(url).status == 200)
  }

  @Test(.cassette("Cassettes/inside", file: "/nowhere/Tests.swift"), .allowingMisses, .disabled())
  func `a test that does not run needs no cassette`() {}

  @Test(.cassette(feed), .allowingMisses)
  func `a test may look at its misses itself`() async throws {
    let answer = try await Fixture.get(URL(string: "http://feed.example/new")!)
    #expect(answer.status == 501)
    #expect(Fixture.current?.misses.count == 1)
    #expect(Fixture.current?.unusedRecordings.map(\.target) == ["/feed", "/old"])
  }

  @Test(.cassette(feed), .matching("method"), .usingEveryRecording)
  func `words of matching are followed`() async throws {
    let any = URL(string: "http://feed.example/any")!
    #expect(try await Fixture.get(any).text == #"{"items": []}"#)
    #expect(try await Fixture.get(any).text == "old")
  }

  @Test(.cassette(feed), .options { $0.exhausted = .miss }, .allowingMisses)
  func `options are followed`() async throws {
    #expect(try await Fixture.get(url).status == 200)
    #expect(try await Fixture.get(url).status == 501)
  }

  @Test(.cassette(feed))
  func `tasks that a test begins have its fixture`() async throws {
    async let first = Fixture.get(url).status
    async let second = Fixture.get(url).status
    #expect(try await [first, second] == [200, 200])
    let inner = await Task { Fixture.current === nil }.value
    #expect(!inner)
  }
}

@Suite(.cassette(feed), .scenario("*: set X-Suite \"yes\""), .timeLimit(.minutes(2)))
struct SuiteTraits {
  @Test func `traits of a suite go for each of its tests`() async throws {
    #expect(try await header("X-Suite") == "yes")
    #expect(Fixture.current?.exchanges.count == 1)
  }

  @Test(.scenario("*: set X-Test \"too\""))
  func `those of a test come after those of its suite`() async throws {
    #expect(try await header("X-Suite") == "yes")
    #expect(try await header("X-Test") == "too")
  }

  @Suite struct Inner {
    @Test func `a suite inside has them too`() async throws {
      #expect(try await header("X-Suite") == "yes")
    }
  }
}

private func header(_ name: String) async throws -> String? {
  let fixture = try #require(Fixture.current)
  let (_, response) = try await fixture.session.data(from: url)
  return try #require(response as? HTTPURLResponse).value(forHTTPHeaderField: name)
}
