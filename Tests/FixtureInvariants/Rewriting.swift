import FixtureHTTP
import FixtureHTTP1

/// The bytes that `MessageEncoder` makes of what was heard, and what a parser must hear in them.
///
/// HTTP/1.1 is what is sent, so a request from before it gets the Host it needs (RFC 9112 §3.2).
package struct Rewriting {
  package private(set) var bytes: [UInt8] = []
  /// The same messages with the version that is sent.
  private(set) var expected: [Heard] = []
  private var framing = BodyFraming.none

  /// - Parameter heard: ends with a whole message or an error, which is left out with what came of
  ///   its message before.
  package init(_ heard: [Heard]) {
    let end = heard.lastIndex { if case .end = $0 { true } else { false } }
    for heard in heard.prefix(through: end ?? -1) { write(heard) }
  }

  private mutating func write(_ heard: Heard) {
    switch heard {
    case .request(var head, let framing):
      if !head.fields.contains(.host) { head.fields.append("Host", "a") }
      MessageEncoder.requestHead(head, to: &bytes)
      head.version = .http11
      expected.append(.request(head, framing))
      self.framing = framing
    case .interim(var head):
      MessageEncoder.responseHead(head, to: &bytes)
      head.version = .http11
      expected.append(.interim(head))
    case .response(var head, let framing, let bothFramings):
      MessageEncoder.responseHead(head, to: &bytes)
      head.version = .http11
      expected.append(.response(head, framing, bothFramings: bothFramings))
      self.framing = framing
    case .content(let content):
      write(content)
      expected.append(heard)
    case .end(let trailers):
      if framing == .chunked { MessageEncoder.lastChunk(trailers: trailers, to: &bytes) }
      expected.append(heard)
    case .error: fatalError("an error is not written")
    }
  }

  private mutating func write(_ content: [UInt8]) {
    if framing == .chunked { MessageEncoder.chunkHeader(size: content.count, to: &bytes) }
    bytes.append(contentsOf: content)
    if framing == .chunked { MessageEncoder.chunkEnd(to: &bytes) }
  }
}
