import FixtureStub
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What ends an exchange on the wire is an error in the stub, with the same code everywhere.
@Suite struct Failures {
  private struct Case: Sendable {
    let rule: String
    let common: URLError.Code
    let linux: URLError.Code
  }

  private static let cases = [
    Case(rule: "reset", common: .networkConnectionLost, linux: .networkConnectionLost),
    Case(rule: "close", common: .networkConnectionLost, linux: .badServerResponse),
    Case(rule: "close in head", common: .networkConnectionLost, linux: .badServerResponse),
    Case(rule: "reset at 2B", common: .networkConnectionLost, linux: .networkConnectionLost),
    Case(rule: "close at 2B", common: .networkConnectionLost, linux: .unknown),
    Case(rule: "truncate at 50%", common: .networkConnectionLost, linux: .unknown),
    Case(rule: "malformed status", common: .cannotParseResponse, linux: .unsupportedURL),
    Case(rule: "malformed field", common: .cannotParseResponse, linux: .unknown),
    Case(rule: "malformed chunk", common: .cannotParseResponse, linux: .unknown),
    Case(rule: "malformed length", common: .cannotParseResponse, linux: .unknown),
    Case(rule: "corrupt gzip", common: .cannotDecodeContentData, linux: .unknown),
    Case(rule: "hang", common: .timedOut, linux: .timedOut),
    Case(rule: "hang at 2B", common: .timedOut, linux: .timedOut),
    Case(rule: "redirect loop", common: .httpTooManyRedirects, linux: .httpTooManyRedirects),
  ]

  @Test(arguments: cases.indices)
  func `each has its code`(index: Int) async throws {
    let one = Self.cases[index]
    for codes in [Fixture.ErrorCodes.common, .platform] {
      let fixture = try Fixture(
        replaying: Cassette([.get("/a", .text("hello"))], upstream: site),
        scenario: FixtureScenario("GET *: \(one.rule)"), clock: .immediate, errorCodes: codes)
      let expected = codes == .common ? one.common : one.linux
      #expect(try await fixture.session.failure("/a") == expected, "\(one.rule), \(codes)")
      #expect(fixture.exchanges.last?.outcome != .open)
    }
  }

  @Test(arguments: ["corrupt json", "corrupt utf8"])
  func `broken content that is framed rightly comes as it is`(rule: String) async throws {
    let fixture = try Fixture(
      .get("/a", .json("{\"a\": 1}")), scenario: FixtureScenario("*: \(rule)"))
    #expect(try await fixture.session.answer("/a").status == 200)
  }

  @Test func `an error names what happened and where`() async throws {
    let fixture = try Fixture(.get("/a", .text("hello")), scenario: "*: reset")
    let source = try url("/a")
    let error = await #expect(throws: URLError.self) {
      try await fixture.session.data(from: source)
    }
    #expect(error?.localizedDescription == "the connection was reset")
    #expect(error?.failingURL == source)
  }

  @Test func `a refused connection leaves no exchange, and later ones are served`() async throws {
    let fixture = try Fixture(
      .get("/a", .text("hello")), scenario: "*: for 2s, refuse", clock: .manual)
    #expect(try await fixture.session.failure("/a") == .cannotConnectToHost)
    #expect(fixture.exchanges.isEmpty)
    await fixture.clock.advance(by: .seconds(2))
    #expect(try await fixture.session.answer("/a").text == "hello")
  }

  @Test func `flags raise and lower what connections meet`() async throws {
    let fixture = try Fixture(
      .get("/a", .text("hello")),
      scenario: """
        GET /a: nth 2, raise down
        *: while down, refuse
        """)
    #expect(try await fixture.session.answer("/a").text == "hello")
    #expect(try await fixture.session.answer("/a").text == "hello")
    #expect(try await fixture.session.failure("/a") == .cannotConnectToHost)
  }

  @Test(arguments: ["queue", "refuse", "stall"])
  func `so many exchanges at a time`(excess: String) async throws {
    let fixture = try Fixture(
      .get("/a", .text("hello")),
      scenario: FixtureScenario("*: hold answer\n*: connections 2 \(excess)"))
    let configuration = fixture.configuration
    configuration.timeoutIntervalForRequest = excess == "stall" ? 0.2 : 60
    let session = URLSession(configuration: configuration)
    let begun = Task { [session] in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { _ = try await session.answer("/a") } }
        try await group.waitForAll()
      }
    }
    try await fixture.gate("answer").waitUntilEntered(2)
    let third = Task { [session] in
      do {
        return try await session.answer("/a").text
      } catch let error as URLError {
        return "\(error.code.rawValue)"
      }
    }
    if excess == "queue" {
      while fixture.waiting < 3 { try await Task.sleep(for: .milliseconds(5)) }
      #expect(fixture.exchanges.count == 2)
      fixture.gate("answer").release()
      #expect(try await third.value == "hello")
    } else {
      #expect(try await third.value == (excess == "refuse" ? "-1005" : "-1001"))
      fixture.gate("answer").release()
    }
    // Where one times out that is stalled, so do those that are held.
    if excess != "stall" { try await begun.value } else { _ = await begun.result }
  }
}
