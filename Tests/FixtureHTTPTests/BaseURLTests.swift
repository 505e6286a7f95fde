import Testing

@testable import FixtureHTTP

@Suite struct `Base URL` {
  @Test(
    arguments: [
      ("http://a.test", "http", "a.test", 80, "", "a.test", "http://a.test"),
      ("https://a.test/", "https", "a.test", 443, "", "a.test", "https://a.test"),
      ("HTTPS://A.Test:443/v1/", "https", "a.test", 443, "/v1", "a.test", "https://a.test/v1"),
      ("http://a.test:443", "http", "a.test", 443, "", "a.test:443", "http://a.test:443"),
      ("http://a.test:", "http", "a.test", 80, "", "a.test", "http://a.test"),
      ("http://a.test:080/", "http", "a.test", 80, "", "a.test", "http://a.test"),
      (
        "http://127.0.0.1:8080/A/b//", "http", "127.0.0.1", 8080, "/A/b", "127.0.0.1:8080",
        "http://127.0.0.1:8080/A/b"
      ),
      ("http://[::1]:8080/x", "http", "::1", 8080, "/x", "[::1]:8080", "http://[::1]:8080/x"),
      ("https://[FE80::1]", "https", "fe80::1", 443, "", "[fe80::1]", "https://[fe80::1]"),
      (
        "http://a_b-c.test.:65535", "http", "a_b-c.test.", 65535, "", "a_b-c.test.:65535",
        "http://a_b-c.test.:65535"
      ),
      (
        "http://a.test/%7Eu/@x;y=1", "http", "a.test", 80, "/%7Eu/@x;y=1", "a.test",
        "http://a.test/%7Eu/@x;y=1"
      ),
    ] as [(String, String, String, UInt16, String, String, String)])
  func `its parts are read and its canonical spelling parses to the same`(
    _ text: String, _ scheme: String, _ host: String, _ port: UInt16, _ basePath: String,
    _ authority: String, _ description: String
  ) throws {
    let url = try BaseURL(parsing: text)
    #expect(
      [url.scheme.rawValue, url.host, "\(url.port)", url.basePath, url.authority, url.description]
        == [scheme, host, "\(port)", basePath, authority, description])
    #expect(try BaseURL(parsing: url.description) == url)
  }

  @Test(
    arguments: [
      ("", .empty),
      ("a.test", .schemeMissing("a.test")),
      ("localhost:8080", .schemeMissing("localhost:8080")),
      ("//a.test", .schemeMissing("//a.test")),
      ("http:/a.test", .schemeMissing("http:/a.test")),
      (" http://a.test", .schemeMissing(" http://a.test")),
      ("user:pass@a.test", .userinfoPresent),
      ("ftp://a.test", .schemeUnsupported("ftp")),
      ("WSS://a.test", .schemeUnsupported("wss")),
      ("http://user:pass@a.test/", .userinfoPresent),
      ("http://@a.test/", .userinfoPresent),
      ("http://", .hostMissing),
      ("http:///x", .hostMissing),
      ("http://:80", .hostMissing),
      ("http://a b.test", .hostInvalid("a b.test")),
      ("http://b\u{FC}cher.test", .hostInvalid("b\u{FC}cher.test")),
      ("http://a%41.test", .hostInvalid("a%41.test")),
      ("http://::1:80", .hostInvalid("::1:80")),
      ("http://1::2", .hostInvalid("1::2")),
      ("http://[::1", .hostInvalid("[::1")),
      ("http://[a.test]", .hostInvalid("[a.test]")),
      ("http://[::1]x", .hostInvalid("[::1]x")),
      ("http://[fe80::1%25eth0]", .hostInvalid("[fe80::1%25eth0]")),
      ("http://a.test:0", .portInvalid("0")),
      ("http://a.test:65536", .portInvalid("65536")),
      ("http://a.test:-1", .portInvalid("-1")),
      ("http://a.test:+80", .portInvalid("+80")),
      ("http://a.test:http", .portInvalid("http")),
      ("http://[::1]:x", .portInvalid("x")),
      ("http://a.test/?x=1", .queryPresent),
      ("http://a.test?", .queryPresent),
      ("http://a.test/#x", .fragmentPresent),
      ("http://a.test#x?y", .fragmentPresent),
      ("http://a.test/a b", .pathInvalid("/a b")),
      ("http://a.test/\u{FC}", .pathInvalid("/\u{FC}")),
      ("http://a.test/\r\n", .pathInvalid("/\r\n")),
    ] as [(String, BaseURLError)])
  func `what is wrong has its own error`(_ text: String, _ error: BaseURLError) {
    #expect(throws: error) { try BaseURL(parsing: text) }
  }

  @Test(arguments: [
    ("", "/a?b", "/a?b"), ("", "", ""), ("/v1", "/v1/a?b", "/a?b"), ("/v1", "/v1", "/"),
    ("/v1", "/v1/", "/"), ("/v1", "/v1?q", "/?q"), ("/v1", "/v1#f", "/#f"),
    ("/v1", "/v10", nil), ("/v1", "/V1/a", nil), ("/v1", "/", nil), ("/v1", "", nil),
  ])
  func `a path leads below the base path or not`(base: String, path: String, below: String?)
    throws
  {
    let found = try BaseURL(parsing: "http://a.test\(base)").pathBelowBase(Array(path.utf8)[...])
    #expect(found.map { String(decoding: $0, as: UTF8.self) } == below)
  }

  @Test func `an origin is scheme, host and port`() throws {
    let url = try BaseURL(parsing: "http://A.test:80/v1")
    #expect(url.origin == "http://a.test")
    #expect(url.hasOrigin(of: try BaseURL(parsing: "http://a.test/v2")))
    for other in ["https://a.test:80", "http://a.test:8", "http://b.test"] {
      #expect(!url.hasOrigin(of: try BaseURL(parsing: other)))
    }
  }

  @Test func `an error never shows userinfo`() {
    for text in ["http://u:s3cret@a.test", "u:s3cret@a.test", "ftp://u:s3cret@a.test", "s3cret@x"] {
      do {
        _ = try BaseURL(parsing: text)
        Issue.record("\(text) was accepted")
      } catch {
        #expect(!error.description.contains("s3cret"))
      }
    }
  }
}
