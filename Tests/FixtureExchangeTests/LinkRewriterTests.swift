import FixtureExchange
import FixtureHTTP
import Testing

@Suite struct `Links on their way to a client` {
  /// The value as the client gets it, and the origins of links that lead away.
  private func rewritten(
    _ field: String, upstreams: [String] = ["http://api.test"], current: Int = 0,
    host: String? = "localhost:8000"
  ) throws -> (line: String, elsewhere: [String]) {
    var port: UInt16 = 8000
    var routes: [LinkRewriter.Route] = []
    for upstream in upstreams {
      routes.append(LinkRewriter.Route(upstream: try BaseURL(parsing: upstream), port: port))
      port += 1
    }
    var elsewhere: [String] = []
    let rewriter = HeadRewriter(links: LinkRewriter(routes: routes), rewritesCookies: false)
    let head = rewriter.rewrite(
      try head(302, "Found", field), current: current, clientHost: host.map { Array($0.utf8)[...] }
    ) {
      if case .link(let origin) = $0 { elsewhere.append(origin) }
    }
    return (lines(head.fields)[0], elsewhere)
  }

  private func location(
    _ value: String, upstreams: [String] = ["http://api.test"], current: Int = 0,
    host: String? = "localhost:8000"
  ) throws -> String {
    let line = try rewritten(
      "Location: \(value)", upstreams: upstreams, current: current, host: host
    ).line
    return String(line.dropFirst("Location: ".count))
  }

  // MARK: The origin

  @Test(arguments: [
    (
      "http://api.test/a?next=http://api.test/b#c",
      "http://localhost:8000/a?next=http://api.test/b#c"
    ),
    ("http://api.test", "http://localhost:8000"), ("http://api.test?q", "http://localhost:8000?q"),
    ("http://api.test#f", "http://localhost:8000#f"),
    ("HTTP://API.Test/A", "http://localhost:8000/A"),
    ("http://api.test:80/", "http://localhost:8000/"),
    ("http://api.test:/", "http://localhost:8000/"),
    ("http://api.test:080/", "http://localhost:8000/"),
  ])
  func `a link to the upstream leads to us`(link: String, expected: String) throws {
    #expect(try location(link) == expected)
  }

  @Test(arguments: [
    ("http://api.test:8080/", "http://api.test:8080"), ("https://api.test/", "https://api.test"),
    ("http://api.test:8/", "http://api.test:8"), ("http://api.tes/", "http://api.tes"),
    ("http://api.test.evil/", "http://api.test.evil"), ("http://xapi.test/", "http://xapi.test"),
    ("https://CDN.test:443/x?token=1", "https://cdn.test"),
  ])
  func `a link that only looks like one to the upstream stays, and is counted`(
    link: String, origin: String
  ) throws {
    let (line, elsewhere) = try rewritten("Location: \(link)")
    #expect(line == "Location: \(link)")
    #expect(elsewhere == [origin])
  }

  @Test(arguments: [
    ("http://127.0.0.1:80", "http://127.0.0.1/a", true),
    ("http://127.0.0.1:80", "http://127.0.0.1:8/a", false),
    ("http://127.0.0.1:8", "http://127.0.0.1:80/a", false),
    ("http://127.0.0.1:8", "http://127.0.0.1:8/a", true),
    ("http://127.0.0.1:8", "http://127.0.0.10:8/a", false),
    ("https://api.test", "https://api.test:443/a", true),
    ("https://api.test", "http://api.test:443/a", false),
    ("http://[::1]:90", "http://[::1]:90/a", true), ("http://[::1]:90", "http://[::1]:9/a", false),
  ])
  func `hosts and ports compare whole`(upstream: String, link: String, isOurs: Bool) throws {
    let expected = isOurs ? "http://localhost:8000/a" : link
    #expect(try location(link, upstreams: [upstream]) == expected)
  }

  @Test(arguments: [
    "a", "../a", "?q", "#f", "", "mailto:a@api.test", "api.test/a", "http:/api.test/",
    "http:api.test", "urn:http://api.test/", "/a", "/", "/http://api.test/",
  ])
  func `what is relative or no http URL stays and is not counted`(link: String) throws {
    let (line, elsewhere) = try rewritten("Location: \(link)")
    #expect(line == "Location: \(link)")
    #expect(elsewhere == [])
  }

