import FixtureHTTP

extension ProtocolError: CustomStringConvertible {
  /// One line: what was wrong, where, and what was expected. Never quotes a value, which could be
  /// a secret.
  package var description: String {
    switch self {
    case .notHTTP(0x16, _): "the peer speaks TLS, expected HTTP without TLS"
    case .notHTTP(let byte, .request): "the first byte is \(byte.hex), expected a method"
    case .notHTTP(let byte, .response): "the first byte is \(byte.hex), expected HTTP/1.1"
    case .emptyLinesTooMany(let limit, let kind):
      "more than \(limit) empty lines before the \(kind)"
    case .requestLineMalformed: "the request line is not METHOD TARGET HTTP/1.1"
    case .methodInvalid(let byte): "the method has the byte \(byte.hex), expected a token"
    case .methodTooLong(let limit): "the method is longer than \(limit) bytes"
    case .targetEmpty: "the request target is empty (two spaces after the method?)"
    case .targetInvalid(let byte):
      "the request target has the byte \(byte.hex), which must be percent-encoded"
    case .targetTooLong(let limit): "the request target is longer than \(limit) bytes"
    case .statusLineMalformed: "the status line is not HTTP/1.1 NNN REASON"
    case .versionMalformed(let kind): "the \(kind)'s version is not HTTP/DIGIT.DIGIT"
    case .versionUnsupported(let version, let kind):
      "the \(kind)'s version is \(version.description), expected HTTP/1.1"
    case .requestHeadTooLarge(let limit): "the request head is larger than \(limit) bytes"
    case .responseHeadTooLarge(let limit): "the response head is larger than \(limit) bytes"
    case .trailersTooLarge(let limit, let kind):
      "the \(kind)'s trailer section is larger than \(limit) bytes"
    case .fieldLinesTooMany(let limit, let kind): "the \(kind) has more than \(limit) field lines"
    case .lineFeedBare(let location): "\(location) ends in LF without CR"
    case .byteForbidden(let byte, let location): "\(location) has the byte \(byte.hex)"
    case .colonMissing(let location): "\(location) has no colon"
    case .fieldNameEmpty(let location): "\(location) has no field name"
    case .fieldNameInvalid(let byte, let location):
      "\(location) has the byte \(byte.hex) in its field name, expected a token"
    case .spaceBeforeColon(let location): "\(location) has whitespace before the colon"
    case .lineFolded(let location): "\(location) starts with whitespace"
    case .hostMissing, .hostRepeated, .hostInvalid, .contentLengthInvalid, .contentLengthsDiffer,
      .bothFramings, .transferEncodingInHTTP10, .transferEncodingInvalid,
      .transferCodingUnsupported, .chunkSizeInvalid, .chunkLineTooLong, .chunkEndMissing,
      .upgradeUnsupported, .tunnelUnsupported, .interimResponsesTooMany,
      .interimResponsesTooLarge, .requestTruncated,
      .closedBeforeHead, .closedInHead, .closedInBody:
      messageDescription
    }
  }

  private var messageDescription: String {
    switch self {
    case .hostMissing: "an HTTP/1.1 request without Host"
    case .hostRepeated: "a request with more than one Host"
    case .hostInvalid(let byte): "Host has the byte \(byte.hex), expected HOST or HOST:PORT"
    case .contentLengthInvalid(let kind): "the \(kind)'s Content-Length is not a number"
    case .contentLengthsDiffer(let first, let other, let kind):
      "the \(kind) has two Content-Length values, \(first) and \(other)"
    case .bothFramings: "a request with both Content-Length and Transfer-Encoding"
    case .transferEncodingInHTTP10: "an HTTP/1.0 request with Transfer-Encoding"
    case .transferEncodingInvalid(let kind):
      "the \(kind)'s Transfer-Encoding doesn't have chunked once, as the last coding"
    case .transferCodingUnsupported: "the request's Transfer-Encoding is not chunked alone"
    case .chunkSizeInvalid(let kind): "the \(kind) has a chunk without a hexadecimal size"
    case .chunkLineTooLong(let limit, let kind):
      "the \(kind) has a chunk-size line of more than \(limit) bytes"
    case .chunkEndMissing(let kind): "the \(kind) has a chunk that is longer than its size says"
    case .upgradeUnsupported: "the origin server switched protocols, which can't be recorded"
    case .tunnelUnsupported: "the origin server opened a tunnel, which can't be recorded"
    case .interimResponsesTooMany(let limit):
      "more than \(limit) interim responses before the final one"
    case .interimResponsesTooLarge(let limit):
      "interim responses of more than \(limit) bytes before the final one"
    case .requestTruncated(let received, let expected):
      "the client closed inside the request, \(progress(received, expected))"
    case .closedBeforeHead: "the origin server closed the connection without a response"
    case .closedInHead: "the origin server closed the connection inside the response head"
    case .closedInBody(let received, let expected):
      "the origin server closed the connection inside the body, \(progress(received, expected))"
    case .notHTTP, .emptyLinesTooMany, .requestLineMalformed, .methodInvalid, .methodTooLong,
      .targetEmpty, .targetInvalid, .targetTooLong, .statusLineMalformed, .versionMalformed,
      .versionUnsupported, .requestHeadTooLarge, .responseHeadTooLarge, .trailersTooLarge,
      .fieldLinesTooMany, .lineFeedBare, .byteForbidden, .colonMissing, .fieldNameEmpty,
      .fieldNameInvalid, .spaceBeforeColon, .lineFolded:
      description
    }
  }
}

extension Location: CustomStringConvertible {
  package var description: String {
    switch section {
    case .head: "line \(line) of the \(kind) head"
    case .trailers: "line \(line) of the \(kind)'s trailer section"
    }
  }
}

private func progress(_ received: Int64, _ expected: Int64?) -> String {
  guard let expected else { return "\(received) bytes of content received" }
  return "\(received) of \(expected) bytes of content received"
}

extension UInt8 {
  fileprivate var hex: String { "0x" + (self < 16 ? "0" : "") + String(self, radix: 16) }
}
