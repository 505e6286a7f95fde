import FixtureExchange
import FixtureHTTP
import Testing

@Suite struct `Which requests are taken` {
  private func decide(
    _ method: Method, _ target: String, upstream: String = "http://api.test", _ fields: String...
  ) throws -> TargetPolicy.Decision {
    let request = RequestHead(
      method: method, target: Array(target.utf8), fields: try section(fields))
    return TargetPolicy.decide(request, upstream: try BaseURL(parsing: upstream), port: 8377)
  }

  private func take(_ target: String) -> TargetPolicy.Decision {
    .take(target: Array(target.utf8))
  }

  private func status(_ decision: TargetPolicy.Decision) -> Int? {
    if case .refuse(let status, _) = decision { status } else { nil }
  }

  @Test(arguments: ["/", "/a%2Fb//../c?x=%20&x", "//a", "/é", "/?", "/http://x"])
  func `a path goes on byte for byte`(target: String) throws {
    #expect(try decide(.get, target) == take(target))
  }

  @Test func `the server as a whole is a target`() throws {
    #expect(try decide(.options, "*") == take("*"))
  }

  /// RFC 9112 §3.2.2, §3.2.1, §3.2.4.
  @Test(arguments: [
    (Method.get, "http://api.test/a?b", "/a?b"), (.get, "http://api.test:80/a", "/a"),
    (.get, "HTTP://API.test/A", "/A"), (.get, "http://api.test", "/"),
    (.get, "http://api.test?q", "/?q"), (.options, "http://api.test", "*"),
    (.options, "http://api.test/", "/"), (.options, "http://api.test?q", "/?q"),
    (.get, "http://localhost:8377/a", "/a"), (.get, "http://any.name:8377/a", "/a"),
  ])
  func `a URL of the upstream or at our port stands for its path`(
    method: Method, target: String, path: String
  ) throws {
    #expect(try decide(method, target) == take(path))
  }

  @Test(arguments: [
    "http://other.test/", "http://api.test:8080/", "https://api.test/", "http://api.test.evil/",
    "http://api.test@other.test/", "http://user@api.test/", "ftp://api.test/", "http://api.test:x/",
    "http://:8377/", "https://localhost:8377/", "http:///a",
  ])
  func `a URL of another server is misdirected`(target: String) throws {
    #expect(status(try decide(.get, target)) == 421)
  }

  @Test func `a refusal names what to add, and no password`() throws {
    #expect(
      try decide(.get, "http://other.test/a?token=x")
        == .refuse(
          status: 421,
          detail: "http://other.test is not recorded here, only http://api.test: "
            + "record it with --upstream NAME=URL"))
    #expect(!"\(try decide(.get, "http://me:word@other.test/"))".contains("word"))
  }

  @Test(arguments: [
    ("http://api.test/v1/items", "/items"), ("http://api.test/v1", "/"),
    ("http://api.test/v1?q", "/?q"), ("http://localhost:8377/items", "/items"),
  ])
  func `a URL below the upstream's base path stands for the rest`(target: String, path: String)
    throws
  {
    #expect(try decide(.get, target, upstream: "http://api.test/v1") == take(path))
  }

  @Test(arguments: ["http://api.test/v10/items", "http://api.test/", "http://api.test/other"])
  func `a URL of the upstream beside its base path is misdirected`(target: String) throws {
    #expect(status(try decide(.get, target, upstream: "http://api.test/v1")) == 421)
  }

  @Test(arguments: ["api.test:80", "a", "", "?q", "*x"])
  func `a target that is neither is a bad request`(target: String) throws {
    #expect(status(try decide(.get, target)) == 400)
  }

  @Test func `CONNECT is refused by name, whatever its target`() throws {
    for target in ["api.test:443", "/", "*"] {
      #expect(status(try decide(.connect, target)) == 501)
    }
  }

  @Test(arguments: ["websocket", "WebSocket, x", "HTTP/3"])
  func `a switch of protocols is refused by name`(upgrade: String) throws {
    let decision = try decide(
      .get, "/", upstream: "http://api.test", "Connection: Upgrade", "Upgrade: \(upgrade)")
    #expect(status(decision) == 501)
    #expect("\(decision)".contains(upgrade.split(separator: ",")[0].lowercased()))
  }

  /// RFC 9110 §7.8: a server may ignore it, and a client that offers these expects that.
  @Test(arguments: [
    ["Connection: Upgrade", "Upgrade: h2c"], ["Connection: upgrade", "Upgrade: TLS/1.2"],
    ["Upgrade: websocket"], ["Connection: upgrade"],
  ])
  func `an offer that can be ignored is`(fields: [String]) throws {
    let request = RequestHead(method: .get, target: [0x2F], fields: try section(fields))
    let decision = TargetPolicy.decide(
      request, upstream: try BaseURL(parsing: "http://api.test"), port: 8377)
    #expect(decision == take("/"))
  }
}
