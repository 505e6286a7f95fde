import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A login with tokens and cookies, recorded with the standard options: no secret is on disk, and
/// the same client logs in to the replay.
@Suite struct LoginTests {
  private static let password = "hunter2-Really"
  private static let code = "4/P7q7W91a-oMsCeLvIaQm6bTrgtp7"
  private static let session = "s9f8e7d6c5b4a39281706f5e4d3c2b1a"
  private static let refresh = ["1//0gRefreshOne-Lx9Zk2", "1//0gRefreshTwo-Qm4Vb7"]
  private static let access = [token("one"), token("two")]

  /// A JSON Web Token about somebody.
  private static func token(_ subject: String) -> String {
    [
      #"{"alg":"HS256","typ":"JWT"}"#, #"{"sub":"\#(subject)@a.test","exp":4102444800,"iat":1}"#,
      "signature-of-\(subject)-0123456789",
    ].map { text in
      Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
        .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    }.joined(separator: ".")
  }

  private struct Tokens: Decodable {
    let access_token: String
    let refresh_token: String
    let expires_in: Int
    let scope: [String]
  }

  private struct Me: Decodable, Equatable {
    let id: Int
    let name: String
  }

  private static func json(_ text: String, _ fields: String = "") -> String {
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\(fields)"
      + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
  }

