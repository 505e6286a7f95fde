import Testing

/// Request targets that are no path (RFC 9112 §3.2): recorder and replay take and refuse the same.
@Suite struct TargetFormTests {
  /// What each of these requests gets, in record and then in replay; the upstream has a base path.
  private func both(
    _ requests: (Recording, ScriptedUpstream) -> [String]
  ) throws -> (recorded: [String], replayed: [String], targets: [String]) {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let target = String(decoding: request, as: UTF8.self).split(separator: " ")[1]
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(target.utf8.count)\r\n\r\n\(target)")
      }
    }
    let recording = try Recording()
    let lines = requests(recording, upstream).map {
      bytes("\($0) HTTP/1.1\r\nHost: a.test\r\n\r\n")
    }
    let recorder = try Program(
      [
        "record", "--upstream", upstream.url + "/v1", "--listen", "127.0.0.1:0", recording.cassette,
      ],
      in: recording.folder)
    let recorded = try lines.map { try Answer.to($0, port: recorder.port()) }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    let replayer = try recording.replayer()
    let replayed = try lines.map { try Answer.to($0, port: replayer.port()) }
    #expect(replayer.stop().status == 0)
    let targets = upstream.requests.map {
      String(String(decoding: $0, as: UTF8.self).split(separator: " ")[1])
    }
    return (recorded.map(Self.summary), replayed.map(Self.summary), targets)
  }

  /// Status and last line.
  private static func summary(_ answer: Answer) -> String {
    let text = String(decoding: answer.bytes, as: UTF8.self)
    return "\(text.split(separator: " ")[1]) \(text.split(separator: "\r\n").last ?? "")"
  }

  @Test func `a URL of the upstream stands for what is below its base path`() throws {
    let (recorded, replayed, targets) = try both { _, upstream in
      ["GET \(upstream.url)/v1/a?b", "GET \(upstream.url)/v1", "GET /a?b"]
    }
    #expect(targets == ["/v1/a?b", "/v1/", "/v1/a?b"])
    #expect(recorded == ["200 /v1/a?b", "200 /v1/", "200 /v1/a?b"])
    #expect(replayed == recorded)
  }

  @Test func `another server's URL, a tunnel and a switch of protocols are refused by name`() throws
  {
    let (recorded, replayed, targets) = try both { _, upstream in
      [
        "GET /a", "GET http://b.test/a", "GET \(upstream.url)/other", "CONNECT b.test:443",
        "GET a",
      ]
    }
    #expect(targets == ["/v1/a"])
    #expect(recorded.map { $0.prefix(3) } == ["200", "421", "421", "501", "400"])
    #expect(recorded[3].contains("CONNECT"))
    #expect(replayed == recorded)
  }
}
