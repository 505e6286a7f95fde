import Foundation
import Testing

/// Conditional and range requests, and HEAD, answered from what was recorded whole.
@Suite struct ConditionalTests {
  static func get(_ target: String, _ lines: String..., method: String = "GET") -> [UInt8] {
    bytes(
      "\(method) \(target) HTTP/1.1\r\nHost: a.test\r\n" + lines.map { $0 + "\r\n" }.joined()
        + "\r\n")
  }

  /// A cassette with these requests, each answered by `answer`.
  static func recorded(
    _ requests: [[UInt8]], _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) throws -> Recording {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() { connection.send(answer(request)) }
    }
    let recording = try Recording()
    let recorder = try recording.recorder(upstream)
    let client = try Client(port: recorder.port())
    for request in requests { #expect(client.exchange(request) != nil) }
    let ended = recorder.stop()
    #expect(ended.status == 0, "\(ended.errors)")
    upstream.stop()
    return recording
  }

  static let weak =
    "HTTP/1.1 200 OK\r\nETag: W/\"a,b\"\r\nCache-Control: max-age=5\r\nVary: Accept\r\n"
    + "Content-Type: text/plain\r\nContent-Length: 4\r\n\r\nbody"

  @Test func `tags are compared weakly and strongly, in lists and as a star`() throws {
    let recording = try Self.recorded([Self.get("/e")]) { _ in bytes(Self.weak) }
    let replayer = try recording.replayer()
    let client = try Client(port: replayer.port())
    let unchanged = Client.Response(
      head: "HTTP/1.1 304 Not Modified\r\nETag: W/\"a,b\"\r\nCache-Control: max-age=5\r\n"
        + "Vary: Accept\r\n\r\n", content: [])
    for (tags, status) in [
      ("W/\"a,b\"", 304), ("\"a,b\"", 304), ("\"x\", W/\"a,b\"", 304), ("\"x\",,\"a,b\"", 304),
      ("*", 304), ("\"a\"", 200), ("a,b", 200), ("w/\"a,b\"", 200), ("\"A,B\"", 200),
    ] {
      let response = client.exchange(Self.get("/e", "If-None-Match: \(tags)"))
      #expect(response?.status == status, "\(tags)")
      #expect(response == unchanged || response?.text == "body", "\(tags)")
    }
    for (tags, status) in [("W/\"a,b\"", 412), ("\"a,b\"", 412), ("*", 200)] {
      let response = client.exchange(Self.get("/e", "If-Match: \(tags)"))
      #expect(response?.status == status, "\(tags)")
      let content = "{\"type\":\"about:blank\",\"title\":\"Precondition Failed\",\"status\":412}"
      #expect(response?.text == (status == 200 ? "body" : content), "\(tags)")
    }
    // All on one connection.
    #expect(replayer.stop().errors.contains("12 plays, 0 misses"))
  }

  @Test func `a change is refused when the target has another state`() throws {
    let requests = [
      Self.get("/e"), Self.get("/e", method: "PUT"), Self.get("/e", method: "DELETE"),
      Self.get("/f", method: "PUT"),
    ]
    let recording = try Self.recorded(requests) { request in
      let isGet = request.starts(with: bytes("GET"))
      return bytes(
        isGet
          ? "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 0\r\n\r\n"
          : "HTTP/1.1 204 No Content\r\nETag: \"2\"\r\n\r\n")
    }
    let replayer = try recording.replayer()
    let client = try Client(port: replayer.port())
    for method in ["PUT", "DELETE"] {
      for (line, status) in [
        ("If-Match: \"1\"", 204), ("If-Match: \"2\"", 412), ("If-None-Match: *", 412),
        ("If-None-Match: \"1\"", 412), ("If-None-Match: \"2\"", 204),
      ] {
        let response = client.exchange(Self.get("/e", line, method: method))
        #expect(response?.status == status, "\(method) \(line)")
      }
    }
    // Nobody knows what state this one has.
    #expect(client.exchange(Self.get("/f", "If-Match: \"1\"", method: "PUT"))?.status == 204)
    #expect(replayer.stop().status == 0)
  }

