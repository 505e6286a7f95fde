import Testing

/// Adding to an existing cassette.
@Suite struct NewEpisodesTests {
  private static func post(_ content: [UInt8]) -> [UInt8] {
    bytes("POST /a HTTP/1.1\r\nHost: a.test\r\nContent-Length: \(content.count)\r\n\r\n") + content
  }

  /// Which recording answers is only known with the whole content, which is held until then: it
  /// reaches the cassette at once, in as many pieces as it takes.
  @Test func `content that was held to be compared is recorded whole`() throws {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let content = request.count > 3_500_000 ? "large" : "small"
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\(content)")
      }
    }
    let small = Self.post(bytes("x"))
    let large = Self.post((0..<3_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let recording = try Recording()
    let first = try recording.recorder(upstream)
    _ = try Answer.to(small, port: first.port())
    #expect(first.stop().status == 0)

    let second = try recording.recorder(upstream, ["--no-redact", "--mode", "new-episodes"])
    let recorded = try Answer.to(large, port: second.port(), within: .seconds(3))
    let again = try Answer.to(small, port: second.port())
    let ended = second.stop()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(upstream.requests.count == 2)
    upstream.stop()
    let verified = try Program.run(["verify", recording.cassette], in: recording.folder)
    #expect(verified.status == 0, "\(verified.output) \(verified.errors)")

    let replayer = try recording.replayer()
    #expect(try Answer.to(large, port: replayer.port()) == recorded)
    #expect(try Answer.to(small, port: replayer.port()) == again)
    #expect(String(decoding: recorded.bytes, as: UTF8.self).hasSuffix("large"))
  }
}
