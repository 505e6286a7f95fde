import Testing

/// Odd responses that origin servers do send: what the client gets, the same in record and replay.
@Suite struct ToleranceTests {
  static let ok = "HTTP/1.1 200 OK\r\n"

  /// What the upstream sends, the head and the content that the client gets.
  static let readable: [(sent: String, head: String, content: String)] = [
    // Codings of the transfer that are not ours to undo, in one field line or two.
    (
      ok + "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      ok + "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", "abc"
    ),
    // The same length again is one length.
    (
      ok + "Content-Length: 5, 5\r\n\r\nhello", ok + "Content-Length: 5\r\n\r\n", "hello"
    ),
    (
      ok + "Content-Length: 5\r\nX: 1\r\nContent-Length: 5\r\n\r\nhello",
      ok + "Content-Length: 5\r\nX: 1\r\n\r\n", "hello"
    ),
    // Fields of the upstream's connection, by name and by being named.
    (
      ok + "Connection: X-Hop, keep-alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nX: 2\r\n"
        + "Proxy-Connection: keep-alive\r\nContent-Length: 0\r\n\r\n",
      ok + "X: 2\r\nContent-Length: 0\r\n\r\n", ""
    ),
    // Folded lines, line feeds alone, an empty line before the status line, a space before a colon.
    (
      ok + "X: one\r\n  two\r\n\tthree\r\nContent-Length: 0\r\n\r\n",
      ok + "X: one two three\r\nContent-Length: 0\r\n\r\n", ""
    ),
    (
      "HTTP/1.1 200 OK\nX: 1\nContent-Length: 2\n\nok",
      ok + "X: 1\r\nContent-Length: 2\r\n\r\n", "ok"
    ),
    ("\r\n" + ok + "Content-Length: 2\r\n\r\nok", ok + "Content-Length: 2\r\n\r\n", "ok"),
    (
      ok + "X : 1\r\nContent-Length: 2\r\n\r\nok", ok + "X: 1\r\nContent-Length: 2\r\n\r\n", "ok"
    ),
    // Chunk extensions, leading zeros and upper case are framing.
    (
      ok
        + "Transfer-Encoding: Chunked\r\n\r\n"
        + "0005;a=\"b;c\"\r\nhello\r\nA\r\n0123456789\r\n00\r\n\r\n",
      ok + "Transfer-Encoding: Chunked\r\n\r\n", "hello0123456789"
    ),
    // Odd status codes, versions and controls in a value.
    (
      "HTTP/1.1 999 \r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 999 \r\nContent-Length: 0\r\n\r\n", ""
    ),
    (
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
      ok + "Content-Length: 2\r\n\r\n", "ok"
    ),
    (
      ok + "X: a\u{1}\u{7F}b\r\nContent-Length: 0\r\n\r\n",
      ok + "X: a\u{1}\u{7F}b\r\nContent-Length: 0\r\n\r\n", ""
    ),
    // More than many clients expect.
    (
      ok + String(repeating: "X: a\r\n", count: 900) + "Content-Length: 0\r\n\r\n",
      ok + String(repeating: "X: a\r\n", count: 900) + "Content-Length: 0\r\n\r\n", ""
    ),
  ]

  @Test func `what can be understood is forwarded in good form, and replayed alike`() throws {
    let upstream = try Self.upstream(Self.readable.map(\.sent))
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    try expectReadable(port: recorder.port())
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer()
    try expectReadable(port: replayer.port())
  }

  private func expectReadable(port: UInt16) throws {
    let client = try Client(port: port)
    for (index, expected) in Self.readable.enumerated() {
      let response = try #require(client.get("/\(index)"))
      #expect(response.head == expected.head)
      #expect(response.text == expected.content)
    }
  }

  static let unreadable = [
    "hello world", "ICY 200 OK\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "http/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 1000 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n", ok + " X: 1\r\n\r\n", ok + ": 1\r\n\r\n",
    ok + "no colon\r\n\r\n", ok + "X: a\0b\r\n\r\n", ok + "X: a\rb\r\n\r\n",
    ok + "Content-Length: +5\r\n\r\nhello", ok + "Content-Length: -1\r\n\r\n",
    ok + "Content-Length: \r\n\r\n", ok + "Content-Length: 99999999999999999999\r\n\r\n",
    ok + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
    ok + String(repeating: "X: a\r\n", count: 1100) + "\r\n",
  ]

  @Test func `what can't be is a bad gateway that says why, and is replayed as one`() throws {
    let upstream = try Self.upstream(Self.unreadable)
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let recorded = try Self.answers(port: recorder.port())
    for answer in recorded {
      #expect(answer.status == 502)
      #expect(answer.text.contains("\"outcome\":\"truncated\""))
    }
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer()
    #expect(try Self.answers(port: replayer.port()) == recorded)
    #expect(Set(recorded.map(\.text)).count > 10)
  }

  private static func answers(port: UInt16) throws -> [Client.Response] {
    let client = try Client(port: port)
    return try unreadable.indices.map { try #require(client.get("/\($0)")) }
  }

  /// Answers `/0` with the first of these, and so on.
  private static func upstream(_ answers: [String]) throws -> ScriptedUpstream {
    try ScriptedUpstream { connection in
      while let request = connection.request() {
        let index = Int(text(ScriptedUpstream.target(of: request).dropFirst())) ?? 0
        connection.send(answers[index])
        if unreadable.contains(answers[index]) { return }
      }
    }
  }
}
