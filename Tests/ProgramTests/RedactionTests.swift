import Foundation
import Testing

/// No secret reaches the disk in any spelling, and the recording still replays.
@Suite struct RedactionTests {
  private static let secret = "tok-SECRET/9+a=="
  private static let encoded = "tok-SECRET%2F9%2Ba%3D%3D"
  private static let zipped = hexadecimal(
    "1f8b0800000000000203ab564a4c4e4e2d2e8e2fc9cf4ecd53b25202d2bac1aece41ae21fa96da89b6b64ab500"
      + "46b2314423000000")
  private static let environment = ["/usr/bin/env", "FIXTURED_TEST_TOKEN=\(secret)"]
  private static let multipart =
    "--BBB\r\nContent-Disposition: form-data; name=\"t\"\r\n\r\n\(secret)\r\n--BBB--\r\n"

  private static func hexadecimal(_ text: String) -> [UInt8] {
    var rest = text[...]
    var bytes: [UInt8] = []
    while !rest.isEmpty {
      bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  private static func post(_ target: String, _ type: String, _ content: String) -> [UInt8] {
    bytes(
      "POST \(target) HTTP/1.1\r\nHost: a.test\r\nContent-Type: \(type)\r\n"
        + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)")
  }

  private static func get(_ target: String, _ fields: String...) -> [UInt8] {
    bytes(
      "GET \(target) HTTP/1.1\r\nHost: a.test\r\n"
        + fields.map { $0 + "\r\n" }.joined() + "\r\n")
  }

  private static let requests: [[UInt8]] = [
    get("/1", "Authorization: Bearer \(secret)"),
    get("/2", "Authorization: Basic dXNlcjp0b2stU0VDUkVULzkrYT09"),
    get("/3", "X-Own: Basic dXNlcjp0b2stU0VDUkVULzkrYT09"),
    get("/4?t=\(encoded)"),
    get("/5/\(encoded)/x"),
    get("/6", "X-Api-Key: \(secret)", "Cookie: s=\(secret)"),
    get("/7", "Referer: http://a.test/?t=\(encoded)"),
    post("/8", "application/x-www-form-urlencoded", "t=\(encoded)"),
    post("/9", "application/json", #"{"t":"tok-SECRET\/9+a=="}"#),
    post("/10", "multipart/form-data; boundary=BBB", multipart),
    post("/11", "text/plain", "it is \(secret)"),
  ]

  private static let answers: [[UInt8]] = [
    bytes(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
        + "Content-Length: \(zipped.count)\r\n\r\n") + zipped,
    bytes(
      "HTTP/1.1 302 \(secret)\r\nLocation: /cb?code=\(encoded)\r\n"
        + "Set-Cookie: s=\(encoded); Path=/\r\nX-Own: \(secret)\r\nContent-Length: 0\r\n\r\n"),
    // The secret lies across chunks.
    bytes(
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "b\r\n<p>tok-SECR\r\n9\r\nET/9+a==<\r\n2\r\n/p\r\n1\r\n>\r\n0\r\n\r\n"),
    bytes(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        + "data: {\"access_token\":\"\(secret)\"}\n\n"),
  ]

  private static func upstream() throws -> ScriptedUpstream {
    try ScriptedUpstream { connection in
      while let request = connection.request() {
        let target = text(ScriptedUpstream.target(of: request))
        let number = Int(target.dropFirst().prefix { $0.isNumber }) ?? 0
        let answer = answers[(number + 3) % answers.count]
        connection.send(answer)
        if text(answer).contains("event-stream") { return }
      }
    }
  }

  private static func recorder(
    _ recording: Recording, _ upstream: ScriptedUpstream
  ) throws -> Program {
    try Program(
      [
        "record", "--upstream", upstream.url, "--listen", "127.0.0.1:0", "--redact",
        "text:env:FIXTURED_TEST_TOKEN", recording.cassette,
      ], in: recording.folder, through: environment)
  }

  /// Every file in the folder, what the program said too; coded contents decoded.
  private static func requireClean(_ recording: Recording) throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: recording.folder.url.path)
    for name in files {
      let content = try recording.folder.bytes(name)
      for spelling in ["SECRET", "ok-SECR", "stU0VDUkVU", "zkrYT09", "%2F9%2B", "/9+a"] {
        #expect(
          content.firstRange(of: bytes(spelling)) == nil, "\(spelling) in \(name)")
      }
    }
  }

