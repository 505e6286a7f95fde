import FixtureCassette
import FixtureHTTP
import FixtureHTTP1

/// Turns the parts of one response into the bytes of an HTTP/1.1 connection.
///
/// The recorder and the replayer both send through it, so that what a client gets from one is, byte
/// for byte, what it gets from the other: fields as the origin server sent them, without those of
/// its connection, the framing as recorded where the client's version allows it.
package struct ResponseEncoder: Equatable, Sendable {
  /// How the content is framed on this connection.
  private enum Framing: Equatable {
    case none, length, chunked, untilClose
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

  /// Whether closing the connection is what ends the body.
  package var endsWithClose: Bool { framing == .untilClose }

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
    switch recorded {
    case .none:
      framing = .none
      // RFC 9110 §8.6, RFC 9112 §6.1: no framing field in a 204; a 304 and the answer to HEAD
      // say what the content would have been.
      if head.status == 204 { head.fields = withoutFraming(head.fields) }
    case .length:
      framing = .length
      head.fields = oneFraming(head.fields, dropping: .transferEncoding)
    case .chunked where client.version >= .http11:
      framing = .chunked
      head.fields = oneFraming(head.fields, dropping: .contentLength)
      if !head.fields.contains(.transferEncoding) {
        head.fields.append("Transfer-Encoding", "chunked")
      }
    case .chunked:
      // RFC 9112 §6.1: no transfer coding towards HTTP/1.0; the close ends the body.
      framing = .untilClose
      head.fields = withoutFraming(head.fields)
    case .untilClose:
      framing = .untilClose
      head.fields = oneFraming(head.fields, dropping: .contentLength)
    }
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
  package func beforeContent(count: Int64, to bytes: inout [UInt8]) {
    precondition(count > 0, "a piece of \(count) bytes")
    if framing == .chunked { MessageEncoder.chunkHeader(size: Int(count), to: &bytes) }
  }

  /// What stands after a piece of content.
  package func afterContent(to bytes: inout [UInt8]) {
    if framing == .chunked { MessageEncoder.chunkEnd(to: &bytes) }
  }

  /// What ends a complete body; trailers exist only in the chunked coding.
  package func end(trailers: FieldSection, to bytes: inout [UInt8]) {
    if framing == .chunked, carriesContent {
      MessageEncoder.lastChunk(trailers: trailers, to: &bytes)
    }
  }

  /// Whether content may be sent after the head.
  package var carriesContent: Bool { framing != .none && !client.isHead }

  private func withoutFraming(_ fields: FieldSection) -> FieldSection {
    guard fields.contains(.contentLength) || fields.contains(.transferEncoding) else {
      return fields
    }
    return fields.mapValues { name, value in ForwardedFields.isFraming(name) ? nil : value }
  }

  /// Keeps one framing field: RFC 9112 §6.3 lets a message carry both, a sender must not; a
  /// repeated equal length is sent once.
  private func oneFraming(_ fields: FieldSection, dropping dropped: FieldName) -> FieldSection {
    let lengths = fields.all(.contentLength)
    let isRepeated = lengths.count > 1 || lengths.contains { $0.contains(0x2C) }
    guard fields.contains(dropped) || isRepeated else { return fields }
    var lengthSeen = false
    return fields.mapValues { name, value in
      let isDropped = name.withUnsafeBytes(dropped.matches)
      if isDropped { return nil }
      guard name.withUnsafeBytes(FieldName.contentLength.matches) else { return value }
      defer { lengthSeen = true }
      return lengthSeen ? nil : value.commaSeparatedMembers.first
    }
  }
}
