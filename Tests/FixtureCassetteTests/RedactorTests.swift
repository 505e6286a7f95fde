import FixtureHTTP
import Testing

@testable import FixtureCassette

@Suite struct `Redaction` {
  @Test(arguments: [
    // Credentials keep their scheme.
    ("Authorization", "Bearer s3cret", "Bearer REDACTED-1"),
    ("authorization", "Basic dXNlcjpwYXNz", "Basic REDACTED-1"),
    ("AUTHORIZATION", "Digest username=\"u\", response=\"r\"", "Digest REDACTED-1"),
    ("Authorization", "AWS4-HMAC-SHA256 Credential=a, Signature=b", "AWS4-HMAC-SHA256 REDACTED-1"),
    ("Authorization", "Bearer \t s3cret", "Bearer \t REDACTED-1"),
    ("Authorization", "s3cret", "REDACTED-1"),
    ("Authorization", "a/token with spaces", "REDACTED-1"),
    ("Authorization", "averylongfirstwordwithoutend s3cret", "REDACTED-1"),
    ("Authorization", "Negotiate", "Negotiate"),
    ("Authorization", "", ""),
    ("Authorization", "Bearer REDACTED-7", "Bearer REDACTED-7"),
    ("Authorization", "REDACTED-7", "REDACTED-7"),
    ("Proxy-Authorization", "Basic dXNlcjpwYXNz", "Basic REDACTED-1"),
    // A challenge is no secret.
    ("WWW-Authenticate", "Bearer realm=\"token\"", "Bearer realm=\"token\""),
    ("Proxy-Authenticate", "Basic realm=\"x\"", "Basic realm=\"x\""),
    // Cookies keep their names.
    ("Cookie", "sid=abc", "sid=REDACTED-1"),
    ("Cookie", "a=1; b=2;c=1", "a=REDACTED-1; b=REDACTED-2;c=REDACTED-1"),
    ("Cookie", "a=\"1\"; b=1", "a=REDACTED-1; b=REDACTED-1"),
    ("Cookie", "a=x=y==; b=", "a=REDACTED-1; b="),
    ("Cookie", "lonely; a=1", "REDACTED-1; a=REDACTED-2"),
    ("Cookie", "a=REDACTED-7; b=2", "a=REDACTED-7; b=REDACTED-8"),
    ("Cookie", ";; a = 1 ;", ";; a = REDACTED-1 ;"),
    (
      "Set-Cookie", "sid=abc; Path=/; Expires=Wed, 01 Jan 2031 00:00:00 GMT; HttpOnly",
      "sid=REDACTED-1; Path=/; Expires=Wed, 01 Jan 2031 00:00:00 GMT; HttpOnly"
    ),
    ("Set-Cookie", "sid=; Max-Age=0", "sid=; Max-Age=0"),
    ("Set-Cookie", "lonely; Path=/", "REDACTED-1; Path=/"),
    ("Set-Cookie", "a=1; Path=/, b=2; Secure", "a=REDACTED-1; Path=/, b=REDACTED-2; Secure"),
    ("Set-Cookie", "a=1, b=2; Secure", "a=REDACTED-1; Secure"),
    ("Set-Cookie", "a=REDACTED-3; Secure", "a=REDACTED-3; Secure"),
  ])
  func `credentials and cookies keep their shape`(
    _ name: String, _ value: String, _ expected: String
  ) {
    #expect(redacted(name, value) == "\(name): \(expected)")
  }

