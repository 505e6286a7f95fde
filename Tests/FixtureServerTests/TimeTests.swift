import FixtureServer
import Foundation
import Testing

/// Delays and pauses, loosely: exact times are tested where the clock is a value.
@Suite(.ownThreads) struct TimeTests {
  @Test(arguments: [100, 300, 1500])
  func `a delay comes before the head`(milliseconds: Int) async throws {
    let server = try await FixtureServer.start { _ in
      .text("x", delay: .milliseconds(milliseconds))
    }
    defer { server.stop() }
    let connection = try RawConnection(to: server.baseURL)
    let start = ContinuousClock.now
    connection.send("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
    let head = try #require(await connection.pieces().first)
    #expect(head.instant >= start + .milliseconds(milliseconds))
    #expect(head.instant < start + .seconds(30))
  }

  @Test func `an exchange says how long its client waited`() async throws {
    let server = try await FixtureServer.start { request in
      FixtureServer.Response(
        body: [.pause(.milliseconds(100)), .bytes(Data("a".utf8))],
        delay: request.path == "/slow" ? .milliseconds(300) : .zero)
    }
    defer { server.stop() }
    let client = Client()
    _ = try await client.get(server.baseURL.appending(path: "slow"))
    _ = try await client.get(server.baseURL)
    await server.waitUntilSettled()
    let times = server.exchanges.map { ($0.timeToHead, $0.lateness, $0.duration) }
    let slow = try #require(times.first)
    #expect(try #require(slow.0) >= .milliseconds(300))
    #expect(try #require(slow.2) >= .milliseconds(400))
    #expect(try #require(slow.1) <= #require(slow.0) - .milliseconds(300))
    let quick = try #require(times.last)
    #expect(try #require(quick.0) < #require(quick.2) - .milliseconds(99))
  }

  @Test func `an exchange without an answer has no time of one`() async throws {
    let server = try await FixtureServer.start(
      replaying: [.get("/a", .text("x"))], scenario: "GET /a: hold answer")
    defer { server.stop() }
    let connection = try RawConnection(to: server.baseURL)
    connection.send("GET /a HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
    try await server.gate("answer").waitUntilEntered()
    #expect(server.exchanges.map(\.timeToHead) == [nil])
    #expect(server.exchanges.map(\.duration) == [nil])
    server.gate("answer").release()
    _ = await connection.readAll()
    await server.waitUntilSettled()
    #expect(server.exchanges.allSatisfy { $0.timeToHead != nil && $0.duration != nil })
  }

  @Test func `what stands before a pause has left, and the last pause holds nothing back`()
    async throws
  {
    let server = try await FixtureServer.start { _ in
      FixtureServer.Response(
        body: [
          .pause(.seconds(1)), .bytes(Data("a".utf8)), .pause(.seconds(1)),
          .bytes(Data("b".utf8)), .pause(.seconds(60)),
        ])
    }
    defer { server.stop() }
    let connection = try RawConnection(to: server.baseURL)
    let start = ContinuousClock.now
    connection.send("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
    let pieces = await connection.pieces()
    #expect(pieces.dropFirst().map(\.text) == ["a", "b"])
    try #require(pieces.count == 3)
    #expect(pieces[0].text.hasSuffix("\r\n\r\n"))
    #expect(pieces[1].instant >= start + .seconds(1))
    #expect(pieces[2].instant >= start + .seconds(2))
    #expect(pieces[2].instant < start + .seconds(30))
  }

  @Test func `hundreds of delays run beside each other`() async throws {
    let server = try await FixtureServer.start { _ in .text("x", delay: .milliseconds(300)) }
    defer { server.stop() }
    let connections = try (0..<200).map { _ in try RawConnection(to: server.baseURL) }
    let descriptors = connections.map(\.descriptor)
    let (answers, seconds) = await offPool {
      let start = ContinuousClock.now
      for descriptor in descriptors {
        RawConnection.send(
          "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n", on: descriptor)
      }
      let answers = descriptors.map { RawConnection.readAll($0).text }
      return (answers, (ContinuousClock.now - start).seconds)
    }
    #expect(answers.count { $0.hasSuffix("\r\n\r\nx") } == connections.count)
    // One after the other they would take a minute.
    #expect(seconds < 30)
  }

  @Test func `a client that leaves in a delay or a pause is noticed`() async throws {
    let server = try await FixtureServer.start { request in
      request.path == "/delay"
        ? .text("x", delay: .seconds(60))
        : FixtureServer.Response(
          body: [.bytes(Data("a".utf8)), .pause(.seconds(60)), .bytes(Data("b".utf8))])
    }
    defer { server.stop() }
    for path in ["/delay", "/pause"] {
      let connection = try RawConnection(to: server.baseURL)
      connection.send("GET \(path) HTTP/1.1\r\nHost: a.test\r\n\r\n")
      if path == "/pause" { #expect(await connection.read(through: "a").hasSuffix("a")) }
    }
    #expect(try await eventually { server.aborted == 2 })
    #expect(server.exchanges.map(\.outcome) == [.aborted, .aborted])
    #expect(server.exchanges.map(\.bodyBytesSent) == [0, 1])
  }

  @Test func `the task of a handler is cancelled when its client leaves`() async throws {
    let (ends, ended) = AsyncStream.makeStream(of: Bool.self)
    let server = try await FixtureServer.start { _ in
      // Ends early when it is cancelled.
      try? await Task.sleep(for: .seconds(60))
      ended.yield(Task.isCancelled)
      return .text("x")
    }
    defer { server.stop() }
    try RawConnection(to: server.baseURL).send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
    for await isCancelled in ends {
      #expect(isCancelled)
      break
    }
  }
}
