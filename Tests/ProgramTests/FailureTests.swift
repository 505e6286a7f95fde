import Foundation
import Testing

/// How answers fail, as a raw client sees it: each failure is told from the others.
@Suite struct FailureTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// What comes for `GET /json` (421 bytes of known length) or `GET /stream/5` (chunked).
  private func answer(
    _ clause: String, _ target: String = "/json"
  ) throws -> (head: String, content: String, end: RawSocket.End) {
    let lab = try Lab(rules: ["*: \(clause)"], in: folder)
    let socket = try RawSocket(port: lab.port)
    socket.send(Lab.get(target))
    let (received, end) = socket.receiveAnswer()
    let parts = text(received).components(separatedBy: "\r\n\r\n")
    return (parts[0], parts.dropFirst().joined(separator: "\r\n\r\n"), end)
  }

  @Test(arguments: ["reset", "reset after head", "reset at 10B"], [1, 2])
  func `a reset is a reset, on the first request of a connection and on a later one`(
    _ clause: String, _ number: Int
  ) throws {
    let lab = try Lab(rules: ["/json: nth \(number) overall, \(clause)"], in: folder)
    let other = try Client(port: lab.port)
    #expect(other.get("/uuid")?.status == 200)
    let socket = try RawSocket(port: lab.port)
    if number == 2 {
      socket.send(Lab.get("/json"))
      #expect(text(socket.receiveAnswer().bytes).hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
    socket.send(Lab.get("/json"))
    let (received, end) = socket.receiveAnswer()
    #expect(end == .reset)
    // What was sent before may be lost; it is never a whole answer.
    #expect(received.count < 421)
    #expect(other.get("/json")?.content.count == 421)
    #expect(try Client(port: lab.port).get("/json")?.content.count == 421)
  }

  @Test func `a connection that is closed before the head says nothing`() throws {
    let (head, content, end) = try answer("close")
    #expect(head.isEmpty && content.isEmpty)
    #expect(end == .finished)
  }

  @Test func `what is cut short keeps the length that was promised`() throws {
    for (clause, expected) in [
      ("truncate at 300B", RawSocket.End.finished), ("reset at 300B", .reset),
    ] {
      let (head, content, end) = try answer(clause)
      if expected == .finished {
        #expect(head.contains("\r\nContent-Length: 421\r\n"), "\(clause)")
        #expect(content.utf8.count == 300, "\(clause)")
      }
      #expect(content.utf8.count <= 300, "\(clause)")
      #expect(end == expected, "\(clause)")
    }
  }

  @Test func `chunks are cut off without their end`() throws {
    let (head, content, end) = try answer("close before end", "/stream/5")
    #expect(head.contains("\r\nTransfer-Encoding: chunked"))
    #expect(content.hasSuffix("}\n\r\n"))
    #expect(!content.contains("\r\n0\r\n"))
    #expect(end == .finished)
  }

  @Test func `a head is cut off in its middle`() throws {
    let (head, content, end) = try answer("close in head")
    #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(content.isEmpty)
    #expect(end == .finished)
  }

  @Test func `two answers are lost, and the third comes`() throws {
    for clause in ["reset", "close", "truncate at 0B"] {
      let lab = try Lab(rules: ["/json: first 2, \(clause)"], in: folder)
      let counts = try (0..<3).map { _ in try Client(port: lab.port).get("/json")?.content.count }
      #expect(counts == [nil, nil, 421], "\(clause)")
      #expect(lab.program.stop().errors.contains("3 plays"), "\(clause)")
    }
  }

  @Test func `damaged content is framed rightly`() throws {
    let (jsonHead, json, _) = try answer("corrupt json")
    #expect(jsonHead.contains("\r\nContent-Length: 210"))
    #expect(json.utf8.count == 210)
    #expect(throws: (any Error).self) {
      try JSONSerialization.jsonObject(with: Data(json.utf8))
    }
    let lab = try Lab(
      rules: ["/json: corrupt utf8", "/uuid: set Content-Type text/html", "/gzip: corrupt gzip"],
      in: folder)
    let client = try Client(port: lab.port)
    let broken = try #require(client.get("/json"))
    #expect(broken.content.count == 423)
    #expect(String(validating: broken.content, as: UTF8.self) == nil)
    let html = try #require(client.get("/uuid"))
    #expect(html.status == 200)
    #expect(html.value("Content-Type") == "text/html")
    let gzip = try #require(client.get("/gzip"))
    #expect(gzip.value("Content-Encoding") == "gzip")
    #expect(gzip.content.firstRange(of: [0xFF, 0x00, 0xFF, 0x00]) != nil)
  }

  @Test func `what is no HTTP is told from an empty answer and from a bad chunk`() throws {
    #expect(try answer("malformed status").head.hasPrefix("HTTX 2OO\r\n"))
    #expect(try answer("malformed field").head.contains("\r\nthis line has no colon\r\n"))
    #expect(try answer("malformed length").head.contains("\r\nContent-Length: 421x"))
    let (head, content, end) = try answer("malformed chunk")
    #expect(head.contains("Transfer-Encoding: chunked") && !head.contains("Content-Length"))
    #expect(content.hasPrefix("no-size\r\n{"))
    #expect(end == .finished)
  }

  @Test func `every status comes with its content, and the connection goes on`() throws {
    let statuses = [400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504]
    let lab = try Lab(
      rules: statuses.map { "/s/\($0): status \($0), body \"{\\\"error\\\": \($0)}\"" }, in: folder)
    let client = try Client(port: lab.port)
    for status in statuses {
      let answer = try #require(client.get("/s/\(status)"))
      #expect(answer.status == status)
      #expect(answer.text == "{\"error\": \(status)}")
    }
  }

  @Test func `an answer says when to come again, in seconds and as a date`() throws {
    let lab = try Lab(
      rules: [
        "/json: first 2, status 503, retry-after 1s", "/uuid: status 429, retry-after date 90s",
      ], in: folder)
    let client = try Client(port: lab.port)
    let answers = (0..<3).compactMap { _ in client.get("/json") }
    #expect(answers.map(\.status) == [503, 503, 200])
    #expect(answers.map { $0.value("Retry-After") } == ["1", "1", nil])
    let dated = try #require(client.get("/uuid"))
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    format.timeZone = TimeZone(identifier: "GMT")
    let now = try #require(dated.value("Date").flatMap(format.date(from:)))
    #expect(
      dated.value("Retry-After").flatMap(format.date(from:))?.timeIntervalSince(now) == 90)
  }

  @Test func `a challenge comes with a scheme, without one, or for credentials only`() throws {
    let lab = try Lab(
      rules: [
        "/bearer: challenge bearer", "/none: status 401",
        "/basic: with header Authorization, challenge basic",
        "/basic: without header Authorization, status 401",
      ], in: folder)
    let client = try Client(port: lab.port)
    func challenge(_ target: String, _ fields: String...) -> String? {
      let lines = ["GET \(target) HTTP/1.1", "Host: lab.test"] + fields
      let answer = client.exchange(bytes(lines.joined(separator: "\r\n") + "\r\n\r\n"))
      #expect(answer?.status == 401)
      return answer?.value("WWW-Authenticate")
    }
    #expect(challenge("/bearer") == "Bearer")
    #expect(challenge("/none") == nil)
    #expect(challenge("/basic") == nil)
    #expect(challenge("/basic", "Authorization: Basic YTpi") == "Basic realm=\"fixtured\"")
  }
}
