import Testing

/// Request targets: opaque to the recorder, and what a query means when a recording is looked for.
@Suite struct TargetTests {
  /// Echoes the target of each request as content.
  private static func echo() throws -> ScriptedUpstream {
    try ScriptedUpstream { connection in
      while let request = connection.request() {
        let target = ScriptedUpstream.target(of: request)
        connection.send(
          bytes("HTTP/1.1 200 OK\r\nContent-Length: \(target.count)\r\n\r\n") + target)
      }
    }
  }

  private static func request(_ target: [UInt8]) -> [UInt8] {
    bytes(target == [0x2A] ? "OPTIONS " : "GET ") + target
      + bytes(" HTTP/1.1\r\nHost: a.test\r\n\r\n")
  }

  static let targets: [[UInt8]] =
    [
      "/api/v4/projects/a%2Fb", "/api/v4/projects/a/b", "/file%3Atest.pdf", "/file:test.pdf",
      "/encoded%2520path", "/encoded%20path", "/a//b", "/a/b", "/a/./b/../c", "/a/c", "/%7euser",
      "/~user", "/sp%20ace+plus", "/%e2%9c%93", "/%E2%9C%93", "/semi;v=1,2", "/semi;v=1%2C2",
      "/q?", "/q", "/q?a=%5B%5D&b[]=1", "/q?u=http://x/y?z", "/pct%", "/q?s='|^{}", "/q?%zz=1",
      "//elsewhere.test/x", "/", "/?", "///", "/..", "/../../up", "/a?b#fragment", "/a?b", "/%00",
      "/%0d%0aX:%20y", "/a\\b", "/\"<>`", "/http://elsewhere.test/", "/:80/x", "*", "/*",
      "/A", "/a", "/" + String(repeating: "a", count: 15_000),
    ].map(bytes) + [bytes("/raw-") + [0xC3, 0xBC], bytes("/raw-") + [0xFF], bytes("/q?") + [0xFF]]

  @Test func `every target reaches the upstream as it is and replays its own recording`() throws {
    let upstream = try Self.echo()
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try Client(port: recorder.port())
    for target in Self.targets {
      #expect(client.exchange(Self.request(target))?.content == target)
    }
    #expect(upstream.requests.map { ScriptedUpstream.target(of: $0) } == Self.targets)
    #expect(recorder.stop().status == 0)
    upstream.stop()

    let replayer = try recording.replayer()
    let again = try Client(port: replayer.port())
    for target in Self.targets + Self.targets.reversed() {
      #expect(again.exchange(Self.request(target))?.content == target)
    }
  }

  static let recorded = [
    "/s?fq=a;b&fq=c", "/s?fq=%2Bstate:OK&fq=-path:5&fq=groups:(0)", "/s?acc=1", "/s?acc=1&acc=2",
    "/s?a[]=1&a[]=2", "/s?a%5B%5D=1&a%5B%5D=3", "/s?x=1&y=2",
  ]

  /// What is asked, and the recording that answers it; nil for a miss.
  static let variants: [(asked: String, recorded: String?)] = [
    // The order between names does not count, within a name it does.
    ("/s?y=2&x=1", "/s?x=1&y=2"), ("/s?acc=2&acc=1", nil), ("/s?fq=c&fq=a;b", nil),
    // `;` separates nothing.
    ("/s?fq=a&fq=b&fq=c", nil), ("/s?fq=a%3Bb&fq=c", "/s?fq=a;b&fq=c"), ("/s?x=1;y=2", nil),
    // Escapes are another spelling of the same pairs; a `+` is a space.
    ("/s?a%5b%5D=1&a[]=2", "/s?a[]=1&a[]=2"), ("/s?%61cc=1", "/s?acc=1"),
    ("/s?fq=%2bstate%3AOK&fq=%2Dpath:5&fq=groups:%280%29", recorded[1]),
    ("/s?fq=+state:OK&fq=-path:5&fq=groups:(0)", nil), ("/s?x%3D1&y=2", nil),
    // Empty pieces are no pairs; every pair counts.
    ("/s?&x=1&&y=2&", "/s?x=1&y=2"), ("/s?x=1", nil), ("/s?x=1&y=2&x=1", nil), ("/s", nil),
    ("/s?", nil), ("/s?acc=1&acc=2&acc=3", nil), ("/s?acc=1&acc=", nil), ("/s?acc", nil),
    // Names, values and paths keep their case.
    ("/s?X=1&y=2", nil), ("/S?acc=1", nil),
  ]

  @Test func `queries are compared as lists of pairs`() throws {
    let recording = try Recording()
    let recorder = try recording.recorder(Self.echo())
    let client = try Client(port: recorder.port())
    for target in Self.recorded { #expect(client.get(target)?.text == target) }
    #expect(recorder.stop().status == 0)

    let replayer = try recording.replayer()
    let again = try Client(port: replayer.port())
    for target in Self.recorded { #expect(again.get(target)?.text == target) }
    for (asked, recorded) in Self.variants {
      let answer = try #require(again.get(asked))
      #expect(answer.status == (recorded == nil ? 501 : 200), "\(asked)")
      if let recorded { #expect(answer.text == recorded, "\(asked)") }
    }
  }
}