  @Test func `a client with an empty cache gets the content that a recorded 304 stands for`()
    throws
  {
    let conditional = Self.get("/e", "If-None-Match: \"1\"")
    let recording = try Self.recorded([Self.get("/e"), conditional]) { request in
      let isFirst = !text(request).contains("If-None-Match")
      return bytes(
        isFirst
          ? "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 4\r\n\r\nbody"
          : "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nX-From: origin\r\n\r\n")
    }
    let replayer = try recording.replayer()
    let client = try Client(port: replayer.port())
    #expect(client.exchange(Self.get("/e"))?.text == "body")
    #expect(client.exchange(Self.get("/e"))?.text == "body")
    #expect(client.exchange(conditional)?.head.contains("X-From: origin") == true)
    #expect(client.exchange(Self.get("/e", "If-None-Match: \"0\""))?.text == "body")
    #expect(replayer.stop().status == 0)
  }

  @Test func `parts of bodies of any size are the bytes that are there`() throws {
    let sizes = BodySizeTests.sizes
    let recording = try Self.recorded(sizes.map { Self.get("/\($0)") }) { request in
      let target = request.split(separator: 0x20)[1].dropFirst()
      return BodySizeTests.answer(Int(String(decoding: target, as: UTF8.self)) ?? 0)
    }
    let replayer = try recording.replayer()
    let client = try Client(port: replayer.port())
    for size in sizes where size > 2 {
      let content = BodySizeTests.content(size)
      for part in [
        0..<1, 0..<size, size - 1..<size, size / 2..<size, size / 3..<(size / 3 + 1),
        1..<size - 1, max(0, size - 70_000)..<size - 1,
      ] {
        let range = "\(part.lowerBound)-\(part.upperBound - 1)"
        let response = client.exchange(Self.get("/\(size)", "Range: bytes=\(range)"))
        #expect(response?.status == 206)
        #expect(response?.head.contains("Content-Range: bytes \(range)/\(size)\r\n") == true)
        // Not shown: megabytes.
        let isSame = response?.content == Array(content[part])
        #expect(isSame, "\(range) of \(size)")
      }
    }
    let past = client.exchange(Self.get("/1", "Range: bytes=1-"))
    #expect(past?.status == 416)
    #expect(past?.head.contains("Content-Range: bytes */1\r\n") == true)
    #expect(replayer.stop().status == 0)
  }

