import Testing

/// `--rewrite-cookies` in record and in replay.
@Suite struct CookieTests {
  @Test func `cookies are rewritten in replay as they were in record`() throws {
    let upstream = try ScriptedUpstream.answering(
      "HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Domain=api.test; Secure; Path=/\r\n"
        + "Content-Length: 0\r\n\r\n")
    let recording = try Recording()
    let recorder = try recording.recorder(upstream, ["--no-redact", "--rewrite-cookies"])
    let recorded = try Answer.to(BytesTests.getRequest, port: recorder.port())
    #expect(recorder.stop().status == 0)
    upstream.stop()
    #expect(String(decoding: recorded.bytes, as: UTF8.self).contains("Set-Cookie: a=1; Path=/\r\n"))
    for command in [
      ["replay", "--rewrite-cookies"],
      ["record", "--upstream", upstream.url, "--mode", "once", "--rewrite-cookies"],
    ] {
      let replayer = try Program(
        command + ["--listen", "127.0.0.1:0", recording.cassette], in: recording.folder)
      // The second time from what the first one prepared.
      #expect(try Answer.to(BytesTests.getRequest, port: replayer.port()) == recorded)
      #expect(try Answer.to(BytesTests.getRequest, port: replayer.port()) == recorded)
      #expect(replayer.stop().status == 0)
    }
  }
}
