import Testing

/// What was received is what is sent again, byte for byte.
@Suite struct BytesTests {
  static let getRequest = request("/x")

  static func request(_ target: String) -> [UInt8] {
    bytes("GET \(target) HTTP/1.1\r\nHost: a.test\r\n\r\n")
  }

  @Test(arguments: [
    // A coded body and its field stay a pair.
    bytes(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
        + "ETag: \"g1\"\r\nContent-Length: 38\r\n\r\n") + gzip,
    // An unknown coding is opaque.
    bytes("HTTP/1.1 200 OK\r\nContent-Encoding: x-own\r\nContent-Length: 3\r\n\r\n")
      + [0x00, 0xFF, 0x0A],
    // Repeated fields keep order and case; a comma inside a value separates nothing.
    bytes(
      "HTTP/1.1 200 OK\r\nset-cookie: a=1; Path=/; Expires=Wed, 01 Jan 2031 00:00:00 GMT\r\n"
        + "X-Mid: 1\r\nSet-Cookie: b=2; Path=/\r\nSet-Cookie: a=3; Path=/x\r\n"
        + "Cache-Control: no-cache\r\nCache-Control: private\r\nContent-Length: 2\r\n\r\nok"),
    // Bytes above 0x7F in a reason phrase and in values.
    bytes("HTTP/1.1 401 Non-Autoris") + [0xE9] + bytes("\r\nX-Name: caf") + [0xE9]
      + bytes("\r\nX-Powered-By: made with ") + [0xE2, 0x9D, 0xA4]
      + bytes("\r\nContent-Length: 0\r\n\r\n"),
    // No reason phrase.
    bytes("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n"),
    // Text that is not UTF-8, and "JSON" that is neither.
    bytes(
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=ISO-8859-1\r\n"
        + "Content-Length: 7\r\n\r\n") + [0x67, 0x72, 0xFC, 0xDF, 0x65, 0x20, 0xA4],
    bytes("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n")
      + [0x22, 0xFF, 0xFE, 0x00, 0x22],
    // An empty value, an empty body, odd but valid names.
    bytes("HTTP/1.1 299 Odd!\r\nX-Empty: \r\n!#$%&'*+-.^_`|~: tchar\r\nContent-Length: 0\r\n\r\n"),
    // Chunks with trailers.
    bytes(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
        + "5\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\nX-Sum: 42\r\n\r\n"),
  ])
  func `a response is recorded, forwarded and replayed as it is`(response: [UInt8]) throws {
    let upstream = try ScriptedUpstream.answering(response)
    let (recorded, replayed) = try Recording().both(upstream, [Self.getRequest])
    #expect(recorded == [Answer(bytes: response, end: .open)])
    #expect(replayed == recorded)
  }

  @Test func `a status line without its second space is accepted and sent with it`() throws {
    let upstream = try ScriptedUpstream.answering("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n")
    let (recorded, replayed) = try Recording().both(upstream, [Self.getRequest])
    #expect(recorded[0].bytes == bytes("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n"))
    #expect(replayed == recorded)
  }

  @Test func `a body that ends with the connection does so again`() throws {
    let upstream = try ScriptedUpstream { connection in
      _ = connection.request()
      connection.send("HTTP/1.0 200 OK\r\nServer: old\r\n\r\nuntil the end")
    }
    let (recorded, replayed) = try Recording().both(upstream, [Self.getRequest])
    #expect(
      recorded[0].bytes
        == bytes("HTTP/1.1 200 OK\r\nServer: old\r\nConnection: close\r\n\r\nuntil the end"))
    #expect(recorded[0].end == .finished)
    #expect(replayed == recorded)
  }

  @Test func `an HTTP 1.0 client gets no chunks`() throws {
    let upstream = try ScriptedUpstream.answering(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    let request = bytes("GET /x HTTP/1.0\r\n\r\n")
    let (recorded, replayed) = try Recording().both(upstream, [request])
    #expect(recorded[0].bytes == bytes("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"))
    #expect(recorded[0].end == .finished)
    #expect(replayed == recorded)
  }

  /// `{"ok":true,"n":1}` and a line feed.
  static let gzip: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56, 0xCA, 0xCF, 0x56,
    0xB2, 0x2A, 0x29, 0x2A, 0x4D, 0xD5, 0x51, 0xCA, 0x53, 0xB2, 0x32, 0xAC, 0xE5, 0x02, 0x00,
    0x21, 0x5B, 0x9F, 0xAB, 0x12, 0x00, 0x00, 0x00,
  ]
}
