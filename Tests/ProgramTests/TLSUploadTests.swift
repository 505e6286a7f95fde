import Testing

/// Requests that are larger than what is encrypted at once.
@Suite(.enabled(if: TLSUpstream.isAvailable, "needs openssl")) struct TLSUploadTests {
  private let recording: Recording
  private let upstream: TLSUpstream

  init() throws {
    recording = try Recording()
    upstream = try TLSUpstream(in: recording.folder)
  }

  private func recorder(_ options: [String] = []) throws -> Program {
    try Program(
      ["record"] + upstream.options + options + ["--listen", "127.0.0.1:0", recording.cassette],
      in: recording.folder)
  }

  /// Sends content of this size, lets it arrive and answers it.
  private func upload(_ size: Int, _ client: Client, _ whileItWaits: () -> Void = {}) throws {
    let fields = "Content-Length: \(size)\r\n\r\n"
    client.send(
      bytes("POST / HTTP/1.1\r\nHost: a.test\r\n" + fields) + [UInt8](repeating: 0x78, count: size))
    whileItWaits()
    let head = bytes("POST / HTTP/1.1\r\nHost: localhost:\(upstream.port)\r\n" + fields)
    let arrived = upstream.take(count: head.count + size)
    #expect(arrived.count == head.count + size)
    #expect(arrived.starts(with: head))
    try upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    #expect(client.response()?.text == "ok")
  }

  @Test func `an upload may come faster than the handshake`() throws {
    let recorder = try recorder()
    let client = try Client(port: recorder.port())
    upstream.suspend()
    try upload(1 << 20, client) {
      ScriptedUpstream.wait(milliseconds: 200)
      upstream.resume()
    }
    let ended = recorder.stop()
    #expect(ended.status == 0)
    #expect(ended.duration < .seconds(2))
  }

  /// It is held until it is known that the cassette does not have it.
  @Test func `an upload that was held leaves at once`() throws {
    let first = try recorder()
    try upload(10, Client(port: first.port()))
    #expect(first.stop().status == 0)
    let second = try recorder(["--mode", "new-episodes"])
    try upload(1 << 20, Client(port: second.port()))
    let ended = second.stop()
    #expect(ended.status == 0)
    #expect(ended.duration < .seconds(2))
  }
}
