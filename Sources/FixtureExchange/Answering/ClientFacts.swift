import FixtureHTTP

/// What a response must respect of the request it answers.
package struct ClientFacts: Equatable, Sendable {
  package let isHead: Bool
  package let version: HTTPVersion
  /// The client wants to keep the connection (RFC 9112 §9.3).
  package let keepsAlive: Bool
  /// The client waits for a 100 before it sends its content (RFC 9110 §10.1.1).
  package let expectsContinue: Bool

  package init(_ head: RequestHead) {
    isHead = head.method == .head
    version = head.version
    keepsAlive = Persistence.isWanted(head.version, head.fields)
    // RFC 9110 §10.1.1: "A server that receives a 100-continue expectation in an HTTP/1.0
    // request MUST ignore that expectation."
    expectsContinue =
      version >= .http11 && head.fields.contains(.expect)
      && head.fields.list(.expect, holds: "100-continue")
  }
}
