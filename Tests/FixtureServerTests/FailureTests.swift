import FixtureServer
import Foundation
import Testing

/// What `URLSession` makes of answers that fail.
@Suite(.ownThreads) struct FailureTests {
  private typealias Response = FixtureServer.Response
  private typealias Piece = FixtureServer.Response.Piece

  private func failure(_ response: Response) async throws -> (URLError.Code?, FixtureServer) {
    let server = try await FixtureServer.start { _ in response }
    let code = await Client(idleTimeout: 20).failure(server.baseURL)
    await server.waitUntilSettled()
    server.stop()
    return (code, server)
  }

  @Test
  func `a reset before the head is a lost connection, an end there a bad response`() async throws {
    #expect(try await failure(Response(body: [.reset])).0 == .networkConnectionLost)
    #expect(try await failure(Response(body: [.close])).0 == .badServerResponse)
  }

  @Test
  func `a reset in the content is a lost connection, an end there an unknown error`() async throws {
    let part = Piece.bytes(Data(repeating: 7, count: 1_000))
    let pause = Piece.pause(.milliseconds(100))
    let (reset, first) = try await failure(Response(body: [part, pause, .reset, part]))
    #expect(reset == .networkConnectionLost)
    #expect(first.bodyBytesSent == 1_000)
    let (cut, second) = try await failure(Response(body: [part, pause, .close, part]))
    #expect(cut == .unknown)
    #expect(second.bodyBytesSent == 1_000)
    #expect(second.exchanges.map(\.outcome) == [.closed])
  }

  @Test func `chunks without their end are an unknown error`() async throws {
    let response = Response(
      headers: [("Transfer-Encoding", "chunked")], body: [.bytes(Data("abc".utf8)), .close])
    #expect(try await failure(response).0 == .unknown)
  }

  @Test func `bytes that are no HTTP are an unsupported URL`() async throws {
    let response = Response(body: [.raw(Data("SSH-2.0-OpenSSH_9.2\r\n".utf8))])
    #expect(try await failure(response).0 == .unsupportedURL)
  }

  @Test(arguments: [400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504])
  func `a status is no failure of the network`(status: Int) async throws {
    let server = try await FixtureServer.start { _ in .text("why \(status)", status: status) }
    defer { server.stop() }
    let answer = try await Client().get(server.baseURL)
    #expect(answer.status == status)
    #expect(String(decoding: answer.body, as: UTF8.self) == "why \(status)")
  }

  /// The state is the handler's own; a reset is what an app retries.
  @Test func `the first two are lost, the third is answered`() async throws {
    let tries = Tries()
    let server = try await FixtureServer.start { _ in
      await tries.next() <= 2 ? Response(body: [.reset]) : .text("there")
    }
    defer { server.stop() }
    let client = Client()
    #expect(await client.failure(server.baseURL) == .networkConnectionLost)
    #expect(await client.failure(server.baseURL) == .networkConnectionLost)
    #expect(try await client.get(server.baseURL).status == 200)
    #expect(server.exchanges.map(\.status) == [nil, nil, 200])
    #expect(server.exchanges.map(\.outcome) == [.reset, .reset, .completed])
  }

  private actor Tries {
    private var count = 0

    func next() -> Int {
      count += 1
      return count
    }
  }
}
