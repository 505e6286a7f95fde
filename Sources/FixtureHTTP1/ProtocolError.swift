import FixtureHTTP

/// Which side's message it is; requests are read strictly, responses as tolerantly as is safe.
package enum MessageKind: Equatable, Sendable {
  case request, response
}

/// Where in a message a fact was found.
package struct Location: Equatable, Sendable {
  package enum Section: Equatable, Sendable {
    case head, trailers
  }

  package let kind: MessageKind
  package let section: Section
  /// Counted from 1 in its section; the start line is line 1 of a head.
  package let line: Int
}

/// What a peer did that RFC 9110 or RFC 9112 does not allow, or that is beyond a limit.
///
/// The connection can't be used for another message after any of them: where the next message would
/// begin is not known. Mistakes of the caller are preconditions, never one of these.
package enum ProtocolError: Error, Equatable, Sendable {
  // The start line.
  /// The first byte can't begin a message; 0x16 begins a TLS handshake.
  case notHTTP(firstByte: UInt8, in: MessageKind)
  case emptyLinesTooMany(limit: Int, in: MessageKind)
  case requestLineMalformed
  case methodInvalid(byte: UInt8)
  case methodTooLong(limit: Int)
  case targetEmpty
  case targetInvalid(byte: UInt8)
  case targetTooLong(limit: Int)
  case statusLineMalformed
  case versionMalformed(in: MessageKind)
  case versionUnsupported(HTTPVersion, in: MessageKind)

  // Header and trailer sections.
  case requestHeadTooLarge(limit: Int)
  case responseHeadTooLarge(limit: Int)
  case trailersTooLarge(limit: Int, in: MessageKind)
  case fieldLinesTooMany(limit: Int, in: MessageKind)
  /// A line ends in LF without CR (RFC 9112 §2.2), in a request.
  case lineFeedBare(Location)
  /// CR that ends no line, or NUL (RFC 9110 §5.5).
  case byteForbidden(UInt8, Location)
  case colonMissing(Location)
  case fieldNameEmpty(Location)
  case fieldNameInvalid(byte: UInt8, Location)
  /// Whitespace between name and colon, in a request (RFC 9112 §5.1).
  case spaceBeforeColon(Location)
  /// A line starts with whitespace: `obs-fold` in a request (RFC 9112 §5.2), or the first field
  /// line of any message (RFC 9112 §2.2).
  case lineFolded(Location)

  // Meaning of the fields that frame or route.
  case hostMissing
  case hostRepeated
  case hostInvalid(byte: UInt8)
  case contentLengthInvalid(in: MessageKind)
  case contentLengthsDiffer(Int64, Int64, in: MessageKind)
  /// Content-Length beside Transfer-Encoding in a request (RFC 9112 §6.1, §11.2).
  case bothFramings
  case transferEncodingInHTTP10
  /// Chunked is not the last coding of a request, or is there twice (RFC 9112 §6.1, §6.3).
  case transferEncodingInvalid(in: MessageKind)
  /// A request has a coding below chunked, which is not implemented (RFC 9112 §6.1).
  case transferCodingUnsupported

  // The body.
  case chunkSizeInvalid(in: MessageKind)
  case chunkLineTooLong(limit: Int, in: MessageKind)
  /// More bytes, or others, than the chunk's size promised.
  case chunkEndMissing(in: MessageKind)

  // What comes instead of a message.
  case upgradeUnsupported
  case tunnelUnsupported
  case interimResponsesTooMany(limit: Int)
  case interimResponsesTooLarge(limit: Int)
  /// The client closed inside a request; content received so far and the length it promised.
  case requestTruncated(received: Int64, expected: Int64?)
  /// The origin server closed without a byte of a response: a stale pooled connection looks so.
  case closedBeforeHead
  case closedInHead
  /// Content received, and how much was promised; nil with chunked.
  case closedInBody(received: Int64, expected: Int64?)
}

extension ProtocolError {
  /// The status to answer with: to the client whose request was wrong, or 502 to the client that
  /// waits for the response that was (RFC 9110 §15.5, §15.6).
  package var statusHint: Int {
    if kind == .response { return 502 }
    switch self {
    case .targetTooLong: return 414
    case .requestHeadTooLarge, .trailersTooLarge, .fieldLinesTooMany: return 431
    case .methodTooLong, .transferCodingUnsupported: return 501
    case .versionUnsupported: return 505
    case .notHTTP, .emptyLinesTooMany, .requestLineMalformed, .methodInvalid, .targetEmpty,
      .targetInvalid, .statusLineMalformed, .versionMalformed, .responseHeadTooLarge,
      .lineFeedBare, .byteForbidden, .colonMissing, .fieldNameEmpty, .fieldNameInvalid,
      .spaceBeforeColon, .lineFolded, .hostMissing, .hostRepeated, .hostInvalid,
      .contentLengthInvalid, .contentLengthsDiffer, .bothFramings, .transferEncodingInHTTP10,
      .transferEncodingInvalid, .chunkSizeInvalid, .chunkLineTooLong, .chunkEndMissing,
      .upgradeUnsupported, .tunnelUnsupported, .interimResponsesTooMany,
      .interimResponsesTooLarge, .requestTruncated, .closedBeforeHead, .closedInHead, .closedInBody:
      return 400
    }
  }

  /// Whose message was wrong.
  package var kind: MessageKind {
    switch self {
    case .notHTTP(_, let kind), .emptyLinesTooMany(_, let kind), .versionMalformed(let kind),
      .versionUnsupported(_, let kind), .trailersTooLarge(_, let kind),
      .fieldLinesTooMany(_, let kind), .contentLengthInvalid(let kind),
      .contentLengthsDiffer(_, _, let kind), .transferEncodingInvalid(let kind),
      .chunkSizeInvalid(let kind), .chunkLineTooLong(_, let kind), .chunkEndMissing(let kind):
      kind
    case .lineFeedBare(let location), .byteForbidden(_, let location),
      .colonMissing(let location), .fieldNameEmpty(let location),
      .fieldNameInvalid(_, let location), .spaceBeforeColon(let location),
      .lineFolded(let location):
      location.kind
    case .requestLineMalformed, .methodInvalid, .methodTooLong, .targetEmpty, .targetInvalid,
      .targetTooLong, .requestHeadTooLarge, .hostMissing, .hostRepeated, .hostInvalid,
      .bothFramings, .transferEncodingInHTTP10, .transferCodingUnsupported, .requestTruncated:
      .request
    case .statusLineMalformed, .responseHeadTooLarge, .upgradeUnsupported, .tunnelUnsupported,
      .interimResponsesTooMany, .interimResponsesTooLarge, .closedBeforeHead, .closedInHead,
      .closedInBody:
      .response
    }
  }
}
