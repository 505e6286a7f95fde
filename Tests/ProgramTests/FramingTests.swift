import Testing

/// Both framings, differing lengths, and upstreams that die before the end.
@Suite struct FramingTests {
  @Test func `a response with both framings is read by its chunks and sent with one`() throws {
    let upstream = try ScriptedUpstream.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: 33907\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "5\r\nhello\r\n0\r\n\r\n")
    let (recorded, replayed) = try Recording().both(upstream, [BytesTests.getRequest])
    let answer =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    #expect(recorded == [Answer(bytes: bytes(answer), end: .open)])
    #expect(replayed == recorded)
  }

  @Test func `a request with both framings is refused and what follows it never forwarded`()
    throws
  {
    let upstream = try ScriptedUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let smuggled = bytes(
      "POST /s HTTP/1.1\r\nHost: a.test\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "0\r\n\r\nGET /evil HTTP/1.1\r\nHost: a.test\r\n\r\n")
    let answer = try Answer.to(smuggled, port: recorder.port(), within: .seconds(3))
    #expect(String(decoding: answer.bytes, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
    #expect(answer.end == .finished)
    #expect(upstream.requests == [])
  }

  @Test func `two different lengths are a bad gateway, and nothing is stored as complete`() throws {
    let upstream = try ScriptedUpstream.answering(
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
    let recording = try Recording()
    let (recorded, replayed) = try recording.both(upstream, [BytesTests.getRequest])
    #expect(String(decoding: recorded[0].bytes, as: UTF8.self).hasPrefix("HTTP/1.1 502 "))
    #expect(replayed == recorded)
    let listed = try Program.run(["inspect", recording.cassette], in: recording.folder)
    #expect(!listed.output.contains("complete"))
  }

  enum After { case finishes, resets }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", After.finishes, "hel"),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", After.finishes,
      "5\r\nhello\r\n"
    ),
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", After.resets, "hel"),
  ])
  func `a response that ends early is never complete, in record or in replay`(
    sent: String, after: After, content: String
  ) throws {
    let upstream = try ScriptedUpstream { connection in
      _ = connection.request()
      connection.send(sent)
      connection.pause(milliseconds: 50)
      if after == .resets { connection.socket.reset() }
    }
    let (recorded, replayed) = try Recording().both(
      upstream, [BytesTests.getRequest], within: .seconds(3))
    for answer in recorded + replayed {
      #expect(answer.end == (after == .resets ? .reset : .finished))
      // A reset may overtake what was sent before it.
      if after == .finishes {
        #expect(String(decoding: answer.bytes, as: UTF8.self).hasSuffix("\r\n\r\n" + content))
      }
    }
  }

  @Test func `a body that was to end with the connection and was reset is reset again`() throws {
    let upstream = try ScriptedUpstream { connection in
      _ = connection.request()
      connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"items\":[1,2")
      connection.pause(milliseconds: 50)
      connection.socket.reset()
    }
    let (recorded, replayed) = try Recording().both(
      upstream, [BytesTests.getRequest], within: .seconds(3))
    #expect(recorded[0].end == .reset)
    #expect(replayed[0].end == .reset)
  }

  @Test func `a head that ends early is a bad gateway`() throws {
    let upstream = try ScriptedUpstream { connection in
      _ = connection.request()
      connection.send("HTTP/1.1 200 OK\r\nContent-Le")
    }
    let (recorded, replayed) = try Recording().both(upstream, [BytesTests.getRequest])
    let text = String(decoding: recorded[0].bytes, as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
    #expect(text.contains("Fixtured-Outcome: truncated"))
    #expect(replayed == recorded)
  }

  @Test func `a client that did not wait for an answer gets none in replay`() throws {
    let upstream = try ScriptedUpstream { connection in
      _ = connection.request()
      connection.pause(milliseconds: 3000)
    }
    let recording = try Recording()
    let (recorded, replayed) = try recording.both(
      upstream, [BytesTests.getRequest], within: .milliseconds(300))
    #expect(recorded == [Answer(bytes: [], end: .open)])
    #expect(replayed == recorded)
    let listed = try Program.run(["inspect", recording.cassette], in: recording.folder)
    #expect(listed.output.contains("cancelled"))
  }

  @Test func `an upstream that is not there is a bad gateway with a reason`() throws {
    let upstream = try ScriptedUpstream.answering("")
    upstream.stop()
    let gone = try RawSocket.unusedPort()
    let recording = try Recording()
    let recorder = try Program(
      [
        "record", "--upstream", "http://127.0.0.1:\(gone)", "--listen", "127.0.0.1:0",
        recording.cassette,
      ], in: recording.folder)
    let recorded = try Answer.to(BytesTests.getRequest, port: recorder.port())
    #expect(String(decoding: recorded.bytes, as: UTF8.self).contains("Fixtured-Outcome: refused"))
    _ = recorder.stop()
    let replayer = try recording.replayer()
    #expect(try Answer.to(BytesTests.getRequest, port: replayer.port()) == recorded)
  }
}
