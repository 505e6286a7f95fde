import FixtureHTTP
import Testing

@testable import FixtureStub

@Suite struct LiveURLs {
  private func target(_ url: String) -> String? {
    LiveURL(url).map { String(decoding: $0.target, as: UTF8.self) }
  }

  @Test(arguments: [
    ("http://a", "/"), ("http://a?q=1", "/?q=1"), ("http://a/b?q=%20+#f", "/b?q=%20+"),
    ("http://a/b/../c", "/c"), ("http://a/./b/.", "/b/"), ("http://a/b/..", "/"),
    ("http://a/../..", "/"), ("http://a/b.c/..d", "/b.c/..d"), ("http://a//b", "//b"),
    ("http://a/b?x=/../y", "/b?x=/../y"),
  ])
  func `the target is what is sent`(url: String, expected: String) {
    #expect(target(url) == expected)
  }

  @Test(arguments: [
    ("http://a:80/", "a"), ("https://a:443/", "a"), ("https://a:80/", "a:80"),
    ("http://u:p@a:8080/", "a:8080"), ("http://[::1]:81/", "[::1]:81"), ("HTTP://A/", "A"),
    ("http://a:/", "a"),
  ])
  func `Host has no default port`(url: String, expected: String) {
    #expect(LiveURL(url).map { String(decoding: $0.authority, as: UTF8.self) } == expected)
  }

  @Test(arguments: ["ftp://a/", "http:///a", "/a", "", "http://a:99999/", "data:,x", "http:/a"])
  func `what no request can go to is refused`(url: String) {
    #expect(LiveURL(url) == nil)
  }

  @Test(arguments: [
    ("http://localhost/", true), ("http://127.0.0.1/", true), ("http://127.9.9.9:1/", true),
    ("http://[::1]/", true), ("http://127.0.0.1.example.com/", false), ("http://a/", false),
  ])
  func `this machine has several names`(url: String, isLoopback: Bool) {
    #expect(LiveURL(url)?.isLoopback == isLoopback)
  }
}

@Suite struct UpstreamChoices {
  private func decide(
    _ url: String, _ upstreams: [(String?, String)], recorded: String? = nil
  ) throws -> UpstreamChoice.Decision {
    let choice = UpstreamChoice(
      try upstreams.map { (name: $0.0, url: try BaseURL(parsing: $0.1)) })
    let live = try #require(LiveURL(url))
    return choice.decide(live) { name, _ in name == recorded }
  }

  private func take(_ name: String?, _ target: String) -> UpstreamChoice.Decision {
    .take(upstream: name, target: Array(target.utf8))
  }

  @Test func `the origin chooses, then the longest base path`() throws {
    let upstreams = [("api", "https://a.example"), ("v1", "https://a.example/v1")]
    #expect(try decide("https://A.example/users", upstreams) == take("api", "/users"))
    #expect(try decide("https://a.example/v1/users?q", upstreams) == take("v1", "/users?q"))
    #expect(try decide("https://a.example/v1", upstreams) == take("v1", "/"))
    #expect(try decide("https://a.example/v10", upstreams) == take("api", "/v10"))
  }

  @Test func `a cassette of nobody in particular takes everything`() throws {
    #expect(try decide("https://anybody.example/a", []) == take(nil, "/a"))
  }

  @Test func `this machine stands for an upstream, for one that has it if there are several`()
    throws
  {
    let one: [(String?, String)] = [(nil, "https://a.example/v1")]
    #expect(try decide("http://127.0.0.1:8377/users", one) == take(nil, "/users"))
    let two = [("api", "https://a.example"), ("img", "https://b.example")]
    #expect(try decide("http://localhost/x", two, recorded: "img") == take("img", "/x"))
    #expect(try decide("http://localhost/x", two) == take("api", "/x"))
  }

  @Test(arguments: ["http://a.example/x", "https://a.example:8443/x", "https://b.example/x"])
  func `another origin is nobody here`(url: String) throws {
    guard case .foreign(let detail) = try decide(url, [(nil, "https://a.example")]) else {
      Issue.record("it was taken")
      return
    }
    #expect(detail.contains("https://a.example"))
  }
}
