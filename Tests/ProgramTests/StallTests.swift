import Testing

/// Who is silent, and for how long: `--idle-timeout` is about the upstream.
@Suite struct StallTests {
  private static let options = ["--no-redact", "--idle-timeout", "400ms"]

  @Test func `an upstream that stops inside a body is given up and the part stays one`() throws {
    let part = bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel")
    let upstream = try ScriptedUpstream { connection in
      _ = connection.request()
      connection.send(part)
      _ = connection.socket.receive(within: .seconds(10))
    }
    let recording = try Recording()
    let (recorded, replayed) = try recording.both(
      upstream, [BytesTests.getRequest], options: Self.options, within: .seconds(5))
    #expect(recorded == [Answer(bytes: part, end: .reset)])
    #expect(replayed == recorded)
    #expect(try recording.outcomes() == ["timeout"])
  }

  @Test func `an upstream that never answers is a gateway timeout`() throws {
    let upstream = try ScriptedUpstream { connection in
      _ = connection.request()
      _ = connection.socket.receive(within: .seconds(10))
    }
    let recording = try Recording()
    let (recorded, replayed) = try recording.both(
      upstream, [BytesTests.getRequest], options: Self.options)
    #expect(text(recorded[0].bytes).hasPrefix("HTTP/1.1 504 Gateway Timeout\r\n"))
    #expect(replayed == recorded)
  }

  /// The upstream is silent because the request has not ended.
  @Test func `a slow upload is not held against the upstream`() throws {
    let upstream = try ScriptedUpstream.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let recording = try Recording()
    let recorder = try recording.recorder(upstream, Self.options)
    let client = try Client(port: recorder.port())
    client.send(bytes("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 6\r\n\r\n"))
    for pause: UInt32 in [100, 100, 600, 150, 150, 150] {
      client.send([0x78])
      ScriptedUpstream.wait(milliseconds: pause)
    }
    #expect(client.response()?.text == "ok")
  }

  @Test func `events further apart than they take are waited for`() throws {
    let upstream = try ScriptedUpstream { connection in
      _ = connection.request()
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for _ in 0..<4 {
        connection.pause(milliseconds: 200)
        connection.send("1\r\nx\r\n")
      }
      connection.send("0\r\n\r\n")
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream, Self.options)
    #expect(try Client(port: recorder.port()).get("/")?.text == "xxxx")
  }
}
