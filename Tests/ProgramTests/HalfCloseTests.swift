import Testing

/// Clients that end their side after their requests and read on (RFC 9112 §9.6), as `nc -N` does.
@Suite struct HalfCloseTests {
  static let pipelined = bytes(
    ["/a", "/b", "/c"].map { "GET \($0) HTTP/1.1\r\nHost: a.test\r\n\r\n" }.joined())

  /// Sends, ends its side and receives to the end.
  private static func answer(
    to request: [UInt8], port: UInt16, within timeout: Duration = .seconds(5)
  ) throws -> Answer {
    let client = try RawSocket(port: port)
    client.send(request)
    client.finishSending()
    let (bytes, end) = client.receive(within: timeout)
    return Answer(bytes: bytes, end: end)
  }

  @Test func `every pipelined request is answered`() throws {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let target = String(decoding: request.split(separator: 0x20)[1], as: UTF8.self)
        // Long enough that the end of the client is seen first.
        connection.pause(milliseconds: 30)
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\(target)")
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let recorded = try Self.answer(to: Self.pipelined, port: recorder.port())
    let expected = ["/a", "/b", "/c"].map { "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\($0)" }
    #expect(recorded == Answer(bytes: bytes(expected.joined()), end: .finished))
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer(["--pace", "recorded"])
    #expect(try Self.answer(to: Self.pipelined, port: replayer.port()) == recorded)
  }

  /// More than sockets hold, so that the client's end is seen while the response is being sent.
  @Test func `a long response is sent whole`() throws {
    let content = [UInt8](repeating: 0x78, count: 16 << 20)
    let head = bytes("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n")
    let upstream = try ScriptedUpstream.answering(head + content)
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let recorded = try Self.answer(to: BytesTests.getRequest, port: recorder.port())
    #expect(recorded.bytes.count == head.count + content.count)
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer()
    let client = try RawSocket(port: replayer.port())
    client.send(BytesTests.getRequest)
    _ = client.receive { $0.count > 0 }
    client.finishSending()
    #expect(client.receive().end == .finished)
    // Not expanded by the macro, which would print megabytes.
    let isSame = try Self.answer(to: BytesTests.getRequest, port: replayer.port()) == recorded
    #expect(isSame)
  }

  @Test func `an upload that waits for the upstream is forwarded whole`() throws {
    let size = 3 << 20
    let upstream = try ScriptedUpstream(receiveBuffer: 4096) { connection in
      _ = connection.head()
      connection.pause(milliseconds: 300)
      let received = connection.take(count: size)?.count ?? 0
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n\(received)")
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let head = bytes("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: \(size)\r\n\r\n")
    let answer = try Self.answer(
      to: head + [UInt8](repeating: 0x79, count: size), port: recorder.port())
    #expect(answer.bytes == bytes("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n3145728"))
  }

  /// Its own end is the only sign of having left.
  @Test func `a client that closes before the answer frees its connection`() throws {
    let upstream = try ScriptedUpstream { connection in
      _ = connection.request()
      connection.pause(milliseconds: 3000)
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    _ = try Self.answer(to: BytesTests.getRequest, port: recorder.port())
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer(["--pace", "recorded"])
    let start = ContinuousClock.now
    let answer = try Self.answer(to: BytesTests.getRequest, port: replayer.port())
    #expect(answer == Answer(bytes: [], end: .finished))
    #expect(ContinuousClock.now - start < .milliseconds(900))
  }
}
