import FixtureExchange
import FixtureHTTP
import Testing

@Suite struct `What a client asks of a response` {
  /// RFC 9112 §9.3.
  @Test(arguments: [
    (HTTPVersion.http11, [], true), (.http10, [], false),
    (.http11, ["Connection: close"], false), (.http11, ["Connection: Close"], false),
    (.http11, ["Connection: keep-alive"], true), (.http11, ["Connection: x"], true),
    (.http11, ["Connection: x, close"], false),
    (.http11, ["Connection: x", "Connection: close"], false),
    (.http11, ["Connection: closed"], true),
    (.http10, ["Connection: keep-alive"], true), (.http10, ["Connection: Keep-Alive"], true),
    (.http10, ["Connection: keep-alive, close"], false), (.http10, ["Connection: x"], false),
    (.http10, ["Keep-Alive: 5"], false),
    (HTTPVersion(major: 1, minor: 2), [], true),
  ])
  func `the connection is kept as its version and its options say`(
    version: HTTPVersion, fields: [String], keepsAlive: Bool
  ) throws {
    let head = RequestHead(
      method: .get, target: [0x2F], version: version, fields: try section(fields))
    #expect(ClientFacts(head).keepsAlive == keepsAlive)
  }

  /// RFC 9110 §10.1.1.
  @Test(arguments: [
    (HTTPVersion.http11, ["Expect: 100-continue"], true),
    (.http11, ["Expect: 100-Continue"], true), (.http11, ["Expect: x, 100-continue"], true),
    (.http11, [], false), (.http11, ["Expect: 200-ok"], false),
    (.http10, ["Expect: 100-continue"], false),
  ])
  func `leave to send content is awaited from HTTP 1.1 on`(
    version: HTTPVersion, fields: [String], expects: Bool
  ) throws {
    let head = RequestHead(
      method: .put, target: [0x2F], version: version, fields: try section(fields))
    #expect(ClientFacts(head).expectsContinue == expects)
  }

  @Test func `only HEAD is HEAD`() throws {
    #expect(ClientFacts(try request(.head, "/")).isHead)
    #expect(!ClientFacts(try request(.get, "/")).isHead)
    #expect(!ClientFacts(try request(Method(Array("head".utf8)), "/")).isHead)
  }
}
