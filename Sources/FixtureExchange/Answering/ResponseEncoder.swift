import FixtureCassette
import FixtureHTTP
import FixtureHTTP1
import FixtureReplay

/// Turns the parts of one response into the bytes of an HTTP/1.1 connection.
///
/// The recorder and the replayer both send through it, so that what a client gets from one is, byte
/// for byte, what it gets from the other: fields as the origin server sent them, without those of
/// its connection, the framing as recorded where the client's version allows it.
package struct ResponseEncoder: Equatable, Sendable {
  private let client: ClientFacts
  private let recorded: RecordedFraming
  private var framing: AnswerFraming = .none
  /// Whether the connection can carry another response after this one.
  package private(set) var keepsAlive: Bool

  package init(client: ClientFacts, recorded: RecordedFraming, keepsAlive: Bool) {
    self.client = client
    self.recorded = recorded
    self.keepsAlive = keepsAlive && client.keepsAlive
  }

  /// Whether each piece of content is a chunk of its own, to be sent when it is due.
  package var isStreamed: Bool { framing == .chunked || framing == .untilClose }

  /// An interim response; nothing for an HTTP/1.0 client (RFC 9110 §15.2).
  package func interim(_ head: ResponseHead, to bytes: inout [UInt8]) {
    guard client.version >= .http11 else { return }
    var head = head
    head.fields = AnswerFraming.withoutFraming(ForwardedFields.endToEnd(head.fields))
    MessageEncoder.responseHead(head, to: &bytes)
  }

  /// The head of the final response, with the framing that follows.
  package mutating func head(_ head: ResponseHead, to bytes: inout [UInt8]) {
    var head = head
    framing = AnswerFraming(
      of: &head, recorded: recorded, isHead: client.isHead, version: client.version)
    if framing == .untilClose { keepsAlive = false }
    if !keepsAlive {
      head.fields.append("Connection", "close")
    } else if client.version < .http11 {
      head.fields.append("Connection", "keep-alive")
    }
    MessageEncoder.responseHead(head, to: &bytes)
  }

  /// What stands before a piece of content of this size.
  /// - Precondition: `count` is positive; an empty chunk would end the body.
  package mutating func beforeContent(count: Int64, to bytes: inout [UInt8]) {
    precondition(count > 0, "a piece of \(count) bytes")
    switch framing {
    case .none, .untilClose: break
    case .length(let left): framing = .length(left: left - count)
    case .chunked: MessageEncoder.chunkHeader(size: Int(count), to: &bytes)
    }
  }

  /// What stands after a piece of content.
  package func afterContent(to bytes: inout [UInt8]) {
    if framing == .chunked { MessageEncoder.chunkEnd(to: &bytes) }
  }

  /// What ends a complete body; trailers exist only in the chunked coding. Content of another
  /// length than was declared, as a damaged cassette may have, ends with the connection: a client
  /// would take what is missing from the next response.
  package mutating func end(trailers: FieldSection, to bytes: inout [UInt8]) {
    switch framing {
    case .none, .untilClose, .length(left: 0): break
    case .length: keepsAlive = false
    case .chunked: MessageEncoder.lastChunk(trailers: trailers, to: &bytes)
    }
  }

  /// Whether content may be sent after the head.
  package var carriesContent: Bool { framing != .none }

  /// How the exchange ends for the client when it ended like this with the upstream.
  package func ending(_ outcome: Outcome) -> WireSink.Ending {
    switch Action.ending(outcome, endsWithClose: framing == .untilClose) {
    case .end: .complete(keepsAlive: keepsAlive)
    case .close: .close
    case .reset, .interim, .head, .headBeginning, .headRest, .malform, .content, .generated,
      .paced, .send, .wait, .raw, .trailers:
      .reset
    }
  }

  /// The bytes of a whole answer of ours, and how the exchange ends after it.
  /// - Parameter head: has the content's length.
  package static func answer(
    _ head: ResponseHead, _ content: [UInt8], to client: ClientFacts, keepsAlive: Bool
  ) -> (bytes: [UInt8], ending: WireSink.Ending) {
    var encoder = ResponseEncoder(client: client, recorded: .length, keepsAlive: keepsAlive)
    var bytes: [UInt8] = []
    encoder.head(head, to: &bytes)
    if encoder.carriesContent { bytes.append(contentsOf: content) }
    return (bytes, .complete(keepsAlive: encoder.keepsAlive))
  }

  /// What lets a client send its content that waits for leave to (RFC 9110 §10.1.1).
  package static let leaveToContinue = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
}
