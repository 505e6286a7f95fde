import FixtureHTTP
import Testing

/// RFC 9110 §7.6.1.
@Suite struct `Fields that are passed on` {
  private func endToEnd(_ fields: String...) throws -> [String] {
    lines(ForwardedFields.endToEnd(try section(fields)))
  }

  @Test func `order, case, repeats and odd bytes stay`() throws {
    #expect(
      try endToEnd("b: 1", "A: 2", "b: é\t\u{1}", "x-Empty: ", "B: 1")
        == ["b: 1", "A: 2", "b: é\t\u{1}", "x-Empty: ", "B: 1"])
  }

  @Test func `the connection's own fields go`() throws {
    #expect(
      try endToEnd(
        "Connection: close", "Keep-Alive: timeout=5", "Proxy-Connection: keep-alive", "TE: gzip",
        "Upgrade: h2c", "A: 1") == ["A: 1"])
  }

  @Test func `each goes without the others, in any case`() throws {
    for name in ["connection", "KEEP-ALIVE", "proxy-Connection", "te", "upgrade"] {
      #expect(try endToEnd("A: 1", "\(name): x", "B: 2") == ["A: 1", "B: 2"])
    }
  }

  @Test func `what Connection names goes, over all its lines and in any case`() throws {
    #expect(
      try endToEnd(
        "X-Hop: 1", "Connection: x-hop,  ,y", "Y: 2", "Z: 3", "connection: z", "y: 4", "X-Hops: 5")
        == ["X-Hops: 5"])
  }

  @Test func `a framing field that Connection names still frames the message`() throws {
    #expect(
      try endToEnd(
        "Connection: content-length, transfer-encoding", "Content-Length: 5",
        "Transfer-Encoding: chunked") == ["Content-Length: 5", "Transfer-Encoding: chunked"])
  }

  @Test func `a comma inside a quoted string does not separate names`() throws {
    #expect(
      try endToEnd("Connection: \"a, X-Kept\", b", "X-Kept: 1", "B: 2") == ["X-Kept: 1"])
  }

  @Test func `Proxy-Authorization and Trailer are not the connection's`() throws {
    #expect(
      try endToEnd("Proxy-Authorization: Basic eA==", "Trailer: Digest", "Connection: close")
        == ["Proxy-Authorization: Basic eA==", "Trailer: Digest"])
  }
}
