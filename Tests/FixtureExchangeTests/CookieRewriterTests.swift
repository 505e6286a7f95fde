import FixtureExchange
import FixtureHTTP
import Testing

@Suite struct `Cookies on their way to a client` {
  private func rewritten(
    _ fields: String..., upstream: String = "https://api.test", rewrites: Bool = true
  ) throws -> (fields: [String], elsewhere: [String]) {
    var elsewhere: [String] = []
    let links = LinkRewriter(
      routes: [LinkRewriter.Route(upstream: try BaseURL(parsing: upstream), port: 1)])
    var response = try head(200, "OK")
    response.fields = try section(fields)
    let head = HeadRewriter(links: links, rewritesCookies: rewrites).rewrite(
      response, current: 0, clientHost: nil
    ) {
      if case .cookie(let reason) = $0 { elsewhere.append(reason) }
    }
    return (lines(head.fields), elsewhere)
  }

  @Test(arguments: [
    ("a=1; Domain=api.test; Path=/", "a=1; Path=/"),
    ("a=1; path=/; DOMAIN = .api.test", "a=1; path=/"),
    ("a=1; Secure", "a=1"), ("a=1;secure;HttpOnly", "a=1;HttpOnly"),
    ("a=1; Secure=x; Max-Age=5", "a=1; Max-Age=5"), ("a=1; Domain=a.test; Domain=b.test", "a=1"),
  ])
  func `Domain and Secure go, all else stays byte for byte`(cookie: String, expected: String)
    throws
  {
    let (fields, elsewhere) = try rewritten("set-Cookie: \(cookie)")
    #expect(fields == ["set-Cookie: \(expected)"])
    #expect(elsewhere == [])
  }

  @Test(arguments: [
    "a=1", "a=1; Path=/; HttpOnly; SameSite=Lax", "Secure", "domain=x", "Secure; Path=/",
    "a=1; Domain=", "a=1; Domain", "a=1; Secured", "a=1; x=Secure", "a=\"1, Secure\"", "",
    "a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT;",
  ])
  func `a cookie that comes back stays`(cookie: String) throws {
    let (fields, elsewhere) = try rewritten("Set-Cookie: \(cookie)", rewrites: false)
    #expect(fields == ["Set-Cookie: \(cookie)"])
    #expect(elsewhere == [])
    #expect(try rewritten("Set-Cookie: \(cookie)").fields == ["Set-Cookie: \(cookie)"])
  }

  @Test func `unless asked for, nothing changes and what does not come back is told`() throws {
    let cookies = [
      "Set-Cookie: a=1; Domain=.api.test; Secure", "Set-Cookie: b=2", "Set-Cookie: c=3; secure",
    ]
    let (fields, elsewhere) = try rewritten(cookies[0], cookies[1], cookies[2], rewrites: false)
    #expect(fields == cookies)
    #expect(elsewhere == ["Secure", ".api.test", "Secure"])
  }

  @Test func `other fields stay`() throws {
    let fields = ["Set-Cookie2: a=1; Secure", "X: b; Secure", "Set-Cookie: c; Secure"]
    #expect(
      try rewritten(fields[0], fields[1], fields[2]).fields
        == [fields[0], fields[1], "Set-Cookie: c"])
  }

  @Test(arguments: [
    ("/v1", "/"), ("/v1/", "/"), ("/v1/items", "/items"),
  ])
  func `the base path is taken off a Path`(path: String, expected: String) throws {
    let cookie = "Set-Cookie: a=1; PATH = \(path); HttpOnly"
    #expect(
      try rewritten(cookie, upstream: "http://api.test/v1").fields
        == ["Set-Cookie: a=1; PATH =\(expected); HttpOnly"])
    let (fields, elsewhere) = try rewritten(
      cookie, upstream: "http://api.test/v1", rewrites: false)
    #expect(fields == [cookie])
    #expect(elsewhere == ["Path=\(path)"])
  }

  @Test(arguments: ["/", "/v10", "/other", "v1", ""])
  func `a Path that we have too, or that never was the upstream's, stays`(path: String) throws {
    let cookie = "Set-Cookie: a=1; Path=\(path)"
    let (fields, elsewhere) = try rewritten(cookie, upstream: "http://api.test/v1")
    #expect(fields == [cookie])
    #expect(elsewhere == [])
    #expect(try rewritten("Set-Cookie: a=1; Path=/v1").fields == ["Set-Cookie: a=1; Path=/v1"])
  }
}
