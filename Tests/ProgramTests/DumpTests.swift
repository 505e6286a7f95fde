import Foundation
import Testing

/// What a dump of a recording says, and what it leaves out so that the next recording says the
/// same.
@Suite struct DumpTests {
  /// An API whose answers hold the moment in every place where servers put it.
  private func api() throws -> ScriptedUpstream {
    try ScriptedUpstream { connection in
      while let request = connection.request() {
        let now = Date()
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = format.string(from: now)
        let later = format.string(from: now.addingTimeInterval(3600))
        let content =
          ScriptedUpstream.target(of: request) == bytes("/gzip")
          ? Self.gzip(moment: UInt8(truncatingIfNeeded: Int(now.timeIntervalSince1970 * 1000)))
          : bytes(#"{"n":1.50,"a":[]}"#)
        let coding =
          ScriptedUpstream.target(of: request) == bytes("/gzip") ? "Content-Encoding: gzip\r\n" : ""
        connection.send(
          bytes(
            "HTTP/1.1 200 OK\r\nDate: \(date)\r\nExpires: \(later)\r\n"
              + "Set-Cookie: a=b; Expires=\(later)\r\nContent-Type: application/json\r\n\(coding)"
              + "Content-Length: \(content.count)\r\n\r\n") + content)
      }
    }
  }

  /// `{"ok":true,"n":1}` and a newline, with a moment in the header (RFC 1952 §2.3.1).
  private static func gzip(moment: UInt8) -> [UInt8] {
    [
      0x1F, 0x8B, 0x08, 0x00, moment, moment, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56, 0xCA, 0xCF, 0x56,
      0xB2, 0x2A, 0x29, 0x2A, 0x4D, 0xD5, 0x51, 0xCA, 0x53, 0xB2, 0x32, 0xAC, 0xE5, 0x02, 0x00,
      0x21, 0x5B, 0x9F, 0xAB, 0x12, 0x00, 0x00, 0x00,
    ]
  }

  private func record(_ upstream: ScriptedUpstream) throws -> Recording {
    let recording = try Recording()
    let recorder = try recording.recorder(upstream, [])
    let port = try recorder.port()
    for target in ["/json", "/gzip", "/json"] {
      let request =
        "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer s3cret\r\n\r\n"
      #expect(text(try Answer.to(bytes(request), port: port).bytes).contains(" 200 OK"))
    }
    #expect(recorder.stop().status == 0)
    return recording
  }

  @Test func `recording the same traffic twice gives the same dump`() throws {
    let upstream = try api()
    let first = try record(upstream)
    ScriptedUpstream.wait(milliseconds: 1100)
    let second = try record(upstream)
    upstream.stop()
    let dumps = try [first, second].map { recording in
      let ended = try Program.run(["dump", recording.cassette], in: recording.folder)
      #expect(ended.status == 0, "\(ended.errors)")
      return ended.output
    }
    #expect(dumps[0] == dumps[1])
    for line in [
      "Host: 127.0.0.1:(port)", "Date: (date)", "Expires: (date + 3600 s)",
      "Set-Cookie: a=REDACTED-2; Expires=(date + 3600 s)", "|   \"n\": 1.50,",
    ] {
      #expect(dumps[0].contains("    \(line)\n"))
    }
    #expect(try first.folder.bytes("x.db") != second.folder.bytes("x.db"))
    let withTimes = try [first, second].map {
      try Program.run(["dump", "--times", $0.cassette], in: $0.folder).output
    }
    #expect(withTimes[0] != withTimes[1])
  }

  @Test func `a dump that is no longer true says what differs and how to write it anew`() throws {
    let upstream = try api()
    let recording = try record(upstream)
    upstream.stop()
    let folder = recording.folder
    #expect(try Program.run(["dump", "x.db", "-o", "x.db.txt"], in: folder).status == 0)
    #expect(try Program.run(["dump", "x.db", "--check"], in: folder).status == 0)
    let path = folder.path("x.db.txt")
    let dump = try String(contentsOfFile: path, encoding: .utf8)
    try dump.replacingOccurrences(of: "\"n\": 1.50", with: "\"n\": 1.5")
      .write(toFile: path, atomically: false, encoding: .utf8)
    let ended = try Program.run(["dump", "x.db", "--check"], in: folder)
    #expect(ended.status == 1)
    #expect(try Program.run(["dump", "--check", "x.db", "x.db"], in: folder).status == 1)
    #expect(try Program.run(["dump", "x.db", "x.db"], in: folder).status == 2)
    #expect(ended.errors.contains("write it with fixtured dump x.db -o x.db.txt"))
    #expect(ended.errors.contains("-     |   \"n\": 1.5,\n+     |   \"n\": 1.50,\n"))
  }
}
