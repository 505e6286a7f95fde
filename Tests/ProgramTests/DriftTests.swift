import Foundation
import Synchronization
import Testing

/// Asking a live API again, and what becomes of the cassette then.
@Suite struct DriftTests {
  /// Records what an API answers now.
  /// - Parameter requests: the request line and field lines, without `Host`.
  private func record(_ upstream: ScriptedUpstream, _ requests: [String]) throws -> Care {
    let care = try Care([])
    let recorder = try care.recording.recorder(upstream, [])
    let port = try recorder.port()
    for request in requests {
      let lines = request.replacingOccurrences(of: "\n", with: "\r\n")
      _ = try Answer.to(
        bytes("\(lines)\r\nHost: a.test\r\nConnection: close\r\n\r\n"), port: port)
    }
    let ended = recorder.stop()
    #expect(ended.status == 0, "\(ended.errors)")
    return care
  }

  private static func answer(_ fields: String, _ content: String, status: String = "200 OK")
    -> String
  {
    "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
  }

  private static let json = "Content-Type: application/json\r\n"

  /// Answers by target, and with 401 to `/me` without the right token.
  private func api(_ answers: [String: String]) throws -> ScriptedUpstream {
    try ScriptedUpstream { connection in
      while let request = connection.request() {
        let target = text(ScriptedUpstream.target(of: request))
        let isKnown = text(request).contains("Authorization: Bearer s3cret\r\n")
        if target == "/me", !isKnown {
          connection.send(Self.answer("", "who?", status: "401 Unauthorized"))
        } else {
          connection.send(answers[target] ?? Self.answer("", "", status: "404 Not Found"))
        }
      }
    }
  }

