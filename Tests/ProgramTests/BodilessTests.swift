import Testing

/// Answers without a body, whatever their fields say.
@Suite struct BodilessTests {
  @Test func `HEAD keeps its Content-Length and the connection stays in step`() throws {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let isHead = request.starts(with: bytes("HEAD"))
        connection.send(
          isHead
            ? "HTTP/1.1 200 OK\r\nContent-Length: 1488324\r\n\r\n"
            : "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
      }
    }
    let pipelined = bytes(
      "HEAD /book HTTP/1.1\r\nHost: a.test\r\n\r\nGET /next HTTP/1.1\r\nHost: a.test\r\n\r\n")
    let (recorded, replayed) = try Recording().both(upstream, [pipelined])
    #expect(
      recorded[0].bytes
        == bytes(
          "HTTP/1.1 200 OK\r\nContent-Length: 1488324\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext"))
    #expect(replayed == recorded)
  }

  @Test func `HEAD of a chunked resource gets no last chunk`() throws {
    let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let upstream = try ScriptedUpstream.answering(answer)
    let (recorded, replayed) = try Recording().both(
      upstream, [bytes("HEAD /x HTTP/1.1\r\nHost: a.test\r\n\r\n")])
    #expect(recorded[0].bytes == bytes(answer))
    #expect(replayed == recorded)
  }

  @Test func `a 304 keeps the length of what it did not send`() throws {
    let answer = "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nContent-Length: 1234\r\n\r\n"
    let upstream = try ScriptedUpstream.answering(answer)
    let (recorded, replayed) = try Recording().both(upstream, [BytesTests.getRequest])
    #expect(recorded[0] == Answer(bytes: bytes(answer), end: .open))
    #expect(replayed == recorded)
  }

  @Test func `bytes after a 204 are no body and no next response`() throws {
    let upstream = try ScriptedUpstream { connection in
      while connection.request() != nil {
        connection.send("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello")
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try RawSocket(port: recorder.port())
    let answer = bytes("HTTP/1.1 204 No Content\r\n\r\n")
    for _ in 0..<3 {
      client.send(BytesTests.getRequest)
      #expect(client.receive { $0.count >= answer.count }.bytes == answer)
    }
    #expect(recorder.stop().errors.contains("5 bytes after a complete response"))
  }
}