  @Test(arguments: [
    ("Location", "https://a.test/cb?code=xyz&state=1", "https://a.test/cb?code=REDACTED-1&state=1"),
    ("Location", "/cb?state=1&code=xyz#x", "/cb?state=1&code=REDACTED-1#x"),
    ("Location", "/cb#access_token=xyz&token_type=b", "/cb#access_token=REDACTED-1&token_type=b"),
    ("Location", "/cb?a=1#/in?token=xyz&b=%20", "/cb?a=1#/in?token=REDACTED-1&b=%20"),
    ("Location", "//user:pass@a.test/", "//REDACTED-1@a.test/"),
    ("Location", "https://tok@a.test:8443/x@y", "https://REDACTED-1@a.test:8443/x@y"),
    ("Location", "https://a@b@c.test", "https://REDACTED-1@c.test"),
    ("Location", "https://a.test/@user?q=a@b", "https://a.test/@user?q=a@b"),
    ("Location", "https://@a.test/", "https://@a.test/"),
    ("Location", "/plain?a=%41+b&;token=x", "/plain?a=%41+b&;token=x"),
    (
      "Location", "/in?next=https%3A%2F%2Fa.test%2F%3Ftoken%3Dxyz%26n%3D1&m=%7e",
      "/in?next=https%3A%2F%2Fa.test%2F%3Ftoken%3DREDACTED-1%26n%3D1&m=%7e"
    ),
    ("Location", "/in?next=%2Fa%3Fb%3D1", "/in?next=%2Fa%3Fb%3D1"),
    ("Content-Location", "/x?sig=xyz", "/x?sig=REDACTED-1"),
    ("Referer", "https://a.test/?q=1&password=xyz", "https://a.test/?q=1&password=REDACTED-1"),
    ("Referer", "https://a.test/?q=1", "https://a.test/?q=1"),
    ("Refresh", "5; url=/x?token=xyz", "5; url=/x?token=REDACTED-1"),
    ("Refresh", "5;URL='/x?token=xyz' ; a", "5;URL='/x?token=REDACTED-1' ; a"),
    ("Refresh", "0,/x?token=xyz", "0,/x?token=REDACTED-1"),
    ("Refresh", "5", "5"),
    (
      "Link", "</a?token=xyz>; rel=\"next,<b?token=u>\", <//u:p@a.test/?page=2>; rel=last",
      "</a?token=REDACTED-1>; rel=\"next,<b?token=u>\", <//REDACTED-2@a.test/?page=2>; rel=last"
    ),
    ("Link", "</a?page=2>; rel=next", "</a?page=2>; rel=next"),
    ("Link", "</a?token=xyz", "</a?token=REDACTED-1"),
  ])
  func `references lose userinfo and secret pairs only`(
    _ name: String, _ value: String, _ expected: String
  ) {
    #expect(redacted(name, value) == "\(name): \(expected)")
  }

  @Test(arguments: RedactionRules.fieldDefaults.filter { $0.value == .whole }.map(\.key))
  func `every field of the list loses its whole value`(_ name: [UInt8]) {
    let name = String(decoding: name, as: UTF8.self)
    #expect(redacted(name.uppercased(), "a secret") == "\(name.uppercased()): REDACTED-1")
    #expect(redacted(name, "REDACTED-4") == "\(name): REDACTED-4")
    #expect(redacted(name + "x", "a secret") == "\(name)x: a secret")
  }

  @Test(arguments: [
    "/x?NAME=a%2Bs&b=%41+1": "/x?NAME=REDACTED-1&b=%41+1",
    "/x?b=;&&NAME=a%2bs&": "/x?b=;&&NAME=REDACTED-1&",
    "/x?NAME=a%2Bs&NAME=%61%2Bs": "/x?NAME=REDACTED-1&NAME=REDACTED-1",
    "/x?NAME[]=s": "/x?NAME[]=REDACTED-1",
    "/x?NAME=&NAME": "/x?NAME=&NAME",
    "/x?NAMES=s&xNAME=s": "/x?NAMES=s&xNAME=s",
    "/x/NAME=s": "/x/NAME=s",
    "/x?a=NAME%3Ds": "/x?a=NAME%3Ds",
    "http://a.test/x?NAME=s": "http://a.test/x?NAME=REDACTED-1",
    "http://a.test?NAME=s": "http://a.test?NAME=REDACTED-1",
  ])
  func `every query name of the list loses its value in a target`(
    _ target: String, _ expected: String
  ) {
    for name in RedactionRules.queryDefaults {
      let name = String(decoding: name, as: UTF8.self)
      if name == "code", target.contains("[]") { continue }
      for spelling in [name, name.uppercased(), escaped(name)] {
        let sent = target.replacing("NAME", with: spelling)
        #expect(redacted(target: sent) == expected.replacing("NAME", with: spelling))
      }
    }
  }

