import FixtureServer
import Foundation
import Glibc
import Testing

/// What is sent of what a handler returns, byte by byte.
@Suite(.ownThreads) struct ResponseTests {
  private typealias Response = FixtureServer.Response

  /// Everything a server sends for one request on a connection of its own.
  private func answer(
    to method: String = "GET", _ response: Response
  ) async throws -> (text: String, errno: Int32, exchange: FixtureServer.Exchange) {
    let server = try await FixtureServer.start { _ in response }
    defer { server.stop() }
    let connection = try RawConnection(to: server.baseURL)
    connection.send("\(method) / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
    let (text, end) = await connection.readAll()
    await server.waitUntilSettled()
    return (text, end, try #require(server.exchanges.first))
  }

  private static let dated = [(name: "Date", value: "now")]

  @Test func `a length and a date are added`() async throws {
    let answer = try await answer(Response(body: [.bytes(Data("abc".utf8))])).text
    let lines = answer.split(separator: "\r\n", omittingEmptySubsequences: false)
    try #require(lines.count == 6)
    #expect(lines[0] == "HTTP/1.1 200 OK")
    #expect(lines[1].hasPrefix("Date: ") && lines[1].hasSuffix(" GMT"))
    #expect(lines[2...] == ["Content-Length: 3", "Connection: close", "", "abc"])
  }

  @Test func `fields keep their order and repeats, and a given length is not doubled`()
    async throws
  {
    let answer = try await answer(
      Response(
        status: 404,
        headers: [
          ("Set-Cookie", "a=1; Path=/"), ("X-Mid", "m"), ("Set-Cookie", "b=2"),
          ("content-length", "2"), ("Date", "now"),
        ], body: [.bytes(Data("ok".utf8))])
    ).text
    #expect(
      answer
        == "HTTP/1.1 404 Not Found\r\nSet-Cookie: a=1; Path=/\r\nX-Mid: m\r\nSet-Cookie: b=2\r\n"
        + "content-length: 2\r\nDate: now\r\nConnection: close\r\n\r\nok")
  }

  @Test func `each piece is a chunk where the handler says chunked`() async throws {
    let answer = try await answer(
      Response(
        headers: Self.dated + [("Transfer-Encoding", "chunked")],
        body: [.bytes(Data("abc".utf8)), .bytes(Data("de".utf8))])
    ).text
    #expect(
      answer
        == "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
  }

  @Test func `no content follows a 304, a 204 or the answer to HEAD`() async throws {
    let body = [Response.Piece.bytes(Data("abc".utf8))]
    let notModified = Response(status: 304, headers: Self.dated + [("ETag", "\"v1\"")], body: body)
    #expect(
      try await answer(notModified).text
        == "HTTP/1.1 304 Not Modified\r\nDate: now\r\nETag: \"v1\"\r\nConnection: close\r\n\r\n")
    #expect(
      try await answer(Response(status: 204, headers: Self.dated, body: body)).text
        == "HTTP/1.1 204 No Content\r\nDate: now\r\nConnection: close\r\n\r\n")
    let head = try await answer(to: "HEAD", Response(headers: Self.dated, body: body))
    #expect(
      head.text
        == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 3\r\nConnection: close\r\n\r\n")
    #expect(head.exchange.bodyBytesSent == 0)
    #expect(head.exchange.headBytesSent == head.text.utf8.count)
  }

  @Test func `an ending as the first piece comes before the head`() async throws {
    let reset = try await answer(Response(body: [.reset]))
    #expect(reset.text == "")
    #expect(reset.errno == ECONNRESET)
    #expect(reset.exchange.outcome == .reset)
    let closed = try await answer(Response(body: [.close]))
    #expect(closed.text == "")
    #expect(closed.errno == 0)
    #expect(closed.exchange.outcome == .closed)
    #expect(closed.exchange.status == nil)
  }

  @Test func `content behind an ending counts for the length`() async throws {
    let cut = try await answer(
      Response(
        headers: Self.dated, body: [.bytes(Data("abc".utf8)), .close, .bytes(Data("de".utf8))]))
    #expect(
      cut.text
        == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabc")
    #expect(cut.exchange.bodyBytesSent == 3)
    #expect(cut.exchange.outcome == .closed)
  }

  @Test func `raw bytes are sent as they are`() async throws {
    let only = try await answer(Response(body: [.raw(Data("no HTTP at all".utf8))]))
    #expect(only.text == "no HTTP at all")
    #expect(only.exchange.status == nil)
    let chunk = try await answer(
      Response(
        headers: Self.dated + [("Transfer-Encoding", "chunked")],
        body: [.bytes(Data("abc".utf8)), .raw(Data("zz\r\n".utf8))])
    ).text
    #expect(chunk.hasSuffix("\r\n\r\n3\r\nabc\r\nzz\r\n"))
  }

  @Test func `what can't be sent becomes a 500 that says so`() async throws {
    for response in [
      Response(status: 99), Response(headers: [("X", "a\r\nSet-Cookie: evil=1")]),
      Response(headers: [("X Y", "a")]),
    ] {
      let answer = try await answer(response)
      #expect(answer.text.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
      #expect(answer.text.contains("RFC 9110"))
      #expect(!answer.text.contains("evil"))
    }
  }

  @Test func `what a handler throws is the content of a 500`() async throws {
    struct Sad: Error {}
    let server = try await FixtureServer.start { _ in throw Sad() }
    defer { server.stop() }
    let answer = try await Client().get(server.baseURL)
    #expect(answer.status == 500)
    #expect(String(decoding: answer.body, as: UTF8.self) == "the handler failed: Sad()\n")
  }
}
