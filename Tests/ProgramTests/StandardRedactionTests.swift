import Foundation
import Testing

/// What the standard rules keep out, in every spelling that clients and servers use.
@Suite struct StandardRedactionTests {
  private static let bearer = "b3arer-T0ken-0123456789abcdef"
  private static let password = "p4ssw0rd-0f-Ada/Lovelace"
  private static let cookie = "c00kie-5essi0n-9876543210-zyxwvu"
  private static let key = "k3y-0f-the-api-ABCDEFGHIJ+/="
  private static let code = "4/c0de-0f-the-grant-QrStUv"
  private static let access = "acc3ss-t0ken-of-the-answer-42"

  private static let secrets = [bearer, password, cookie, key, code, access]

  private static func percent(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
  }

  private static func base64(_ text: String) -> String {
    Data(text.utf8).base64EncodedString()
  }

  /// How a secret may be spelled in a file.
  private static func spellings(_ secret: String) -> [String] {
    let core = base64("user:" + secret).dropFirst(7).prefix(24)
    return [
      secret, percent(secret), secret.replacingOccurrences(of: "/", with: "\\/"), String(core),
      String(secret.prefix(9)),
    ]
  }

  private static func get(_ target: String, _ fields: String...) -> [UInt8] {
    bytes(
      "GET \(target) HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n"
        + fields.map { $0 + "\r\n" }.joined() + "\r\n")
  }

  private static func post(_ target: String, _ type: String, _ content: String) -> [UInt8] {
    bytes(
      "POST \(target) HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n"
        + "Content-Type: \(type)\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)")
  }

  private static let requests: [[UInt8]] = [
    get("/1", "Authorization: Bearer \(bearer)"),
    get("/2", "Authorization: Basic \(base64("user:" + password))"),
    get("/3", "Proxy-Authorization: Bearer \(bearer)", "Cookie: theme=dark; sid=\(cookie)"),
    get("/4", "X-Api-Key: \(key)"),
    get("/5?api_key=\(percent(key))&page=2"),
    get("/6?token=\(bearer)&code=\(percent(code))"),
    get("/7", "Referer: http://a.test/?token=\(bearer)"),
    post("/8", "application/x-www-form-urlencoded", "user=me&password=\(percent(password))"),
    post(
      "/9", "application/json",
      #"{"user":"me","password":"\#(password.replacingOccurrences(of: "/", with: "\\/"))"}"#),
    post(
      "/10", "multipart/form-data; boundary=B",
      "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(password)\r\n--B--\r\n"),
    // Spelled elsewhere, once they are known.
    get("/11/\(percent(key))?t=\(bearer)&u=\(base64("user:" + password))"),
    post("/12", "text/plain", "my password is \(password), my key \(key)"),
  ]

  private static let answers: [String] = [
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
      + "Set-Cookie: sid=\(cookie); Path=/; HttpOnly\r\nSet-Cookie: theme=dark\r\n",
    "HTTP/1.1 302 Found\r\nContent-Type: application/json\r\n"
      + "Location: /cb?code=\(percent(code))&state=7\r\n",
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Echo: \(bearer)\r\n",
  ]

  private static func upstream() throws -> ScriptedUpstream {
    try ScriptedUpstream { connection in
      while let request = connection.request() {
        let target = text(ScriptedUpstream.target(of: request))
        let number = Int(target.dropFirst().prefix { $0.isNumber }) ?? 0
        let content = #"{"access_token":"\#(access)","n":1,"next":"/?token=\#(bearer)"}"#
        connection.send(
          answers[number % answers.count]
            + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)")
      }
    }
  }

  /// Nothing that lies in the folder holds any of them: the cassette, what lies beside it, and what
  /// the program said.
  private static func expectClean(
    _ recording: Recording, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: recording.folder.url.path) {
      let content = try recording.folder.bytes(name)
      for spelling in secrets.flatMap(spellings) {
        #expect(
          content.firstRange(of: bytes(spelling)) == nil, "\(spelling) in \(name)",
          sourceLocation: sourceLocation)
      }
    }
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func `no secret lies on disk in any spelling, and every request is answered`(
    _ signal: Int32
  ) throws {
    let recording = try Recording()
    let upstream = try Self.upstream()
    let recorder = try recording.recorder(upstream, [])
    let recorded = try Self.requests.map { try Answer.to($0, port: recorder.port()) }
    #expect(text(recorded[0].bytes).contains(Self.bearer))
    // While it records: what is committed lies in the `-wal`.
    #expect(try recording.folder.names().contains("x.db-wal"))
    try Self.expectClean(recording)
    _ = recorder.stop(signal)
    upstream.stop()
    try Self.expectClean(recording)
    if signal == SIGKILL {
      let repaired = try Program.run(["verify", "--repair", "x.db"], in: recording.folder)
      #expect(repaired.status == 0, "\(repaired.errors)")
      try Self.expectClean(recording)
    }
    #expect(try Program.run(["dump", "x.db"], in: recording.folder).status == 0)
    let replayer = try recording.replayer()
    for (number, request) in Self.requests.enumerated() {
      let answer = text(try Answer.to(request, port: replayer.port()).bytes)
      let status = (number + 1) % 3 == 1 ? 302 : 200
      #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(number + 1): \(answer)")
      #expect(answer.contains(#"{"access_token":"REDACTED-"#))
    }
    #expect(replayer.stop().status == 0)
    try Self.expectClean(recording)
  }

  @Test func `the same requests with other secrets, fields and spellings find their recordings`()
    throws
  {
    let recording = try Recording()
    let upstream = try Self.upstream()
    let recorder = try recording.recorder(upstream, [])
    for request in Self.requests { _ = try Answer.to(request, port: recorder.port()) }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    let replayer = try recording.replayer(["--strict"])
    for request in Self.requests {
      var other = text(request)
      for secret in [Self.bearer, Self.password, Self.cookie, Self.key, Self.code] {
        let new = String(secret.reversed())
        for spelling in [{ $0 }, Self.percent, { Self.base64("user:" + $0) }] {
          other = other.replacingOccurrences(of: spelling(secret), with: spelling(new))
        }
        other = other.replacingOccurrences(
          of: secret.replacingOccurrences(of: "/", with: "\\/"), with: new)
      }
      let end = other.range(of: "\r\n\r\n")?.lowerBound ?? other.endIndex
      // As long as before, but for the escape.
      let content = other[end...].dropFirst(2)
      var lines = other[..<end].components(separatedBy: "\r\n")
      let line = lines.removeFirst()
      lines = lines.reversed().map { line in
        line.hasPrefix("Host")
          ? "hOST: 127.0.0.1:9"
          : line.hasPrefix("Content-Length") ? "Content-Length: \(content.utf8.count)" : line
      }
      lines += ["User-Agent: another/2", "Accept-Language: de"]
      let asked = ([line] + lines).joined(separator: "\r\n") + "\r\n\r\n" + content
      let answer = text(try Answer.to(bytes(asked), port: replayer.port()).bytes)
      #expect(!answer.hasPrefix("HTTP/1.1 501"), "\(asked)\n\(answer)")
    }
    let ended = replayer.stop()
    #expect(ended.status == 0, "\(ended.errors)")
  }
}