  private static func tokens(_ number: Int) -> String {
    json(
      #"{"access_token":"\#(access[number])","refresh_token":"\#(refresh[number])","#
        + #""expires_in":3600,"scope":["read","write"]}"#)
  }

  /// An origin that answers nobody without the right secrets.
  private static func answer(to request: String) -> String {
    let line = request.prefix { $0 != "\r" }
    let isIn = request.contains("sid=\(session)")
    if line.hasPrefix("POST /login"), request.hasSuffix("password=\(password)&user=me") {
      return "HTTP/1.1 303 See Other\r\nLocation: /cb?code=\(code)&state=7\r\n"
        + "Set-Cookie: sid=\(session); Path=/; HttpOnly\r\nContent-Length: 0\r\n\r\n"
    }
    if line.hasPrefix("GET /cb?code=\(code)&state=7 "), isIn { return tokens(0) }
    if line.hasPrefix("POST /token"),
      request.hasSuffix("grant_type=refresh_token&refresh_token=\(refresh[0])")
    {
      return tokens(1)
    }
    for (number, token) in access.enumerated()
    where line.hasPrefix("GET /me ") && isIn && request.contains("Bearer \(token)\r\n") {
      return json(#"{"id":\#(number),"name":"Ann","via":"\#(session)"}"#)
    }
    return "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"
  }

  /// What a client does, with what it is given.
  private static func logIn(port: UInt16) async throws -> [Me] {
    let configuration = URLSessionConfiguration.ephemeral
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    func request(
      _ path: String, form: String? = nil, bearer: String? = nil
    ) throws -> URLRequest {
      var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
      if let form {
        request.httpMethod = "POST"
        request.httpBody = Data(form.utf8)
        request.setValue(
          "application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
      }
      if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
      return request
    }
    let (login, _) = try await session.data(
      for: request("/login", form: "password=\(password)&user=me"))
    let first = try JSONDecoder().decode(Tokens.self, from: login)
    #expect(first.expires_in == 3600 && first.scope == ["read", "write"])
    try expectToken(first.access_token)
    let (one, _) = try await session.data(for: request("/me", bearer: first.access_token))
    let (renewed, _) = try await session.data(
      for: request(
        "/token", form: "grant_type=refresh_token&refresh_token=\(first.refresh_token)"))
    let second = try JSONDecoder().decode(Tokens.self, from: renewed)
    try expectToken(second.access_token)
    #expect(first.access_token != second.access_token)
    let (two, _) = try await session.data(for: request("/me", bearer: second.access_token))
    return try [one, two].map { try JSONDecoder().decode(Me.self, from: $0) }
  }

  /// Three segments, a header, and claims that say when it expires.
  private static func expectToken(_ token: String) throws {
    let segments = token.split(separator: ".")
    #expect(segments.count == 3)
    let objects = try segments.prefix(2).map { segment in
      var text = segment.replacingOccurrences(of: "-", with: "+")
        .replacingOccurrences(of: "_", with: "/")
      while text.count % 4 != 0 { text += "=" }
      let data = try #require(Data(base64Encoded: text))
      return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
    #expect(objects[0]["alg"] as? String == "HS256")
    #expect(objects[1]["exp"] as? Int == 4_102_444_800)
  }

  @Test func `a login is recorded without its secrets and replays to the same client`() async throws
  {
    let recording = try Recording()
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        connection.send(Self.answer(to: text(request)))
      }
    }
    let recorder = try recording.recorder(upstream, [])
    let recorded = try await Self.logIn(port: recorder.port())
    #expect(recorded == [Me(id: 0, name: "Ann"), Me(id: 1, name: "Ann")])
    let ended = recorder.stop()
    #expect(ended.status == 0, "\(ended.errors)")
    upstream.stop()
    for name in try FileManager.default.contentsOfDirectory(atPath: recording.folder.url.path) {
      let content = try recording.folder.bytes(name)
      let secrets =
        [Self.password, Self.session, "P7q7W91a"]
        + Self.refresh.map { $0.replacingOccurrences(of: "1//", with: "") }
        + Self.access.flatMap { $0.split(separator: ".").dropFirst().map(String.init) }
      for secret in secrets {
        #expect(content.firstRange(of: bytes(secret)) == nil, "\(secret) in \(name)")
      }
    }
    let scan = try Program.run(["scan", recording.cassette], in: recording.folder)
    #expect(scan.status == 0, "\(scan.output)")
    let replayer = try recording.replayer(["--strict", "--exhausted", "miss"])
    #expect(try await Self.logIn(port: replayer.port()) == recorded)
    let replayed = replayer.stop()
    #expect(replayed.status == 0, "\(replayed.errors)")
  }

  @Test func `an authorization code that is short is exchanged in the replay too`() throws {
    func requests(code: String) -> [[UInt8]] {
      let form = "grant_type=authorization_code&code=\(code)"
      return [
        bytes("GET /authorize HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"),
        bytes(
          "POST /token HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(form.utf8.count)\r\n\r\n\(form)"),
      ]
    }
    let recording = try Recording()
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        connection.send(
          ScriptedUpstream.target(of: request) == bytes("/authorize")
            ? "HTTP/1.1 302 Found\r\nLocation: /cb?code=qx7\r\nContent-Length: 0\r\n\r\n"
            : Self.tokens(0))
      }
    }
    let recorder = try recording.recorder(upstream, [])
    for request in requests(code: "qx7") { _ = try Answer.to(request, port: recorder.port()) }
    #expect(recorder.stop().status == 0)
    upstream.stop()
    #expect(try recording.folder.bytes("x.db").firstRange(of: bytes("qx7")) == nil)
    let replayer = try recording.replayer()
    let asked = requests(code: "REDACTED-1")
    let redirect = text(try Answer.to(asked[0], port: replayer.port()).bytes)
    #expect(redirect.contains("Location: /cb?code=REDACTED-1\r\n"))
    for request in [asked[1], requests(code: "another")[1]] {
      let answer = try Answer.to(request, port: replayer.port())
      #expect(text(answer.bytes).hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
    let other = try Answer.to(requests(code: "REDACTED-9")[1], port: replayer.port())
    #expect(text(other.bytes).hasPrefix("HTTP/1.1 501 "))
  }

  @Test func `scan says where the secrets are and shows none`() throws {
    let recording = try Recording()
    let upstream = try ScriptedUpstream.answering(Self.tokens(0))
    let recorder = try recording.recorder(upstream)
    let request = bytes(
      "GET /x?access_token=\(Self.access[1]) HTTP/1.1\r\nHost: a.test\r\n"
        + "Authorization: Bearer \(Self.access[0])\r\n\r\n")
    _ = try Answer.to(request, port: recorder.port())
    #expect(recorder.stop().status == 0)
    upstream.stop()
    let scan = try Program.run(["scan", recording.cassette], in: recording.folder)
    #expect(scan.status == 1)
    #expect(
      scan.output == """
        x.db: interaction 1, query access_token: secret, \(Self.access[1].utf8.count) bytes
        x.db: interaction 1, request field Authorization: secret, \
        \(Self.access[0].utf8.count) bytes
        x.db: interaction 1, response content /access_token: secret, \
        \(Self.access[0].utf8.count) bytes
        x.db: interaction 1, response content /refresh_token: secret, 22 bytes

        """)
    #expect(
      try Program.run(["redact", "x.db"], in: recording.folder).output == "x.db: 1 redacted\n")
    let clean = try Program.run(["scan", "x.db"], in: recording.folder)
    #expect(clean.status == 0)
    #expect(
      clean.output == "x.db: nothing that looks like a credential, in 1 interaction\n")
    #expect(try Program.run(["scan"], in: recording.folder).status == 2)
    #expect(try Program.run(["scan", "none.db"], in: recording.folder).status == 1)
  }
}
