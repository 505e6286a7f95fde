import Testing

/// Interim responses and 100-continue.
@Suite struct InterimTests {
  @Test(arguments: [0, 1])
  func `early hints are forwarded, and replayed before the answer`(bytewise: Int) throws {
    let answer =
      "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
      + "HTTP/1.1 102 Processing\r\n\r\n"
      + "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\nHello world!"
    let upstream = try ScriptedUpstream { connection in
      while connection.request() != nil {
        if bytewise == 0 { connection.send(answer) }
        if bytewise == 1 {
          for byte in answer.utf8 { connection.send([byte]) }
        }
      }
    }
    let (recorded, replayed) = try Recording().both(upstream, [BytesTests.getRequest])
    #expect(recorded == [Answer(bytes: bytes(answer), end: .open)])
    #expect(replayed == recorded)
  }

  @Test func `early hints before an answer that can't be read are not lost`() throws {
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
    let upstream = try ScriptedUpstream.answering(hints + "no status line\r\n\r\n")
    let (recorded, replayed) = try Recording().both(upstream, [BytesTests.getRequest])
    #expect(text(recorded[0].bytes).hasPrefix(hints + "HTTP/1.1 502 Bad Gateway\r\n"))
    #expect(replayed == recorded)
  }

  static let expectingHead = bytes(
    "POST /big HTTP/1.1\r\nHost: a.test\r\nExpect: 100-Continue\r\nContent-Length: 2017\r\n\r\n")

  @Test func `a client that waits for leave to send gets it, in record and in replay`() throws {
    let upstream = try ScriptedUpstream { connection in
      guard let head = connection.head() else { return }
      #expect(String(decoding: head, as: UTF8.self).contains("Expect: 100-Continue"))
      connection.send("HTTP/1.1 100 Continue\r\n\r\n")
      #expect(connection.take(count: 2017) == Array(repeating: 0x78, count: 2017))
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      _ = connection.request()
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    try sendExpecting(port: recorder.port())
    #expect(recorder.stop().status == 0)
    let replayer = try recording.replayer()
    let start = ContinuousClock.now
    try sendExpecting(port: replayer.port())
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  private func sendExpecting(port: UInt16) throws {
    let client = try RawSocket(port: port)
    client.send(Self.expectingHead)
    let leave = bytes("HTTP/1.1 100 Continue\r\n\r\n")
    #expect(client.receive { $0.count >= leave.count }.bytes == leave)
    client.send(Array(repeating: 0x78, count: 2017))
    let answer = bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    #expect(client.receive { $0.count >= answer.count }.bytes == answer)
  }

  @Test func `a refused expectation is answered without the body, in record and in replay`()
    throws
  {
    let upstream = try ScriptedUpstream { connection in
      guard connection.head() != nil else { return }
      connection.send(
        "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
    let (recorded, replayed) = try Recording().both(
      upstream, [Self.expectingHead], within: .seconds(3))
    let answer =
      "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    #expect(recorded == [Answer(bytes: bytes(answer), end: .finished)])
    #expect(replayed == recorded)
  }
}
