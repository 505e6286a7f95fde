import FixtureExchange
import Testing

@Suite struct `Cookies on their way to a client` {
  private func rewritten(
    _ fields: String..., rewrites: Bool = true
  ) throws -> (fields: [String], elsewhere: [String]) {
    var elsewhere: [String] = []
    var response = try head(200, "OK")
    response.fields = try section(fields)
    let head = CookieRewriter.rewrite(response, rewrites: rewrites) { elsewhere.append($0) }
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
    #expect(elsewhere == [".api.test", "Secure", "Secure"])
  }

  @Test func `other fields stay`() throws {
    let fields = ["Set-Cookie2: a=1; Secure", "X: b; Secure", "Set-Cookie: c; Secure"]
    #expect(
      try rewritten(fields[0], fields[1], fields[2]).fields
        == [fields[0], fields[1], "Set-Cookie: c"])
  }
}
