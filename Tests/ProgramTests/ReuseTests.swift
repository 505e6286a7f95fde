import Synchronization
import Testing

/// Upstreams that close connections which the recorder kept for the next request.
@Suite struct ReuseTests {
  private static func post(_ target: String) -> [UInt8] {
    bytes("POST \(target) HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello")
  }

  private static func empty(_ method: String) -> [UInt8] {
    bytes("\(method) / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\n\r\n")
  }

  @Test func `a kept connection that was closed meanwhile harms no request`() throws {
    let closed = Instants()
    let upstream = try ScriptedUpstream { connection in
      guard connection.request() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      connection.socket.close()
      closed.note()
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream, ["--no-redact", "--quiet"])
    let client = try Client(port: recorder.port())
    for round in 0..<30 {
      #expect(client.get("/a")?.text == "ok")
      closed.wait(count: 3 * round + 1)
      #expect(client.get("/b")?.text == "ok")
      closed.wait(count: 3 * round + 2)
      #expect(client.exchange(Self.post("/\(round)"))?.text == "ok")
      closed.wait(count: 3 * round + 3)
    }
    #expect(upstream.requests.count == 90)
    #expect(recorder.stop().status == 0)
    #expect(try recording.outcomes() == Array(repeating: "complete", count: 90))
  }

  /// Where upstreams close what was idle for a while, a POST must not be the one to find out.
  @Test func `a request that can't be sent again takes no connection that was idle long`() throws {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        if connection.isReused, request.starts(with: bytes("POST ")) { return }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try Client(port: recorder.port())
    #expect(client.get("/a")?.text == "ok")
    ScriptedUpstream.wait(milliseconds: 1_050)
    #expect(client.exchange(Self.post("/b"))?.text == "ok")
  }

  enum Ending: CaseIterable { case finishes, resets }

  /// The race that no check before sending can win: the request arrives, and the connection ends.
  @Test(arguments: Ending.allCases)
  func `a request that a kept connection swallows is sent again only if that is safe`(
    ending: Ending
  ) throws {
    let upstream = try ScriptedUpstream { connection in
      guard connection.request() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      guard connection.request() != nil else { return }
      if ending == .resets { connection.socket.reset() }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try Client(port: recorder.port())
    for method in ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"] {
      _ = client.get("/first")
      client.send(Self.empty(method))
      let response = try #require(client.response(hasContent: method != "HEAD"))
      #expect(response.status == 200, "\(method)")
    }
    _ = client.get("/first")
    for method in ["POST", "PATCH", "OWN"] {
      _ = client.get("/first")
      let response = try #require(client.exchange(Self.empty(method)))
      #expect(response.status == 502)
      #expect(response.head.contains("Fixtured-Outcome: "))
      let arrived = upstream.requests.count { $0.starts(with: bytes("\(method) ")) }
      #expect(arrived == 1, "\(method)")
    }
    #expect(recorder.stop().status == 0)
    // Never as if the origin server had answered 502.
    for interaction in try recording.interactions() where interaction["response"] is [String: Any] {
      let response = interaction["response"] as? [String: Any]
      #expect(response?["status"] as? Int == 200)
    }
  }
}
