import Synchronization
import Testing

/// More comes than the disk takes: upstreams wait, and go on.
@Suite struct CongestionTests {
  @Test func `long responses and uploads at once all come to their end`() throws {
    let size = 6 << 20
    let content = [UInt8](repeating: 0x7A, count: size)
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let isUpload = request.starts(with: bytes("POST"))
        let length = isUpload ? 0 : size
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
        if !isUpload { connection.send(content) }
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let port = try recorder.port()
    let ended = Mutex(0)
    for number in 0..<12 {
      Worker.start {
        for _ in 0..<4 {
          guard let client = try? RawSocket(port: port) else { return }
          if number < 9 {
            client.send(BytesTests.getRequest)
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8.count
            let received = client.receive(within: .seconds(60)) {
              // Slower than the upstream sends, so that the recorder waits for it too.
              ScriptedUpstream.wait(milliseconds: 1)
              return $0.count >= head + size
            }
            guard received.bytes.count == head + size else { return }
          } else {
            client.send("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: \(size)\r\n\r\n")
            client.send(content)
            guard client.receive(within: .seconds(60), until: { !$0.isEmpty }).bytes.count > 0
            else { return }
          }
          ended.withLock { $0 += 1 }
        }
      }
    }
    let deadline = ContinuousClock.now + .seconds(60)
    while ended.withLock({ $0 }) < 48, ContinuousClock.now < deadline {
      ScriptedUpstream.wait(milliseconds: 50)
    }
    #expect(ended.withLock { $0 } == 48)
    #expect(recorder.stop().errors.contains("recorded 48 interactions"))
  }
}
