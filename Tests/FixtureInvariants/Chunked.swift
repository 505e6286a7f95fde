import FixtureHTTP
import FixtureHTTP1

// RULE of `chunked`: a body that a request may have is read the same in a response, which may only
// be more tolerant; a request's content is what a decoder written down from RFC 9112 §7.1 alone
// finds, and where that one sees an error, the request is refused.

func checkChunked(_ body: [UInt8]) throws(Violation) {
  let start = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
  let request = try Listener.listen(
    RequestParser(), to: start.utf8 + body, cuts: [start.utf8.count], messageCount: 1)
  let answerStart = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  let response = try Listener.listen(
    AnswerParser(answering: .get), to: answerStart.utf8 + body, cuts: [answerStart.utf8.count],
    messageCount: 1)
  if request.hasEnded {
    try require(
      request.heard.dropFirst() == response.heard.dropFirst()
        && request.unconsumed == response.unconsumed,
      "request: \(request.heard)\nresponse: \(response.heard)")
  }

  let reference = PlainChunkedDecoder.decode(body)
  try require(request.content == reference.content, "content is \(reference.content)")
  let isRefused = request.error.map { !$0.isTruncation } ?? false
  switch reference.outcome {
  case .last: break
  case .incomplete: try require(!request.hasEnded && !isRefused, "incomplete: \(request.heard)")
  case .malformed: try require(isRefused, "malformed: \(request.heard)")
  }
}

/// RFC 9112 §7.1 without trailers, as simply as it can be written.
private struct PlainChunkedDecoder {
  enum Outcome {
    case last, incomplete, malformed
  }

  static func decode(_ body: [UInt8]) -> (content: [UInt8], outcome: Outcome) {
    var content: [UInt8] = []
    var rest = body[...]
    while true {
      // A request's lines end in CRLF; extensions hold neither CR nor LF nor NUL.
      guard let lineFeed = rest.firstIndex(of: 0x0A) else {
        return (content, rest.count < lineBytesMax ? .incomplete : .malformed)
      }
      let line = rest[..<lineFeed]
      guard line.last == 0x0D, let size = size(line.dropLast()) else {
        return (content, .malformed)
      }
      if size == 0 { return (content, .last) }
      rest = rest[(lineFeed + 1)...]
      content += rest.prefix(size)
      guard rest.count > size else { return (content, .incomplete) }
      rest = rest.dropFirst(size)
      guard "\r\n".utf8.starts(with: rest.prefix(2)) else { return (content, .malformed) }
      guard rest.count >= 2 else { return (content, .incomplete) }
      rest = rest.dropFirst(2)
    }
  }

  private static let lineBytesMax = Limits().chunkLineBytesMax

  private static func size(_ line: ArraySlice<UInt8>) -> Int? {
    guard line.count + 2 <= lineBytesMax else { return nil }
    let digits = line.prefix { Character(Unicode.Scalar($0)).isHexDigit }
    let extensions = line.dropFirst(digits.count)
    let isExtension = extensions.drop { $0 == 0x20 || $0 == 0x09 }.first == 0x3B
    guard extensions.isEmpty || isExtension, !extensions.contains(0x0D), !extensions.contains(0)
    else { return nil }
    return Int(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}

extension ProtocolError {
  fileprivate var isTruncation: Bool {
    if case .requestTruncated = self { true } else { false }
  }
}