  @Test(arguments: ["http:///a", "http://", "http://a b/", "http://api.test:x/", "//", "http://@/"])
  func `a link without a host that could be listed stays and is not counted`(link: String) throws {
    let (line, elsewhere) = try rewritten("Location: \(link)")
    #expect(line == "Location: \(link)")
    #expect(elsewhere == [])
  }

  // MARK: Userinfo

  @Test func `userinfo goes along with a link to the upstream`() throws {
    #expect(
      try location("http://me:word@api.test/a") == "http://me:word@localhost:8000/a")
    #expect(try location("//me@api.test/a") == "//me@localhost:8000/a")
  }

  @Test func `userinfo is no host, and is not told`() throws {
    let link = "http://api.test:80@evil.test/a"
    let (line, elsewhere) = try rewritten("Location: \(link)")
    #expect(line == "Location: \(link)")
    #expect(elsewhere == ["http://evil.test"])
  }

  // MARK: Network-path references

  @Test func `a network path has the scheme of the upstream it came from`() throws {
    let upstreams = ["https://api.test", "http://img.test"]
    #expect(try location("//api.test/a", upstreams: upstreams) == "//localhost:8000/a")
    #expect(try location("//api.test:443/a", upstreams: upstreams) == "//localhost:8000/a")
    #expect(try location("//img.test/a", upstreams: upstreams) == "//img.test/a")
    #expect(
      try location("//img.test/a", upstreams: upstreams, current: 1, host: "a:1") == "//a:1/a")
    let (_, elsewhere) = try rewritten("Location: //cdn.test/a", upstreams: upstreams)
    #expect(elsewhere == ["https://cdn.test"])
  }

  // MARK: Base paths

  @Test(arguments: [
    ("http://api.test/v1/a", "http://localhost:8000/a"),
    ("http://api.test/v1", "http://localhost:8000/"),
    ("http://api.test/v1?q", "http://localhost:8000/?q"),
    ("http://api.test/v1#f", "http://localhost:8000/#f"),
    ("http://api.test/v1/", "http://localhost:8000/"), ("//api.test/v1/a", "//localhost:8000/a"),
    ("/v1/a", "/a"), ("/v1", "/"), ("/v1?q", "/?q"), ("/v1/v1/a", "/v1/a"),
  ])
  func `the base path is taken off`(link: String, expected: String) throws {
    #expect(try location(link, upstreams: ["http://api.test/v1"]) == expected)
  }

  @Test(arguments: [
    "http://api.test/v10/a", "http://api.test/", "http://api.test", "http://api.test/V1/a",
    "/v10/a", "/", "/login", "//api.test/v",
  ])
  func `a link beside the base path stays, and is counted`(link: String) throws {
    let (line, elsewhere) = try rewritten("Location: \(link)", upstreams: ["http://api.test/v1"])
    #expect(line == "Location: \(link)")
    #expect(elsewhere == ["http://api.test"])
  }

  // MARK: Several upstreams

  @Test func `a link to another upstream leads to its listener`() throws {
    let upstreams = ["https://api.test", "https://img.test"]
    #expect(
      try location("https://img.test/a", upstreams: upstreams) == "http://localhost:8001/a")
    #expect(
      try location("https://api.test/a", upstreams: upstreams, current: 1, host: "localhost:8001")
        == "http://localhost:8000/a")
    #expect(
      try location("https://img.test/a", upstreams: upstreams, host: "[::1]:8000")
        == "http://[::1]:8001/a")
    #expect(
      try location("https://img.test/a", upstreams: upstreams, host: "localhost")
        == "http://localhost:8001/a")
  }

  @Test func `of upstreams of one origin the base path decides`() throws {
    let upstreams = ["http://api.test/v1", "http://api.test/v2", "http://api.test"]
    func location(_ link: String, current: Int) throws -> String {
      try self.location(link, upstreams: upstreams, current: current)
    }
    #expect(try location("http://api.test/v1/a", current: 0) == "http://localhost:8000/a")
    #expect(try location("http://api.test/v2/a", current: 0) == "http://localhost:8001/a")
    #expect(try location("http://api.test/v3/a", current: 0) == "http://localhost:8002/v3/a")
    #expect(try location("/v2/a", current: 0) == "http://localhost:8001/a")
    #expect(try location("/v3/a", current: 0) == "http://localhost:8002/v3/a")
  }

  @Test func `the upstream that sent a link comes first, else the nearest base path`() throws {
    let upstreams = ["http://api.test", "http://api.test/v1", "http://api.test/v1/x"]
    #expect(
      try location("http://api.test/v1/x/a", upstreams: upstreams) == "http://localhost:8000/v1/x/a"
    )
    #expect(try location("/v1/x/a", upstreams: upstreams) == "/v1/x/a")
    let others = ["http://img.test"] + upstreams
    #expect(
      try location("http://api.test/v1/x/a", upstreams: others) == "http://localhost:8003/a")
  }

  // MARK: Our address

  @Test(arguments: [
    ("127.0.0.1:9000", "http://127.0.0.1:9000/a"), ("fixtures", "http://fixtures/a"),
    ("[::1]:8000", "http://[::1]:8000/a"),
  ])
  func `our address is the one the client used`(host: String, expected: String) throws {
    #expect(try location("http://api.test/a", host: host) == expected)
  }

  @Test(arguments: [nil, ""]) func `a client without Host gets the loopback address`(host: String?)
    throws
  {
    #expect(try location("http://api.test/a", host: host) == "http://127.0.0.1:8000/a")
  }

  // MARK: Which fields

  @Test(arguments: ["Location", "content-location"])
  func `the field's name keeps its case`(name: String) throws {
    #expect(
      try rewritten("\(name): http://api.test/a").line == "\(name): http://localhost:8000/a")
  }

  @Test(arguments: [
    ("5; url=http://api.test/a", "5; url=http://localhost:8000/a"),
    ("5;URL=http://api.test/a", "5;URL=http://localhost:8000/a"),
    ("0, url='http://api.test/a' x", "0, url='http://localhost:8000/a' x"),
    ("0; url=\"http://api.test/a\"", "0; url=\"http://localhost:8000/a\""),
    ("0; url = http://api.test/a", "0; url = http://localhost:8000/a"),
    ("0; http://api.test/a", "0; http://localhost:8000/a"),
    ("0; url=\"http://api.test/a", "0; url=\"http://localhost:8000/a"),
    ("5", "5"), ("5;", "5;"), ("5; url", "5; url"), ("5; url=", "5; url="),
    ("5; url=\"", "5; url=\""), ("", ""),
  ])
  func `Refresh: the URL behind the seconds`(value: String, expected: String) throws {
    #expect(try rewritten("Refresh: \(value)").line == "Refresh: \(expected)")
  }

  @Test(arguments: [
    (
      "<http://api.test/?page=2>; rel=\"next\", <http://api.test/?page=9>; rel=last",
      "<http://localhost:8000/?page=2>; rel=\"next\", <http://localhost:8000/?page=9>; rel=last"
    ),
    (
      "<http://cdn.test/a>; title=\"<http://api.test/b>\"; anchor=\"http://api.test/c\"",
      "<http://cdn.test/a>; title=\"<http://api.test/b>\"; anchor=\"http://api.test/c\""
    ),
    (
      "<a>; title=\"\\\"\", <http://api.test/a>", "<a>; title=\"\\\"\", <http://localhost:8000/a>"
    ),
    ("<http://api.test/a", "<http://localhost:8000/a"), ("<", "<"), ("<>", "<>"), (">", ">"),
    ("http://api.test/a", "http://api.test/a"),
  ])
  func `Link: every target outside quoted strings`(value: String, expected: String) throws {
    #expect(try rewritten("Link: \(value)").line == "Link: \(expected)")
  }

  @Test func `each link that leads away is counted`() throws {
    let (_, elsewhere) = try rewritten(
      "Link: <http://a.test/1>, <http://b.test/>, <http://a.test/2>, <http://api.test/>")
    #expect(elsewhere == ["http://a.test", "http://b.test", "http://a.test"])
  }

  @Test func `other fields, and a response without routes, stay`() throws {
    #expect(
      try rewritten("X-Location: http://api.test/").line == "X-Location: http://api.test/")
    #expect(
      try rewritten("Location: http://api.test/", upstreams: []).line
        == "Location: http://api.test/")
  }
}
