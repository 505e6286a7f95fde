import Foundation
import Synchronization
import Testing

/// Finding the recording for what real clients send.
@Suite struct MatchingTests {
  private final class Counter: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  /// Answers the nth request with `n`.
  private static func counting() throws -> ScriptedUpstream {
    let counter = Counter()
    return try ScriptedUpstream { connection in
      while connection.request() != nil {
        let number = "\(counter.next())"
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(number.utf8.count)\r\n\r\n\(number)")
      }
    }
  }

  private static func post(_ fields: String, _ content: [UInt8]) -> [UInt8] {
    bytes(
      "POST /f HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\(fields)"
        + "Content-Length: \(content.count)\r\n\r\n") + content
  }

  /// Records requests and says with what a replay answers others: the content, or the status.
  private static func answers(
    recording recorded: [[UInt8]], to asked: [[UInt8]], options: [String] = [],
    configuration: String = "", recorder recorderOptions: [String] = []
  ) throws -> [String] {
    let recording = try Recording()
    try Data(configuration.utf8).write(
      to: recording.folder.url.appendingPathComponent("fixtured.conf"))
    let upstream = try counting()
    let recorder = try recording.recorder(upstream, ["--no-redact"] + recorderOptions)
    for request in recorded { _ = try Answer.to(request, port: recorder.port()) }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    let replayer = try recording.replayer(options)
    return try asked.map { request in
      let answer = String(
        decoding: try Answer.to(request, port: replayer.port()).bytes, as: UTF8.self)
      return answer.hasPrefix("HTTP/1.1 200")
        ? String(answer.split(separator: "\r\n").last ?? "") : String(answer.dropFirst(9).prefix(3))
    }
  }

  @Test func `a multipart upload matches whatever its boundary`() throws {
    let part = "Content-Disposition: form-data; name=\"n\"\r\n\r\nv --AAA inside"
    func upload(_ type: String, _ boundary: String, _ part: String) -> [UInt8] {
      Self.post(
        "Content-Type: multipart/form-data; \(type)\r\n",
        bytes("--\(boundary)\r\n\(part)\r\n--\(boundary)--\r\n"))
    }
    let answers = try Self.answers(
      recording: [
        upload("boundary=AAA", "AAA", part),
        upload(
          "boundary=AAA", "AAA", part + "\r\n--AAA\r\nContent-Disposition: form-data\r\n\r\n2"),
      ],
      to: [
        upload("charset=utf-8; boundary=\"B b:1\"", "B b:1", part),
        upload("boundary=B", "B", part.replacing("inside", with: "outside")),
        upload("boundary=B", "B", part.replacing("\"n\"", with: "\"m\"")),
        upload("boundary=B", "B", part.replacing("\"n\"", with: "\"n\"; filename=\"f\"")),
        upload("boundary=B", "B", part + "\r\n--B\r\nContent-Disposition: form-data\r\n\r\n2"),
        upload("boundary=B", "B", "Content-Disposition: form-data\r\n\r\n2\r\n--B\r\n" + part),
      ])
    #expect(answers == ["1", "501", "501", "501", "2", "501"])
  }

