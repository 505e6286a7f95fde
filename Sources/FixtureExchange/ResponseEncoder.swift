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
  /// How the content is framed on this connection.
  private enum Framing: Equatable {
    case none
    /// What is left of the declared length; below 0 when more was sent.
    case length(left: Int64)
    case chunked
    case untilClose
  }

  private let client: ClientFacts
  private let recorded: RecordedFraming
  private var framing: Framing = .none
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
    head.fields = withoutFraming(ForwardedFields.endToEnd(head.fields))
    MessageEncoder.responseHead(head, to: &bytes)
  }

  /// The head of the final response, with the framing that follows.
  package mutating func head(_ head: ResponseHead, to bytes: inout [UInt8]) {
    var head = head
    head.fields = ForwardedFields.endToEnd(head.fields)
    framing = frame(&head)
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

extension ResponseEncoder {
  /// Leaves, of the framing fields, what agrees with how the content will be sent. They come from a
  /// peer or a file: a client must never read another end of the body than the one that is there.
  private func frame(_ head: inout ResponseHead) -> Framing {
    if client.isHead || head.status == 204 || head.status == 304 {
      head.fields = describingAbsentContent(head)
      return .none
    }
    switch recorded {
    case .none:
      head.fields = withoutFraming(head.fields)
      head.fields.append("Content-Length", "0")
      return .none
    case .length:
      guard let length = declaredLength(in: head.fields) else {
        head.fields = withoutFraming(head.fields)
        return .untilClose
      }
      // RFC 9112 §6.2: no Content-Length beside a Transfer-Encoding.
      head.fields = ForwardedFields.withOneLength(head.fields.removing(.transferEncoding))
      return .length(left: length)
    case .chunked where client.version >= .http11:
      head.fields = endingWithChunked(head.fields.removing(.contentLength))
      return .chunked
    case .chunked:
      // RFC 9112 §6.1: no transfer coding towards HTTP/1.0; the close ends the body.
      head.fields = withoutFraming(head.fields).removing(.trailer)
      return .untilClose
    case .untilClose:
      head.fields = withoutChunked(head.fields.removing(.contentLength))
      return .untilClose
    }
  }

  /// RFC 9110 §8.6, RFC 9112 §6.1: no framing field in a 204; a 304 and the answer to HEAD say what
  /// the content would have been.
  private func describingAbsentContent(_ head: ResponseHead) -> FieldSection {
    if head.status == 204 { return withoutFraming(head.fields) }
    if client.version >= .http11, head.fields.contains(.transferEncoding) {
      return head.fields.removing(.contentLength)
    }
    guard declaredLength(in: head.fields) != nil else { return withoutFraming(head.fields) }
    return ForwardedFields.withOneLength(head.fields.removing(.transferEncoding))
  }

  /// RFC 9112 §6.1: chunked is applied once, and last.
  private func endingWithChunked(_ fields: FieldSection) -> FieldSection {
    let codings = fields.list(.transferEncoding)
    let others = codings.filter { !$0.isChunked && !$0.isIdentity }
    if codings.last?.isChunked == true, codings.count == others.count + 1 { return fields }
    var fields = fields.removing(.transferEncoding)
    let chunked = Array("chunked".utf8)[...]
    fields.append("Transfer-Encoding", Array((others + [chunked]).joined(separator: ", ".utf8)))
    return fields
  }

  /// For a body that ends with the connection: no chunked as the last coding, and none at all
  /// towards HTTP/1.0 (RFC 9112 §6.1).
  private func withoutChunked(_ fields: FieldSection) -> FieldSection {
    let codings = fields.list(.transferEncoding)
    let endsWithChunked = codings.last { !$0.isIdentity }?.isChunked == true
    guard endsWithChunked || client.version < .http11 else { return fields }
    return fields.removing(.transferEncoding)
  }

  private func withoutFraming(_ fields: FieldSection) -> FieldSection {
    fields.removing(.contentLength, .transferEncoding)
  }
}

extension ArraySlice<UInt8> {
  fileprivate var isChunked: Bool { equalsIgnoringCase("chunked".utf8) }

  /// A coding until RFC 7230, which some readers still skip and others count.
  fileprivate var isIdentity: Bool { equalsIgnoringCase("identity".utf8) }
}
