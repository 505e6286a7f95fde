import Testing

/// An upstream that is the recorder itself, by a name that can't be told before it is connected to.
@Suite struct OwnAddressTests {
  @Test(arguments: [("127.0.0.1", "[::ffff:127.0.0.1]"), ("0.0.0.0", "127.0.0.2")])
  func `a request is not sent round and round`(host: String, upstream: String) throws {
    let folder = try Folder()
    let port = try RawSocket.unusedPort()
    let recorder = try Program(
      [
        "record", "--upstream", "http://\(upstream):\(port)", "--listen", "\(host):\(port)", "x.db",
      ],
      in: folder)
    let answer = try Answer.to(BytesTests.getRequest, port: recorder.port())
    #expect(answer.bytes.starts(with: bytes("HTTP/1.1 503 Service Unavailable\r\n")))
    #expect(answer.end == .finished)
    let ended = recorder.stop()
    #expect(ended.errors.contains("http://\(upstream):\(port) is the address of this recorder"))
    #expect(ended.errors.contains("recorded 0 interactions; no cassette was made"))
  }
}
