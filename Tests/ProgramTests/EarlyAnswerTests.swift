import Testing

/// Responses that begin before their request has ended.
@Suite struct EarlyAnswerTests {
  static let chunkedPost = bytes(
    "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")

  /// A 400 would arrive as a part of the response's content.
  @Test func `a chunk that can't be read, after the response has begun, cuts it`() throws {
    let begun = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
    let upstream = try ScriptedUpstream { connection in
      _ = connection.head()
      connection.send(begun)
      connection.pause(milliseconds: 3000)
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try RawSocket(port: recorder.port())
    client.send(Self.chunkedPost)
    let first = client.receive { $0.contains(bytes("hello\r\n")) }.bytes
    #expect(first.suffix(10) == bytes("5\r\nhello\r\n"))
    client.send("no size\r\n")
    let rest = client.receive(within: .seconds(2))
    #expect(rest.bytes == [])
    #expect(rest.end != .open)
  }

  /// Many clients send all of their content before they read: a reset while they send would hide
  /// the answer.
  @Test func `a client may go on sending after an answer that came early`() throws {
    let upstream = try ScriptedUpstream { connection in
      _ = connection.head()
      connection.send(
        "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig")
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try RawSocket(port: recorder.port())
    client.send("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2000000\r\n\r\n")
    for _ in 0..<25 {
      #expect(client.send([UInt8](repeating: 0x7A, count: 4096)))
      ScriptedUpstream.wait(milliseconds: 100)
    }
    let answer = client.receive(within: .milliseconds(300))
    #expect(
      answer.bytes
        == bytes("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig"))
    #expect(answer.end == .finished)
  }

  /// The recorder has seen only the beginning of the content.
  @Test func `an answer that came early is replayed to the whole upload`() throws {
    let answer = "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig"
    let upstream = try ScriptedUpstream { connection in
      _ = connection.head()
      connection.send(answer)
      connection.pause(milliseconds: 500)
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try RawSocket(port: recorder.port())
    client.send("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nbegi")
    #expect(client.receive { $0.suffix(3) == bytes("big") }.bytes.suffix(3) == bytes("big"))
    client.close()
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer()
    let replayed = try Answer.to(
      bytes("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nbeginning"),
      port: replayer.port())
    #expect(replayed == Answer(bytes: bytes(answer), end: .open))
  }
}
