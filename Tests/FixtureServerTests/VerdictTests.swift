import FixtureServer
import Foundation
import Testing

/// What a server inside a test says of its client.
@Suite(.ownThreads) struct VerdictTests {
  @Test func `who comes back too early is told, who was allowed to is not`() async throws {
    let server = try await FixtureServer.start { request in
      .text(
        "later", status: 503, headers: [("Retry-After", request.path == "/slow" ? "900" : "0")])
    }
    defer { server.stop() }
    let client = Client()
    for path in ["slow", "fast"] {
      for _ in 1...2 { _ = try await client.get(server.baseURL.appending(path: path)) }
    }
    await server.waitUntilSettled()
    let verdict = server.verdict(.init(attemptsMax: 1))
    #expect(verdict.findings(of: .retryAfter).map(\.exchanges) == [[1, 2]])
    #expect(verdict.findings(of: .attempts).map(\.exchanges) == [[1, 2], [3, 4]])
    #expect(verdict.failed.contains(.retryAfter))
    #expect("\(verdict)".contains("retry-after: GET /slow was repeated"))
    #expect(verdict.judged == 4)
    #expect(server.verdict().findings(of: .attempts).isEmpty)
  }

  @Test func `recordings that nobody asked for, and requests without one`() async throws {
    let server = try await FixtureServer.start(
      replaying: [.get("/a", .text("a")), .get("/b", .text("b"))])
    defer { server.stop() }
    let client = Client()
    for path in ["a", "c"] { _ = try await client.get(server.baseURL.appending(path: path)) }
    await server.waitUntilSettled()
    let verdict = server.verdict()
    #expect(verdict.failed == [.unused, .misses])
    #expect(server.verdict == verdict)
    #expect(server.unusedRecordings.map(\.description) == ["interaction 2 GET /b"])
    #expect(verdict.findings(of: .misses).map(\.exchanges) == [[2]])
  }
}
