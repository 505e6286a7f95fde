import FixtureExchange
import FixtureHTTP
import Testing

@Suite struct `The request to the upstream` {
  private func sent(
    _ target: String, to upstream: String = "https://api.test", preservesHost: Bool = false,
    _ fields: String...
  ) throws -> (target: String, fields: [String]) {
    let request = RequestHead(
      method: .get, target: Array(target.utf8), fields: try section(fields))
    let head = UpstreamRequest(
      for: request, framing: .none, upstream: try BaseURL(parsing: upstream),
      preservesHost: preservesHost
    ).head
    return (text(head.target), lines(head.fields))
  }

  @Test func `Host is replaced where it stands, all else stays`() throws {
    let sent = try sent(
      "/a%2fb?x=%20&X=+", "accept: */*", "hOST: 127.0.0.1:8377", "B: 1", "a: 2", "B: 3")
    #expect(sent.target == "/a%2fb?x=%20&X=+")
    #expect(sent.fields == ["accept: */*", "hOST: api.test", "B: 1", "a: 2", "B: 3"])
  }

  @Test(arguments: [
    ("https://api.test:443", "api.test"), ("https://api.test:80", "api.test:80"),
    ("http://api.test:80", "api.test"), ("http://[::1]:8080/v1", "[::1]:8080"),
  ])
  func `Host names a port that is not the scheme's own`(upstream: String, host: String) throws {
    #expect(try sent("/", to: upstream, "Host: x").fields == ["Host: \(host)"])
  }

  @Test func `a client without Host gets the upstream's, first`() throws {
    #expect(try sent("/", "A: 1").fields == ["Host: api.test", "A: 1"])
    #expect(try sent("/", preservesHost: true, "A: 1").fields == ["Host: api.test", "A: 1"])
  }

  @Test func `a preserved Host is the client's`() throws {
    #expect(
      try sent("/", preservesHost: true, "A: 1", "Host: localhost:1").fields
        == ["A: 1", "Host: localhost:1"])
  }

  @Test func `the base path stands before the target, but for the server as a whole`() throws {
    #expect(try sent("/items?q", to: "http://a.test/v1/").target == "/v1/items?q")
    #expect(try sent("/", to: "http://a.test/v1").target == "/v1/")
    #expect(try sent("*", to: "http://a.test/v1").target == "*")
  }

  @Test func `a wish for trailers is passed on, one for transfer codings is not`() throws {
    #expect(
      try sent("/", "Host: x", "TE: gzip, Trailers", "Connection: TE, close", "A: 1").fields
        == ["Host: api.test", "A: 1", "TE: trailers", "Connection: TE"])
    #expect(try sent("/", "Host: x", "TE: gzip", "Connection: TE").fields == ["Host: api.test"])
    let old = RequestHead(
      method: .get, target: [0x2F], version: .http10, fields: try section("TE: trailers"))
    let head = UpstreamRequest(
      for: old, framing: .none, upstream: try BaseURL(parsing: "http://a.test"),
      preservesHost: false
    ).head
    #expect(lines(head.fields) == ["Host: a.test"])
  }

  @Test func `fields of the client's connection stay behind, its expectation does not`() throws {
    #expect(
      try sent(
        "/", "Host: x", "Connection: keep-alive, X-Hop", "X-Hop: 1", "Keep-Alive: 5",
        "Expect: 100-continue", "Content-Length: 3"
      ).fields
        == ["Host: api.test", "Expect: 100-continue", "Content-Length: 3"])
  }

  @Test func `a Host that Connection names is the upstream's own, even when it is preserved`()
    throws
  {
    #expect(
      try sent("/", preservesHost: true, "Host: x", "Connection: host").fields
        == ["Host: api.test"])
  }

  /// RFC 9110 §8.6: a recipient of equal lengths must reject them or make one of them; an upstream
  /// may do the former.
  @Test(arguments: [
    ["Content-Length: 3", "A: 1", "content-length: 3"], ["Content-Length: 3, 3", "A: 1"],
    ["Content-Length: 3,3", "A: 1", "Content-Length: 3"],
  ])
  func `a repeated length is sent once`(fields: [String]) throws {
    let request = RequestHead(
      method: .post, target: [0x2F], fields: try section(["Host: api.test"] + fields))
    let head = UpstreamRequest(
      for: request, framing: .length(3), upstream: try BaseURL(parsing: "http://api.test"),
      preservesHost: false
    ).head
    #expect(lines(head.fields) == ["Host: api.test", "Content-Length: 3", "A: 1"])
  }

  @Test(arguments: [
    (BodyFraming.none, ""), (.length(5), "hello"),
    (.chunked, "2\r\nhe\r\n3\r\nllo\r\n0\r\nT: 1\r\n\r\n"),
  ])
  func `content is framed as it came, each piece a chunk`(framing: BodyFraming, body: String)
    throws
  {
    let sent = UpstreamRequest(
      for: RequestHead(method: .put, target: [0x2F]), framing: framing,
      upstream: try BaseURL(parsing: "http://api.test"), preservesHost: false)
    var bytes: [UInt8] = []
    sent.head(to: &bytes)
    if framing != .none {
      for piece in ["he", "llo"] {
        Array(piece.utf8).withUnsafeBytes { sent.content($0, to: &bytes) }
      }
    }
    sent.end(trailers: framing == .chunked ? try section("T: 1") : FieldSection(), to: &bytes)
    #expect(text(bytes) == "PUT / HTTP/1.1\r\nHost: api.test\r\n\r\n" + body)
  }

  @Test(arguments: [
    ("API.test:81", true, "api.test:81"), ("api.test", false, "own.test"),
    ("127.0.0.1:8377", true, "own.test"), ("localhost", true, "own.test"),
    ("[::1]:8377", true, "own.test"), ("", true, "own.test"), ("\u{e9}.test", true, "own.test"),
  ])
  func `a preserved Host names the authority, unless it is an address of ours`(
    host: String, preserves: Bool, authority: String
  ) throws {
    let request = RequestHead(
      method: .get, target: [0x2F], fields: try section(["Host: \(host)"]))
    let sent = UpstreamRequest(
      for: request, framing: .none, upstream: try BaseURL(parsing: "http://own.test"),
      preservesHost: preserves)
    #expect(sent.authority == authority)
  }
}