  private var before: [String: String] {
    [
      "/same": Self.answer(Self.json + "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", #"{"n":1}"#),
      "/shape": Self.answer(Self.json + "X-Old: 1\r\n", #"{"n":1,"gone":[1],"l":[{"a":1}]}"#),
      "/value": Self.answer(Self.json + "ETag: \"1\"\r\n", #"{"n":1}"#),
      "/me": Self.answer("Set-Cookie: sid=s3cret-one\r\n", "Ada"),
      "/order": Self.answer("", "ordered"),
    ]
  }

  private var now: [String: String] {
    [
      "/same": Self.answer(Self.json + "Date: Sun, 06 Nov 1994 09:49:37 GMT\r\n", #"{"n":1}"#),
      "/shape": Self.answer(Self.json + "X-New: 1\r\n", #"{"n":"1","l":[{"a":1},{"b":true}]}"#),
      "/value": Self.answer(Self.json + "ETag: \"2\"\r\n", #"{"n":2}"#),
      "/me": Self.answer("Set-Cookie: sid=s3cret-two\r\n", "Grace"),
      "/order": Self.answer("", "ordered again"),
    ]
  }

  private static let requests = [
    "GET /same HTTP/1.1", "GET /shape HTTP/1.1", "GET /value HTTP/1.1",
    "GET /me HTTP/1.1\nAuthorization: Bearer s3cret", "POST /order HTTP/1.1\nContent-Length: 0",
    "HEAD /value HTTP/1.1",
  ]

  @Test func `what is supplied is stored in no spelling that an answer has`() throws {
    let secret = "s3cret/t0ken+42"
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let isNew = text(request).contains(secret)
        let echo = isNew ? #""echo":"s3cret\/t0ken+42","link":"/x/s3cret%2Ft0ken%2B42""# : ""
        connection.send(
          Self.answer(Self.json + (isNew ? "X-Echo: \(secret)\r\n" : ""), "{\(echo)}"))
      }
    }
    let care = try record(upstream, ["GET /me HTTP/1.1\nAuthorization: Bearer another-0ne"])
    try care.run(
      ["refresh", "--with", "Authorization: env:API_TOKEN", "x.db"],
      environment: ["API_TOKEN": secret])
    upstream.stop()
    for word in ["s3cret", "t0ken"] { #expect(try !care.holds(word)) }
    #expect(try care.dump(1).contains("X-Echo: REDACTED-"))
    try care.expectSound()
  }

  @Test func `nothing has drifted while the API answers the same`() throws {
    let upstream = try api(before)
    let care = try record(upstream, Self.requests)
    let states = try care.folder.states()
    let asked = upstream.requests.count
    let ended = try care.run(["drift", "x.db"])
    #expect(
      ended.output == """
        skipped: GET /me, interaction 4: redacted: Authorization, supply it with \
        --with 'Authorization: env:VARIABLE'
        4 asked, 0 drifted, 1 skipped, 1 never asked again (not safe)

        """)
    #expect(upstream.requests.count == asked + 4)
    #expect(!upstream.requests.dropFirst(asked).contains { text($0).contains("REDACTED") })
    #expect(try care.folder.states() == states)
    upstream.stop()
  }

  @Test func `drift tells of status, names and shape`() throws {
    let first = try api(before)
    let care = try record(first, Self.requests)
    first.stop()
    let second = try api(now)
    let ended = try care.run(["drift", "x.db", "--upstream", second.url], status: 1)
    #expect(
      ended.output.hasPrefix(
        """
        GET /shape, interaction 2
          field X-Old: is gone
          field X-New: is new
          content /n: number -> string
          content /gone: is gone (array)
          content /l/*/b: is new (boolean)

        skipped:
        """), "\(ended.output)")
    #expect(ended.output.contains("\n4 asked, 1 drifted, 1 skipped,"))
    let values = try care.run(
      ["drift", "x.db", "--upstream", second.url, "--values", "--only", "/v*"], status: 1)
    #expect(
      values.output == """
        GET /value, interaction 3
          field ETag: "1" -> "2"
          content, JSON:
          - /n: 1
          + /n: 2

        HEAD /value, interaction 6
          field ETag: "1" -> "2"

        2 asked, 2 drifted

        """, "\(values.output)")
    second.stop()
  }

  @Test func `what was redacted is supplied by the environment or a file`() throws {
    let upstream = try api(before)
    let care = try record(upstream, Self.requests)
    let options = ["--only", "/me", "--with", "Authorization: env:API_TOKEN"]
    let token = ["API_TOKEN": "s3cret"]
    #expect(
      try care.run(["drift", "x.db"] + options, environment: token).output
        == "1 asked, 0 drifted\n")
    let wrong = try care.run(
      ["drift", "x.db"] + options, status: 1, environment: ["API_TOKEN": "other"])
    #expect(wrong.output.contains("  status: 200 -> 401\n"))
    try Data("Bearer s3cret\n".utf8).write(to: care.folder.url.appendingPathComponent("token"))
    let file = ["--only", "/me", "--with", "authorization: @token"]
    #expect(try care.run(["drift", "x.db"] + file).output == "1 asked, 0 drifted\n")
    upstream.stop()
  }

  @Test func `a secret on the command line is refused and not repeated`() throws {
    let care = try Care([("/a", "", bytes("a"))])
    for word in ["Authorization: Bearer s3cret", "s3cret", "Authorization: env:", ": env:X"] {
      let ended = try care.run(["drift", "x.db", "--with", word], status: 2)
      #expect(!ended.errors.contains("s3cret"))
      #expect(ended.errors.contains("write 'NAME: env:VARIABLE' or 'NAME: @FILE'"))
    }
    let ended = try care.run(["drift", "x.db", "--with", "A: env:FIXTURED_NO_SUCH"], status: 2)
    #expect(ended.errors == "fixtured: --with needs the variable FIXTURED_NO_SUCH, set it\n")
  }

  @Test func `refresh replaces answers and nothing else`() throws {
    let first = try api(before)
    let care = try record(first, Self.requests)
    first.stop()
    let second = try api(now)
    let token = ["API_TOKEN": "s3cret"]
    let arguments = ["refresh", "x.db", "--upstream", second.url]
    let ended = try care.run(
      arguments + ["--with", "Authorization: env:API_TOKEN"], environment: token)
    #expect(
      ended.output.contains(
        """
        GET /me, interaction 4
          fields of the response:
          - Content-Length: 3
          + Content-Length: 5
          content of the response:
          - Ada
          + Grace

        """), "\(ended.output)")
    #expect(ended.output.hasSuffix("5 asked, 4 replaced, 1 never asked again (not safe)\n"))
    try care.expectSound()
    #expect(try !care.holds("s3cret"))
    let me = try care.dump(4)
    // The cookie is another secret in the place of the one before.
    #expect(me.contains("Authorization: Bearer REDACTED-1"))
    #expect(me.contains("Set-Cookie: sid=REDACTED-2"))
    #expect(me.contains("    | Grace") && me.contains("notes: redacted\n"))
    #expect(try care.answer("/value").hasSuffix(#"{"n":2}"#))
    #expect(try care.dump(5).contains("| ordered\n"))
    let states = try care.folder.states()
    let again = try care.run(arguments)
    #expect(
      again.output.hasSuffix("4 asked, 0 replaced, 1 skipped, 1 never asked again (not safe)\n"))
    #expect(try care.folder.states() == states)
    second.stop()
  }

  @Test func `an upstream that does not answer replaces nothing`() throws {
    let upstream = try api(before)
    let care = try record(upstream, ["GET /same HTTP/1.1"])
    upstream.stop()
    let states = try care.folder.states()
    let nobody = "http://127.0.0.1:\(try RawSocket.unusedPort())"
    let drift = try care.run(["drift", "x.db", "--upstream", nobody], status: 1)
    #expect(drift.output.contains("  answer: status 200 -> refused"))
    let refresh = try care.run(["refresh", "x.db", "--upstream", nobody], status: 1)
    #expect(refresh.output.contains(": is kept\n"))
    #expect(try care.folder.states() == states)
  }

  @Test func `an answer that breaks off replaces none that came whole`() throws {
    let upstream = try api(before)
    let care = try record(upstream, ["GET /same HTTP/1.1"])
    upstream.stop()
    let states = try care.folder.states()
    let breaking = try ScriptedUpstream { connection in
      guard connection.request() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    }
    let ended = try care.run(["refresh", "x.db", "--upstream", breaking.url], status: 1)
    #expect(
      ended.output.hasPrefix("GET /same, interaction 1\n  no whole answer, "), "\(ended.output)")
    #expect(ended.output.hasSuffix(": is kept\n\n1 asked, 0 replaced\n"))
    #expect(try care.folder.states() == states)
    breaking.stop()
  }

  @Test(arguments: ["drift", "refresh"])
  func `a pattern that meets nothing is a mistake`(command: String) throws {
    let care = try Care([("/a", "", bytes("a"))])
    let ended = try care.run([command, "x.db", "--only", "/b/**"], status: 2)
    #expect(
      ended.errors == """
        fixtured: the value of --only is refused, in fixtured \(command), it meets no request of \
        the cassette: fixtured inspect lists them

        """)
  }

  @Test func `a sequence is asked in its order`() throws {
    let counting = try ScriptedUpstream { connection in
      while connection.request() != nil {
        connection.send(Self.answer("X-Count: 1\r\n", "\(connection.number)"))
      }
    }
    let care = try record(counting, [String](repeating: "GET /poll HTTP/1.1", count: 5))
    counting.stop()
    let number = Counter()
    let second = try ScriptedUpstream { connection in
      while connection.request() != nil {
        connection.send(Self.answer("X-Count: 1\r\n", "answer \(number.next())"))
      }
    }
    try care.run(["refresh", "x.db", "--upstream", second.url])
    for id in 1...5 { #expect(try care.dump(id).contains("| answer \(id)\n")) }
    second.stop()
  }

  @Test(.enabled(if: TLSUpstream.isAvailable, "needs openssl"))
  func `an upstream with TLS is verified as in a recording`() throws {
    let plain = try api(before)
    let care = try record(plain, ["GET /same HTTP/1.1"])
    plain.stop()
    let place = try Folder()
    let upstream = try TLSUpstream(in: place)
    let url = "https://localhost:\(upstream.port)"
    let refused = try care.run(["drift", "x.db", "--upstream", url], status: 1)
    #expect(refused.output.contains("  answer: status 200 -> tls"))
    for options in [["--upstream", url, "--insecure"], upstream.options] {
      let drift = try Program(["drift", "x.db"] + options, in: care.folder)
      let request = upstream.take(count: 20)
      #expect(text(request).hasPrefix("GET /same HTTP/1.1\r\n"))
      try upstream.send(before["/same"] ?? "")
      let ended = drift.waitForEnd()
      #expect(ended.output == "1 asked, 0 drifted\n", "\(ended.errors)")
      #expect(ended.errors.contains("--insecure") == options.contains("--insecure"))
      _ = upstream.take(count: 1 << 10)
    }
  }

  @Test func `several upstreams are asked by their names`() throws {
    let api = try api(before)
    let other = try self.api(now)
    let care = try Care([])
    let recorder = try Program(
      [
        "record", "--upstream", "api=\(api.url)", "--upstream", "img=\(api.url)", "--listen",
        "127.0.0.1:0", "x.db",
      ], in: care.folder)
    for port in try recorder.ports(2) {
      _ = try Answer.to(
        bytes("GET /value HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"), port: port)
    }
    #expect(recorder.stop().status == 0)
    let ended = try care.run(
      ["drift", "x.db", "--values", "--upstream", "img=\(other.url)"], status: 1)
    #expect(ended.output.hasPrefix("GET /value (img), interaction 2\n"), "\(ended.output)")
    #expect(ended.output.hasSuffix("2 asked, 1 drifted\n"))
    let unknown = try care.run(["drift", "x.db", "--upstream", "no=\(other.url)"], status: 2)
    #expect(unknown.errors.contains("the cassette's upstreams are api, img: write NAME=URL"))
    api.stop()
    other.stop()
  }
}

/// Counts from 1, for several threads.
private final class Counter: Sendable {
  private let value = Mutex(0)

  func next() -> Int {
    value.withLock { value in
      value += 1
      return value
    }
  }
}
