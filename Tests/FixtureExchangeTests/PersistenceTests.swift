import FixtureExchange
import FixtureHTTP
import Testing

/// RFC 9112 §9.3. What a request asks for is in the tests of `ClientFacts`.
@Suite struct `Whether an upstream's connection is kept` {
  @Test(arguments: [
    (HTTPVersion.http11, [], true), (.http11, ["Connection: close"], false),
    (.http11, ["Connection: keep-alive, Close"], false), (.http10, [], false),
    (.http10, ["Connection: keep-alive"], true),
    (.http10, ["Connection: keep-alive, close"], false),
    (.http11, ["Connection: x"], true), (.http10, ["Connection: x"], false),
  ])
  func `version and options say so`(version: HTTPVersion, fields: [String], isKept: Bool) throws {
    let head = ResponseHead(
      version: version, status: 200, reason: [], fields: try section(fields))
    #expect(
      Persistence.isKept(after: head, framing: .length(0), bothFramings: false) == isKept)
  }

  @Test func `not after a body that ends with the connection, nor after both framings`() {
    let head = ResponseHead(status: 200, reason: [])
    for framing in [BodyFraming.none, .length(5), .chunked] {
      #expect(Persistence.isKept(after: head, framing: framing, bothFramings: false))
      #expect(!Persistence.isKept(after: head, framing: framing, bothFramings: true))
    }
    #expect(!Persistence.isKept(after: head, framing: .untilClose, bothFramings: false))
  }
}
