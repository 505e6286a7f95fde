import Testing

@Suite struct DescriptorTests {
  /// A shell gives a process 1,024 by default, and lets it ask for more.
  @Test func `more connections are kept than the soft limit lets through`() throws {
    let upstream = try ScriptedUpstream.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let recording = try Recording()
    _ = try recording.both(upstream, [BytesTests.getRequest])
    let arguments = ["replay", "--listen", "127.0.0.1:0", recording.cassette]
    let replayer = try Program(arguments, in: recording.folder, limits: "-S -n 64")
    let port = try replayer.port()
    let sockets = try (0..<100).map { _ in try RawSocket(port: port) }
    for socket in sockets { socket.send(BytesTests.getRequest) }
    for socket in sockets {
      let (bytes, _) = socket.receive { $0.suffix(4) == [13, 10, 13, 10] }
      try #require(bytes.starts(with: Array("HTTP/1.1 200 OK".utf8)))
    }
    #expect(replayer.stop().status == 0)
  }
}