  @Test(arguments: [
    ("/x?filter[code]=DE", "/x?filter[code]=DE"),
    ("/x?code[]=DE", "/x?code[]=DE"),
    ("/x?user[password]=pw", "/x?user[password]=REDACTED-1"),
    ("/x?user[password][]=pw", "/x?user[password][]=REDACTED-1"),
    ("/x?[password]=pw", "/x?[password]=pw"),
    ("/x?key=users/1", "/x?key=users/1"),
    ("/x?key=AIzaSyA0123456789012345678901234567890a", "/x?key=REDACTED-1"),
    ("/x?key=REDACTED-3", "/x?key=REDACTED-3"),
    ("http://user:pass@a.test/x", "http://REDACTED-1@a.test/x"),
    ("http://user@a.test?q", "http://REDACTED-1@a.test?q"),
    ("//user:pass@a.test/x", "//user:pass@a.test/x"),
    ("/x@y?q=u@v", "/x@y?q=u@v"),
    ("/x?token=a#b", "/x?token=REDACTED-1"),
    ("/x#token=a", "/x#token=a"),
    ("/x?u=http://u:p@b.test/?a=1", "/x?u=http%3A%2F%2FREDACTED-1%40b.test%2F%3Fa%3D1"),
    ("*", "*"),
    ("a.test:443", "a.test:443"),
    ("/raw-\u{FC}?q=\u{FC}%FF%zz%", "/raw-\u{FC}?q=\u{FC}%FF%zz%"),
    ("", ""),
  ])
  func `a target keeps everything but its secrets`(_ target: String, _ expected: String) {
    #expect(redacted(target: target) == expected)
  }

