import FixtureExchange
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct `A head on its way to a client` {
  private func rewriter(_ rewritesCookies: Bool) throws -> HeadRewriter {
    let upstream = try BaseURL(parsing: "http://api.test")
    return HeadRewriter(
      links: LinkRewriter(routes: [LinkRewriter.Route(upstream: upstream, port: 8000)]),
      rewritesCookies: rewritesCookies)
  }

  @Test func `links and cookies are told apart when they lead elsewhere`() throws {
    var elsewhere: [HeadRewriter.Elsewhere] = []
    let head = try head(200, "OK", "Location: http://b.test/", "Set-Cookie: a=1; Domain=c.test")
    let rewritten = try rewriter(false).rewrite(head, current: 0, clientHost: nil) {
      elsewhere.append($0)
    }
    #expect(rewritten == head)
    #expect(elsewhere == [.link(origin: "http://b.test"), .cookie(reason: "c.test")])
  }

  @Test(arguments: [
    ("link: <a>", false, true), ("Set-Cookie: a=1", false, false), ("Set-Cookie: a=1", true, true),
    ("A: 1", true, false),
  ])
  func `a script may change where it has links, or cookies that are to be rewritten`(
    line: String, rewritesCookies: Bool, mayChange: Bool
  ) throws {
    let rewriter = try rewriter(rewritesCookies)
    for action in [Action.head(try head(200, "", line)), .interim(try head(103, "", line))] {
      let script = Script(steps: [Step(.requestEnd, .zero, action)], framing: .none)
      #expect(rewriter.mayChange(script) == mayChange)
    }
  }

  @Test func `every head of a script is rewritten`() throws {
    func script(_ link: String, _ cookie: String) throws -> Script {
      Script(
        steps: [
          Step(.requestEnd, .zero, .interim(try head(103, "", "Link: <\(link)a>"))),
          Step(.previous, .zero, .head(try head(302, "", "Location: \(link)", cookie))),
          Step(.previous, .zero, .end),
        ], framing: .length)
    }
    #expect(
      try rewriter(true).rewrite(
        script("http://api.test/", "Set-Cookie: a=1; Secure"), current: 0, clientHost: nil)
        == script("http://127.0.0.1:8000/", "Set-Cookie: a=1"))
  }
}