  @Test func `a secret is on disk in no spelling, and its requests are answered`() throws {
    let recording = try Recording()
    let upstream = try Self.upstream()
    let recorder = try Self.recorder(recording, upstream)
    let port = try recorder.port()
    let recorded = try Self.requests.map { try Answer.to($0, port: port) }
    // The client has the original bytes.
    #expect(Array(recorded[0].bytes.suffix(Self.zipped.count)) == Self.zipped)
    #expect(text(recorded[2].bytes).contains("9\r\nET/9+a==<\r\n"))
    try Self.requireClean(recording)
    let ended = recorder.stop()
    #expect(ended.status == 0, "\(ended.errors)")
    upstream.stop()
    try Self.requireClean(recording)
    let dump = try Program.run(["dump", recording.cassette], in: recording.folder)
    #expect(dump.status == 0)
    try Self.requireClean(recording)

    let replayer = try Program(
      ["replay", "--listen", "127.0.0.1:0", recording.cassette], in: recording.folder,
      through: Self.environment)
    for (number, request) in Self.requests.enumerated() {
      let answer = try Answer.to(request, port: replayer.port())
      #expect(text(answer.bytes).hasPrefix("HTTP/1.1 \(number % 4 == 1 ? 302 : 200)"), "\(number)")
    }
    let chunked = try Answer.to(Self.requests[2], port: replayer.port())
    #expect(text(chunked.bytes).contains("d\r\n<p>REDACTED-1\r\n1\r\n<\r\n2\r\n/p\r\n"))
    let miss = try Answer.to(
      Self.get("/none/\(Self.encoded)?t=\(Self.secret)"), port: replayer.port())
    #expect(!text(miss.bytes).contains("SECRET"))
    #expect(replayer.stop().status == 0)
    try Self.requireClean(recording)
  }

