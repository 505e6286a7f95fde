import FixtureServer
import Foundation
import Testing

@Suite(.ownThreads) struct LifetimeTests {
  @Test func `several servers run at once, each on a port of its own`() async throws {
    let first = try await FixtureServer.start { _ in .text("first") }
    let second = try await FixtureServer.start { _ in .text("second") }
    defer {
      first.stop()
      second.stop()
    }
    #expect(first.baseURL != second.baseURL)
    #expect(first.baseURL.absoluteString.hasPrefix("http://127.0.0.1:"))
    #expect(first.baseURL.path() == "")
    let client = Client()
    #expect(try await client.get(first.baseURL).body == Data("first".utf8))
    #expect(try await client.get(second.baseURL).body == Data("second".utf8))
  }

  @Test func `a stopped server refuses, and goes on where it was after a restart`() async throws {
    let server = try await FixtureServer.start { _ in .text("x") }
    let client = Client()
    _ = try await client.get(server.baseURL)
    server.stop()
    #expect(await client.failure(server.baseURL) == .cannotConnectToHost)
    try server.restart()
    defer { server.stop() }
    #expect(try await client.get(server.baseURL).status == 200)
    #expect(server.exchanges.count == 2)
  }

  @Test func `an exchange that is open when the server stops says so`() async throws {
    let server = try await FixtureServer.start { _ in .text("x", delay: .seconds(60)) }
    let connection = try RawConnection(to: server.baseURL)
    connection.send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
    #expect(try await eventually { server.exchanges.count == 1 })
    server.stop()
    #expect(server.exchanges.map(\.outcome) == [.stopped])
    #expect(server.aborted == 0)
  }

  @Test func `counts and list are final when the client has the last byte`() async throws {
    let server = try await FixtureServer.start { request in
      if request.header("If-None-Match") == "\"v1\"" {
        return FixtureServer.Response(status: 304, headers: [("ETag", "\"v1\"")])
      }
      return FixtureServer.Response(
        headers: [("ETag", "\"v1\"")], body: [.bytes(Data(repeating: 7, count: 200_000))])
    }
    defer { server.stop() }
    let client = Client()
    for round in 1...50 {
      #expect(try await client.get(server.baseURL).body.count == 200_000)
      #expect(server.bodyBytesSent == round * 200_000)
      #expect(server.exchanges.last?.outcome == .completed)
      #expect(server.exchanges.last?.bodyBytesSent == 200_000)
    }
    let heads = server.exchanges.map(\.headBytesSent).reduce(0, +)
    #expect(server.bytesSent == 10_000_000 + heads)
    let connection = try RawConnection(to: server.baseURL)
    connection.send(
      "GET / HTTP/1.1\r\nHost: a.test\r\nIf-None-Match: \"v1\"\r\nConnection: close\r\n\r\n")
    let text = await connection.readAll().text
    #expect(server.exchanges.last?.status == 304)
    #expect(server.exchanges.last?.headBytesSent == text.utf8.count)
    #expect(server.bodyBytesSent == 10_000_000)
  }

  @Test func `a scope has a server that stops at its end`() async throws {
    let url = try await withFixtureServer { _ in
      .text("x")
    } body: { server in
      let answer = try await Client().get(server.baseURL)
      #expect(answer.status == 200)
      return server.baseURL
    }
    #expect(await Client().failure(url) == .cannotConnectToHost)
  }
}