  @Test func `one secret has one number in every place and spelling`() {
    var redactor = Redactor(rules: RedactionRules(), count: 0)
    var interaction = interaction(
      "/x?t=1&token=tok-S%2F9%2Ba%3D%3D&access_token=other",
      [
        ("Authorization", "Bearer tok-S/9+a=="), ("Cookie", "a=tok-S%2F9+a=="),
        ("X-Api-Key", "tok-S/9+a=="), ("Referer", "/x#id_token=tok-S/9%2ba=="),
      ])
    redactor.redact(&interaction)
    #expect(
      interaction
        == self.interaction(
          "/x?t=1&token=REDACTED-1&access_token=REDACTED-2",
          [
            ("Authorization", "Bearer REDACTED-1"), ("Cookie", "a=REDACTED-1"),
            ("X-Api-Key", "REDACTED-1"), ("Referer", "/x#id_token=REDACTED-1"),
          ], notes: [.redacted]))
    #expect(redactor.count == 2)
  }

  @Test func `every section of an interaction is redacted`() {
    var redactor = Redactor(rules: RedactionRules(), count: 5)
    var given = Interaction(
      id: 1, startedAt_us: 0, scheme: "http", authority: "a.test",
      request: RequestHead(method: .get, target: Array("/".utf8), fields: keys("a")),
      requestTrailers: keys("b"),
      response: RecordedResponse(
        head: ResponseHead(status: 200, reason: [], fields: keys("c")), framing: .chunked,
        trailers: keys("d")),
      interims: [
        RecordedInterim(
          offset_us: 0, head: ResponseHead(status: 103, reason: [], fields: keys("e")))
      ])
    redactor.redact(&given)
    #expect(given.request.fields == keys("REDACTED-6"))
    #expect(given.requestTrailers == keys("REDACTED-7"))
    #expect(given.interims[0].head.fields == keys("REDACTED-8"))
    #expect(given.response?.head.fields == keys("REDACTED-9"))
    #expect(given.response?.trailers == keys("REDACTED-10"))
    #expect(given.notes == [.redacted])
  }

  @Test func `redacting twice changes nothing more`() {
    var redactor = Redactor(rules: RedactionRules(), count: 0)
    var once = interaction(
      "/x?token=a&next=%2Fb%3Fcode%3Dc",
      [
        ("Cookie", "a=1"), ("Location", "https://u@a.test/?sig=d#id_token=e"),
        ("Link", "</?jwt=f>"),
      ])
    redactor.redact(&once)
    var twice = once
    redactor.redact(&twice)
    #expect(twice == once)
    #expect(redactor.count == 7)
  }

  @Test func `an interaction without secrets is left as it is`() {
    var redactor = Redactor(rules: RedactionRules(), count: 3)
    let given = interaction(
      "/x?q=%7e+a&&b", [("Accept", "*/*"), ("X-Odd", "Bearer token"), ("Link", "<a>; rel=next")])
    var redacted = given
    redactor.redact(&redacted)
    #expect(redacted == given)
    #expect(redactor.count == 3)
  }

  @Test func `a placeholder from outside takes its number`() {
    var redactor = Redactor(rules: RedactionRules(), count: 1)
    var given = interaction("/x?token=REDACTED-4&secret=new", [])
    redactor.redact(&given)
    #expect(given.request.target == Array("/x?token=REDACTED-4&secret=REDACTED-5".utf8))
    #expect(redactor.count == 5)
  }

  @Test(arguments: [
    "REDACTED-0", "REDACTED-01", "REDACTED-", "redacted-1", "REDACTED-1x", "xREDACTED-1",
    "REDACTED-1000000000",
  ])
  func `what only looks like a placeholder is a secret`(_ text: String) {
    #expect(redacted(target: "/x?token=\(text)") == "/x?token=REDACTED-1")
  }

  @Test func `an added field loses its value, an added name its pairs`() throws {
    let rules = try RedactionRules(adding: ["header:X-Team", "header:location", "query:t"])
    #expect(redacted("x-team", "blue", rules) == "x-team: REDACTED-1")
    #expect(redacted("Location", "/a?b=1", rules) == "Location: REDACTED-1")
    #expect(redacted("Referer", "/a?T=1&u=2", rules) == "Referer: /a?T=REDACTED-1&u=2")
    #expect(redacted("X-Teams", "blue", rules) == "X-Teams: blue")
  }

  @Test func `a redacted section can be stored and read again`() throws {
    var redactor = Redactor(rules: RedactionRules(), count: 0)
    var given = interaction(
      "/", [("Cookie", "a=b; "), ("Authorization", "x  y "), ("Set-Cookie", " = ; ,a=")])
    redactor.redact(&given)
    let fields = given.request.fields
    #expect(try FieldSection(stored: fields.bytes) == fields)
  }
}

extension `Redaction` {
  private func interaction(
    _ target: String, _ fields: [(String, String)], notes: Set<Interaction.Note> = []
  ) -> Interaction {
    var section = FieldSection()
    for (name, value) in fields {
      section.append(
        name: Array(name.utf8), value: Array(value.utf8).trimmingOptionalWhitespace)
    }
    return Interaction(
      id: 1, startedAt_us: 0, scheme: "http", authority: "a.test",
      request: RequestHead(method: .get, target: Array(target.utf8), fields: section),
      notes: notes)
  }

  private func redacted(
    _ name: String, _ value: String, _ rules: RedactionRules = RedactionRules()
  ) -> String {
    var redactor = Redactor(rules: rules, count: 0)
    var given = interaction("/", [(name, value)])
    redactor.redact(&given)
    return String(decoding: given.request.fields.line(at: 0).dropLast(2), as: UTF8.self)
  }

  private func redacted(target: String) -> String {
    var redactor = Redactor(rules: RedactionRules(), count: 0)
    var given = interaction(target, [])
    redactor.redact(&given)
    return String(decoding: given.request.target, as: UTF8.self)
  }

  private func keys(_ value: String) -> FieldSection {
    var section = FieldSection()
    section.append("X-Api-Key", value)
    return section
  }

  private func escaped(_ name: String) -> String {
    name.utf8.map { "%" + String($0, radix: 16) }.joined()
  }
}
