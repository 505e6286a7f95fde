import Testing

/// A machine that has too little of something.
@Suite struct ShortageTests {
  /// Clients wait for their turn, and nothing is recorded as a failure of the upstream.
  @Test func `few descriptors delay exchanges, they do not fail them`() throws {
    let upstream = try ScriptedUpstream { connection in
      while connection.request() != nil {
        connection.pause(milliseconds: 20)
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream, ["--no-redact"], limits: "-n 64")
    let port = try recorder.port()
    let clients = try (0..<60).map { _ in try RawSocket(port: port) }
    for client in clients {
      client.send("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
    }
    for client in clients {
      #expect(client.receive().bytes.starts(with: bytes("HTTP/1.1 200 OK\r\n")))
      client.close()
    }
    let errors = recorder.stop().errors
    #expect(errors.contains("recorded 60 interactions in x.db\n"))
    #expect(errors.split(separator: "\n").filter { $0.contains("others wait") }.count == 1)
  }

  /// A response that is not taken waits at its upstream, not in memory.
  @Test func `a hundred clients that never read cost little memory`() throws {
    let size = 8 << 20
    let upstream = try ScriptedUpstream { connection in
      guard connection.request() != nil else { return }
      // Text would be held to be redacted.
      connection.send(
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(size)\r\n\r\n")
      connection.send([UInt8](repeating: 0x7A, count: size))
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let port = try recorder.port()
    let clients = try (0..<100).map { _ in try RawSocket(port: port, receiveBuffer: 4096) }
    for client in clients { client.send(BytesTests.getRequest) }
    // Until the recorder has taken all that it will.
    ScriptedUpstream.wait(milliseconds: 3000)
    // Of the 800 MiB, what waited between upstreams, disk and clients at the busiest moment.
    let memory = try recorder.privateMemory()
    #expect(memory < 200 << 20)
    for client in clients { client.close() }
    #expect(recorder.stop().status == 0)
  }

  /// Whoever asked gets the answer; the recorder ends when all have it.
  @Test func `a cassette that can't grow fails the recording, not its clients`() throws {
    let answer =
      bytes("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n")
      + [UInt8](repeating: 0x7A, count: 400_000)
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        connection.send(Array(answer[..<1000]))
        connection.pause(milliseconds: request.contains(bytes("/slow")) ? 1500 : 10)
        connection.send(Array(answer[1000...]))
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream, limits: "-f 300")
    let port = try recorder.port()
    let slow = try RawSocket(port: port)
    slow.send("GET /slow HTTP/1.1\r\nHost: a.test\r\n\r\n")
    let quick = try RawSocket(port: port)
    quick.send("GET /quick HTTP/1.1\r\nHost: a.test\r\n\r\n")
    for client in [quick, slow] {
      let received = client.receive { $0.count >= answer.count }.bytes
      #expect(received.count == answer.count)
    }
    let ended = recorder.waitForEnd()
    #expect(ended.status == 1)
    #expect(ended.errors.contains("fixtured: recording has stopped: x.db: "))
    #expect(ended.errors.contains("run fixtured verify --repair x.db"))
    let repaired = try Program.run(["verify", "--repair", "x.db"], in: recording.folder)
    #expect(repaired.status == 0)
  }
}
