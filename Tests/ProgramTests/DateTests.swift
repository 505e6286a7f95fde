import Foundation
import Testing

/// Dates of responses as they reach a client.
@Suite struct DateTests {
  static let made = "Sun, 06 Nov 1994 08:49:37 GMT"

  static let answer =
    "HTTP/1.1 200 OK\r\nServer: s\r\nDate: \(made)\r\nExpires: Sun, 06 Nov 1994 08:50:37 GMT\r\n"
    + "Last-Modified: Sun, 06 Nov 1994 08:49:07 GMT\r\n"
    + "Set-Cookie: a=b; Expires=Sun, 06-Nov-1994 09:49:37 GMT; Path=/\r\nAge: 3\r\n"
    + "Content-Length: 4\r\n\r\nbody"

  static func recording(_ answer: String = answer, size: Int = 4) throws -> Recording {
    let rest = String(repeating: "y", count: size - 4)
    let whole = answer.replacing("Content-Length: 4", with: "Content-Length: \(size)") + rest
    return try ConditionalTests.recorded([BytesTests.getRequest]) { _ in bytes(whole) }
  }

  /// Seconds since 1970 of a field, or of what stands behind `attribute=` in it.
  static func seconds(_ name: String, in head: String) -> Int? {
    for line in head.split(separator: "\r\n") where line.hasPrefix(name + ": ") {
      let value = line.dropFirst(name.count + 2)
      let text = value.firstRange(of: "Expires=").map { value[$0.upperBound...] } ?? value
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(identifier: "GMT")
      formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
      return formatter.date(from: String(text.prefix(29))).map { Int($0.timeIntervalSince1970) }
    }
    return nil
  }

  @Test(arguments: [4, 100_000], [1, 3])
  func `dates are those of now and keep their distance`(_ size: Int, _ threads: Int) throws {
    let recording = try Self.recording(size: size)
    let start = Int(Date.now.timeIntervalSince1970)
    let replayer = try recording.replayer(["--threads", "\(threads)"])
    let client = try Client(port: replayer.port())
    var dates: Set<Int> = []
    var modified: Set<Int> = []
    // The clock goes on, also for an answer that is kept.
    while dates.count < 3, Int(Date.now.timeIntervalSince1970) < start + 60 {
      let before = Int(Date.now.timeIntervalSince1970)
      let response = try #require(client.get("/x"))
      let after = Int(Date.now.timeIntervalSince1970)
      let date = try #require(Self.seconds("Date", in: response.head))
      // A second may have begun since the loop looked at its clock.
      #expect((before - 1...after).contains(date), "\(response.head)")
      #expect(Self.seconds("Expires", in: response.head) == date + 60)
      #expect(Self.seconds("Set-Cookie", in: response.head) == date + 3600)
      #expect(response.head.contains("; Path=/\r\nAge: 3\r\n"))
      #expect(response.content.count == size)
      modified.insert(try #require(Self.seconds("Last-Modified", in: response.head)))
      dates.insert(date)
      usleep(100_000)
    }
    #expect(dates.count == 3)
    // A validator: the same for the whole session, thirty seconds before it started.
    #expect(modified.count == 1)
    #expect(modified.allSatisfy { (start - 30...start - 20).contains($0) })
    #expect(replayer.stop().status == 0)
  }

  @Test func `a date that a client sends back is understood`() throws {
    let recording = try Self.recording()
    let replayer = try recording.replayer()
    let client = try Client(port: replayer.port())
    let head = try #require(client.get("/x")?.head)
    let line = try #require(head.split(separator: "\r\n").first { $0.hasPrefix("Last-M") })
    let date = String(line.dropFirst("Last-Modified: ".count))
    func status(_ lines: String...) -> Int? {
      client.exchange(
        bytes("GET /x HTTP/1.1\r\nHost: a.test\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"))?
        .status
    }
    #expect(status("If-Modified-Since: \(date)") == 304)
    #expect(status("If-Unmodified-Since: \(date)") == 200)
    #expect(status("Range: bytes=1-", "If-Range: \(date)") == 206)
    #expect(status("If-Modified-Since: \(Self.made)") == 200)
    #expect(status("If-Unmodified-Since: \(Self.made)") == 412)
    #expect(status("Range: bytes=1-", "If-Range: \(Self.made)") == 200)
    #expect(replayer.stop().status == 0)
  }

  @Test func `a clock that stands still gives the same bytes for ever`() throws {
    let recording = try Self.recording()
    let expected = """
      HTTP/1.1 200 OK\r
      Server: s\r
      Date: Wed, 01 Jan 2031 02:34:56 GMT\r
      Expires: Wed, 01 Jan 2031 02:35:56 GMT\r
      Last-Modified: Wed, 01 Jan 2031 02:34:26 GMT\r
      Set-Cookie: a=b; Expires=Wed, 01 Jan 2031 03:34:56 GMT; Path=/\r
      Age: 3\r
      Content-Length: 4\r
      \r
      body
      """
    for date in ["2031-01-01T02:34:56Z", "Wed, 01 Jan 2031 02:34:56 GMT"] {
      let replayer = try recording.replayer(["--date", "frozen=\(date)"])
      for _ in 0..<2 {
        #expect(
          try Answer.to(BytesTests.getRequest, port: replayer.port()).bytes == bytes(expected))
        usleep(1_100_000)
      }
      #expect(replayer.stop().status == 0)
    }
  }

  @Test func `recorded dates are sent byte for byte`() throws {
    let recording = try Self.recording()
    let replayer = try recording.replayer(["--date", "recorded"])
    #expect(
      try Answer.to(BytesTests.getRequest, port: replayer.port()).bytes == bytes(Self.answer))
    #expect(replayer.stop().status == 0)
  }

  @Test(arguments: ["soon", "frozen", "frozen=", "frozen=yesterday", "shift=1", ""])
  func `other words are refused`(_ value: String) throws {
    let ended = try Program.run(["replay", "--date", value, "x.db"], in: Folder())
    #expect(ended.status == 2)
    #expect(ended.errors.contains("shift, recorded or frozen=DATE"))
  }

  @Test func `a streamed answer and one to an old client have them too`() throws {
    let recording = try Self.recording(
      "HTTP/1.1 200 OK\r\nDate: \(Self.made)\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "4\r\nbody\r\n0\r\n\r\n")
    let replayer = try recording.replayer()
    for version in ["1.1", "1.0"] {
      let request = bytes("GET /x HTTP/\(version)\r\nHost: a.test\r\n\r\n")
      let answer = try Answer.to(request, port: replayer.port())
      let date = try #require(Self.seconds("Date", in: text(answer.bytes)))
      #expect(abs(date - Int(Date.now.timeIntervalSince1970)) < 30)
    }
    #expect(replayer.stop().status == 0)
  }
}