  @Test func `several parts come in one answer`() throws {
    let recording = try Self.recorded([Self.get("/x")]) { _ in
      bytes(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "6\r\n012345\r\n4\r\n6789\r\n0\r\n\r\n")
    }
    let replayer = try recording.replayer()
    let client = try Client(port: replayer.port())
    let response = try #require(client.exchange(Self.get("/x", "Range: bytes=4-7,-1")))
    let boundary = try #require(response.head.firstMatch(of: /boundary=([0-9a-f]{32})/)).1
    let parts = [("4-7", "4567"), ("9-9", "9")].map { range, content in
      "\r\n--\(boundary)\r\nContent-Type: text/plain\r\nContent-Range: bytes \(range)/10\r\n\r\n"
        + content
    }
    #expect(response.text == parts.joined() + "\r\n--\(boundary)--\r\n")
    #expect(
      response.head
        == "HTTP/1.1 206 Partial Content\r\nContent-Length: \(response.content.count)\r\n"
        + "Content-Type: multipart/byteranges; boundary=\(boundary)\r\n\r\n")
    // And what is sent next is an answer again.
    #expect(client.exchange(Self.get("/x"))?.text == "0123456789")
    #expect(replayer.stop().status == 0)
  }

  @Test func `HEAD is answered from GET and keeps the length`() throws {
    let recording = try Self.recorded([Self.get("/e")]) { _ in bytes(Self.weak) }
    let replayer = try recording.replayer()
    let client = try Client(port: replayer.port())
    client.send(Self.get("/e", method: "HEAD") + Self.get("/e"))
    let head = client.response(hasContent: false)
    let whole = client.response()
    #expect(head?.head == whole?.head)
    #expect(head?.head.contains("Content-Length: 4\r\n") == true)
    #expect(whole?.text == "body")
    #expect(replayer.stop().status == 0)
  }

  @Test func `without derivation nothing but recordings is given`() throws {
    let recording = try Self.recorded([Self.get("/e")]) { _ in bytes(Self.weak) }
    let replayer = try recording.replayer(["--derive", "off"])
    let client = try Client(port: replayer.port())
    for line in ["If-None-Match: *", "Range: bytes=0-1", "If-Match: \"x\""] {
      #expect(client.exchange(Self.get("/e", line))?.text == "body")
    }
    client.send(Self.get("/e", method: "HEAD"))
    #expect(client.response(hasContent: false)?.status == 501)
    #expect(replayer.stop().status == 0)
  }

  /// A client that revalidates fetches what has changed and nothing else.
  @Test func `a tag that changes with every fifth request is fetched ten times of fifty`() throws {
    let recording = try Self.recorded([Self.get("/e")]) { _ in bytes(Self.weak) }
    let replayer = try recording.replayer(["--rule", "GET /e: etag every 5, set Age 1"])
    let client = try Client(port: replayer.port())
    var tag: String?
    var fetched: [Int] = []
    for index in 0..<50 {
      let request =
        tag.map { Self.get("/e", "If-None-Match: \($0)") } ?? Self.get("/e")
      let response = try #require(client.exchange(request))
      let lines = response.head.split(separator: "\r\n")
      tag = lines.first { $0.hasPrefix("ETag: ") }.map { String($0.dropFirst(6)) }
      #expect(tag?.hasPrefix("W/\"a,b") == true)
      #expect(lines.contains("Age: 1") && lines.contains("Cache-Control: max-age=5"))
      if response.status == 200 {
        #expect(response.text == "body")
        fetched.append(index)
      } else {
        #expect(response.status == 304 && response.content.isEmpty)
      }
    }
    #expect(fetched == Array(stride(from: 0, to: 50, by: 5)))
    #expect(replayer.stop().status == 0)
  }

  @Test func `curl revalidates, resumes and asks for parts`() throws {
    let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    let size = 3 << 20
    let recording = try Self.recorded([Self.get("/e"), Self.get("/big")]) { request in
      let isBig = text(request).contains("/big")
      let content = isBig ? BodySizeTests.content(size) : bytes("body")
      return bytes(
        "HTTP/1.1 200 OK\r\nDate: \(modified)\r\nETag: \"a\"\r\nLast-Modified: \(modified)\r\n"
          + "Content-Length: \(content.count)\r\n\r\n") + content
    }
    let replayer = try recording.replayer()
    let url = "http://127.0.0.1:\(try replayer.port())"
    let folder = recording.folder
    func curl(_ arguments: String...) throws -> String {
      try Self.curl(arguments + ["-sS", "-w", "%{http_code} %{size_download}"], in: folder)
    }
    let out = folder.path("out")
    let tag = folder.path("tag")
    #expect(try curl("--etag-save", tag, "-o", out, "\(url)/e") == "200 4")
    #expect(try curl("--etag-compare", tag, "-o", out, "\(url)/e") == "304 0")
    // With the date of the file, which -R takes from Last-Modified.
    #expect(try curl("-R", "-o", out, "\(url)/e") == "200 4")
    #expect(try curl("-z", out, "-o", out, "\(url)/e") == "304 0")
    #expect(try curl("-z", "1 Jan 1990", "-o", out, "\(url)/e") == "200 4")
    #expect(try curl("-r", "1-2", "-o", out, "\(url)/e") == "206 2")
    #expect(try folder.bytes("out") == bytes("od"))
    // What a killed download left is completed, and only the rest is sent.
    let partial = BodySizeTests.content(size).prefix(1_234_567)
    try Data(partial).write(to: folder.url.appendingPathComponent("big"))
    let rest = try curl("-C", "-", "-o", folder.path("big"), "\(url)/big")
    #expect(rest == "206 \(size - 1_234_567)")
    let isWhole = try folder.bytes("big") == BodySizeTests.content(size)
    #expect(isWhole)
    #expect(try curl("-I", "-o", out, "\(url)/e").hasPrefix("200 "))
    #expect(replayer.stop().status == 0)
  }

  static func curl(_ arguments: [String], in folder: Folder) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    process.arguments = arguments + ["--max-time", "60"]
    process.currentDirectoryURL = folder.url
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let written = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: written, as: UTF8.self)
  }
}
