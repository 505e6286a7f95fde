/// Why content could not be decoded to its end, or encoded.
package enum CodingError: Error, Equatable, Sendable {
  // What the message says or holds.

  /// Nothing here knows the coding.
  case codingUnknown(ContentCoding)
  /// The message names more codings than anyone applies; see `ContentDecoder.codingsMax`.
  case codingsTooMany(count: Int)
  /// The bytes are not what the coding makes; `reason` in the words of its library or ours.
  case corrupt(ContentCoding, reason: String)
  /// The content ended before the coding's data did. What was decoded until then is right.
  case truncated(ContentCoding)
  /// The content is larger than the caller allows. What was decoded until then is right.
  case outputLimitReached(bytesMax: Int)

  // This machine.

  /// A library's call failed for a reason that is not in the content, such as a lack of memory.
  case callFailed(call: String, code: Int)
}

extension CodingError: CustomStringConvertible {
  /// One line: what failed and with what. A name from the message is in it unescaped.
  package var description: String {
    switch self {
    case .codingUnknown(let coding): "the coding \(coding) is not known"
    case .codingsTooMany(let count):
      "\(count) codings were applied, at most \(ContentDecoder.codingsMax) can be undone"
    case .corrupt(let coding, let reason): "the \(coding) data are corrupt (\(reason))"
    case .truncated(let coding): "the \(coding) data end too early"
    case .outputLimitReached(let bytesMax): "there is more than \(bytesMax) bytes"
    case .callFailed(let call, let code): "\(call) failed with code \(code)"
    }
  }
}