  @Test func `JSON matches by value, in the recorded order whatever its spelling`() throws {
    let type = "Content-Type: application/json\r\n"
    func json(_ text: String) -> [UInt8] { Self.post(type, bytes(text)) }
    let answers = try Self.answers(
      recording: [
        json(#"{"a":1,"b":[true]}"#), json(#"{"b":[true],"a":1}"#), json(#"{"a":2}"#),
      ],
      to: [
        json(#"{"b":[true],"a":1}"#), json(#"{ "b": [ true ], "a": 1.0 }"#), json(#"{"a":2e0}"#),
        json(#"{"a":3}"#),
        Self.post("Content-Type: text/plain\r\n", bytes(#"{"a":2}"#)),
        Self.post("Content-Type: text/plain\r\n", bytes(#"{"a": 2}"#)),
      ])
    #expect(answers == ["1", "2", "3", "501", "3", "501"])
  }

  @Test func `a coding of the content does not matter`() throws {
    // {"ok":true,"n":1}
    let gzip: [UInt8] = [
      0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0x02, 0x03, 0xAB, 0x56, 0xCA, 0xCF, 0x56, 0xB2, 0x2A, 0x29,
      0x2A, 0x4D, 0xD5, 0x51, 0xCA, 0x53, 0xB2, 0x32, 0xAC, 0xE5, 0x02, 0x00, 0x21, 0x5B, 0x9F,
      0xAB, 0x12, 0, 0, 0,
    ]
    let type = "Content-Type: application/json\r\n"
    let coded = Self.post(type + "Content-Encoding: gzip\r\n", gzip)
    let plain = Self.post(type, bytes(#"{"n":1,"ok":true}"#))
    #expect(try Self.answers(recording: [coded], to: [plain, coded]) == ["1", "1"])
    #expect(try Self.answers(recording: [plain], to: [coded, plain]) == ["1", "1"])
  }

  @Test func `fields that say nothing of what is asked do not matter`() throws {
    let recorded = bytes(
      "GET /a HTTP/1.1\r\nHost: a.test:1\r\nConnection: close\r\nUser-Agent: one\r\n"
        + "Accept-Language: en\r\nAccept: */*\r\n\r\n")
    let asked = bytes(
      "GET /a HTTP/1.1\r\naccept: */*\r\naccept-language: de\r\nhost: b.test:2\r\n"
        + "user-agent: two\r\nconnection: close\r\nX-More: 1\r\n\r\n")
    #expect(try Self.answers(recording: [recorded], to: [asked]) == ["1"])
  }

  private static func get(_ target: String, _ fields: String = "") -> [UInt8] {
    bytes("GET \(target) HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\(fields)\r\n")
  }

  @Test func `what counts is said on the command line or beside the cassette`() throws {
    let recorded = [Self.get("/a?x=1&ts=1", "X-V: 1\r\n"), Self.get("/a?x=1&ts=2", "X-V: 2\r\n")]
    let asked = [
      Self.get("/a?ts=9&x=1", "X-V: 2\r\n"), Self.get("/a?x=1", "X-V: 2\r\n"),
      Self.get("/a?x=2&ts=2", "X-V: 2\r\n"), Self.get("/a?x=1&ts=1", "X-V: 3\r\n"),
    ]
    #expect(
      try Self.answers(
        recording: recorded, to: asked, options: ["--match", "+query-ignore:ts,+header:X-V"])
        == ["2", "2", "501", "501"])
    let file = "# for all cassettes here\nmatch +query-ignore:ts\nmatch +header:x-v\n"
    #expect(
      try Self.answers(recording: recorded, to: asked, configuration: file)
        == ["2", "2", "501", "501"])
    #expect(
      try Self.answers(
        recording: recorded, to: asked, options: ["--match=-query,-header:X-V"],
        configuration: file) == ["1", "2", "2", "2"])
  }

  @Test func `a file that can't be followed is named, and nothing is done`() throws {
    let recording = try Recording()
    try Data("match -query\n\nmtach -path\n".utf8).write(
      to: recording.folder.url.appendingPathComponent("fixtured.conf"))
    for arguments in [["replay", "x.db"], ["record", "--upstream", "http://a.test", "x.db"]] {
      let ended = try Program.run(arguments, in: recording.folder)
      #expect(ended.status == 2)
      #expect(
        ended.errors == """
          fixtured: line 3 of fixtured.conf can't be followed, in fixtured, \
          there is no setting "mtach", did you mean match?\n
          """)
    }
    #expect(try recording.folder.names() == ["fixtured.conf"])
  }

  @Test func `a coding the client did not offer is sent only when there is nothing else`() throws {
    let recording = try Recording()
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let isCoded = String(decoding: request, as: UTF8.self).contains("gzip")
        let answer =
          isCoded
          ? "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\ncoded"
          : "Content-Length: 5\r\n\r\nplain"
        connection.send("HTTP/1.1 200 OK\r\nVary: Accept-Encoding\r\n\(answer)")
      }
    }
    let coded = "Accept-Encoding: gzip\r\n"
    let recorder = try recording.recorder(upstream)
    for request in [Self.get("/a", coded), Self.get("/a"), Self.get("/b", coded)] {
      _ = try Answer.to(request, port: recorder.port())
    }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    let replayer = try recording.replayer()
    func end(_ request: [UInt8]) throws -> String {
      String(decoding: try Answer.to(request, port: replayer.port()).bytes.suffix(5), as: UTF8.self)
    }
    #expect(try end(Self.get("/a")) == "plain")
    #expect(try end(Self.get("/a", "Accept-Encoding: br\r\n")) == "plain")
    #expect(try end(Self.get("/a", "Accept-Encoding: br, gzip\r\n")) == "coded")
    #expect(try end(Self.get("/b")) == "coded")
    #expect(try end(Self.get("/b")) == "coded")
    let ended = replayer.stop()
    #expect(
      ended.errors.split(separator: "\n").filter { $0.contains("coding") } == [
        "fixtured: interaction 3 is sent in the coding gzip, which its client did not offer: there "
          + "is no other recording; send Accept-Encoding, or record it without"
      ])
  }

  @Test func `hosts that were preserved are told apart`() throws {
    func get(_ host: String) -> [UInt8] {
      bytes("GET / HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
    }
    let answers = try Self.answers(
      recording: [get("one.test"), get("two.test"), get("one.test")],
      to: [get("two.test"), get("two.test"), get("one.test"), get("one.test"), get("other.test")],
      recorder: ["--preserve-host"])
    #expect(answers == ["2", "2", "1", "3", "501"])
  }
}