  @Test func `a secret beside its place is found with the one of today, and no miss shows it`()
    throws
  {
    func exchange(_ key: String) -> [[UInt8]] {
      [
        Self.get("/a?t=\(key)", "Authorization: Bearer \(key)"),
        Self.get("/b/\(key)?next=%2Fx%3Fq%3D\(key)", "X-Api-Key: \(key)"),
        Self.post("/c", "application/json", #"{"password":"\#(key)","again":"\#(key)"}"#),
        // Known from the requests before.
        Self.get("/d?t=\(key)"),
      ]
    }
    let recording = try Recording()
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let target = text(ScriptedUpstream.target(of: request)).prefix(2)
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\(target)")
      }
    }
    let recorder = try recording.recorder(upstream, [])
    for request in exchange("s3cr3t0fOneTwoThree") {
      _ = try Answer.to(request, port: recorder.port())
    }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    #expect(
      try recording.folder.bytes(recording.cassette).firstRange(of: bytes("s3cr3t0f")) == nil)
    let replayer = try recording.replayer()
    for (request, name) in zip(exchange("0therK3y0fToday"), ["/a", "/b", "/c", "/d"]) {
      let answer = text(try Answer.to(request, port: replayer.port()).bytes)
      #expect(answer.hasPrefix("HTTP/1.1 200 OK") && answer.hasSuffix("\r\n\r\n\(name)"))
    }
    for request in [
      Self.get("/e?t=0therK3y0fToday"), Self.get("/a?t=x", "X-Own: 0therK3y0fToday"),
      Self.post("/c", "application/json", #"{"password":"x","other":"0therK3y0fToday"}"#),
    ] {
      let answer = text(try Answer.to(request, port: replayer.port()).bytes)
      #expect(answer.hasPrefix("HTTP/1.1 501"))
      #expect(!answer.contains("K3y0f"), "\(answer)")
    }
    let ended = replayer.stop()
    #expect(ended.status == 0)
    #expect(!ended.errors.contains("K3y0f"), "\(ended.errors)")
  }

  @Test func `no secret is on disk after a kill`() throws {
    let recording = try Recording()
    let upstream = try Self.upstream()
    let recorder = try Self.recorder(recording, upstream)
    let port = try recorder.port()
    for request in Self.requests { _ = try Answer.to(request, port: port) }
    _ = recorder.stop(SIGKILL)
    try Self.requireClean(recording)
    let repaired = try Program.run(
      ["verify", "--repair", recording.cassette], in: recording.folder)
    #expect(repaired.status == 0, "\(repaired.errors)")
    try Self.requireClean(recording)
    #expect(try recording.interactions().count == Self.requests.count)
  }

  @Test(arguments: [100, (64 << 10) - 5, 700_000, (1 << 20) - 20])
  func `a secret in large content that is no text keeps it out, wherever it lies`(
    _ place: Int
  ) throws {
    let recording = try Recording()
    let secret = bytes("s3cr3t0fOneTwoThree")
    let clean = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let content = clean[..<place] + secret + clean[(place + secret.count)...]
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let body = text(ScriptedUpstream.target(of: request)) == "/a" ? Array(content) : clean
        connection.send(
          bytes(
            "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: \(body.count)\r\n\r\n")
            + body)
      }
    }
    let recorder = try recording.recorder(upstream, [])
    let get = Self.get("/a", "Authorization: Bearer \(text(secret))")
    let answer = try Answer.to(get, port: recorder.port(), within: .seconds(3))
    #expect(answer.bytes.suffix(content.count).elementsEqual(content))
    _ = try Answer.to(Self.get("/b"), port: recorder.port(), within: .seconds(3))
    for name in try recording.folder.names() {
      #expect(try recording.folder.bytes(name).firstRange(of: secret) == nil, "\(name)")
    }
    let ended = recorder.stop()
    #expect(ended.status == 0)
    #expect(
      ended.errors.contains(
        "interaction 1: its response content holds a secret and is no text, not stored"),
      "\(ended.errors)")
    upstream.stop()
    let verified = try Program.run(["verify", recording.cassette], in: recording.folder)
    #expect(verified.status == 0, "\(verified.errors)")
    let replayer = try recording.replayer()
    let miss = try Answer.to(get, port: replayer.port())
    #expect(text(miss.bytes).contains("whose content was not stored"))
    let other = try Answer.to(Self.get("/b"), port: replayer.port(), within: .seconds(3))
    #expect(Array(other.bytes.suffix(clean.count)) == clean)
    #expect(replayer.stop().status == 0)
  }

  @Test func `content too large to be redacted is left out, and its request is a miss`() throws {
    let recording = try Recording()
    let size = (16 << 20) + 1
    let content = bytes("{\"token\":\"") + [UInt8](repeating: 0x61, count: size)
    let upstream = try ScriptedUpstream.answering(
      bytes("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ")
        + bytes("\(content.count)\r\n\r\n") + content)
    let recorder = try recording.recorder(upstream, [])
    let answer = try Answer.to(
      BytesTests.getRequest, port: recorder.port(), within: .seconds(3))
    #expect(answer.bytes.count > content.count)
    let ended = recorder.stop()
    #expect(ended.status == 0)
    #expect(
      ended.errors.contains(
        "interaction 1: its response content is text of more than 16 MiB, too much to be redacted, "
          + "not stored: --store-unredacted stores it as it is"), "\(ended.errors)")
    upstream.stop()
    let replayer = try recording.replayer()
    let miss = try Answer.to(BytesTests.getRequest, port: replayer.port())
    #expect(text(miss.bytes).contains("whose content was not stored"))
    #expect(replayer.stop().status == 0)
  }

  @Test func `content too large to be redacted is stored when that is asked for`() throws {
    let recording = try Recording()
    let content = [UInt8](repeating: 0x61, count: (16 << 20) + 1)
    let upstream = try ScriptedUpstream.answering(
      bytes("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ")
        + bytes("\(content.count)\r\n\r\n") + content)
    let (recorded, replayed) = try recording.both(
      upstream, [BytesTests.getRequest], options: ["--store-unredacted"], within: .seconds(3))
    #expect(recorded[0].bytes.count > content.count)
    #expect(recorded == replayed)
  }

  @Test func `a rule about a text that is not there is a usage error`() throws {
    let recording = try Recording()
    for (rule, reason) in [
      ("text:env:FIXTURED_NONE", "the environment has no variable FIXTURED_NONE"),
      ("text:@none", "there is no file none"),
      ("text:@short", "can't be told from other text"),
      ("text:@large", "large has more than 1048576 bytes"),
    ] {
      try Data("abc\n".utf8).write(to: recording.folder.url.appendingPathComponent("short"))
      try Data(count: (1 << 20) + 1).write(to: recording.folder.url.appendingPathComponent("large"))
      let ended = try Program.run(
        ["record", "--upstream", "http://127.0.0.1:1", "--redact", rule, "y.db"],
        in: recording.folder)
      #expect(ended.status == 2)
      #expect(ended.errors.contains(reason), "\(ended.errors)")
      #expect(try !recording.folder.names().contains("y.db"))
    }
  }
}
