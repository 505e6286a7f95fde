import FixtureCassette
import FixtureHTTP

/// How the content of an answer is framed on its connection (RFC 9112 §6).
package enum AnswerFraming: Equatable, Sendable {
  case none
  /// What is left of the declared length; below 0 when more was sent.
  case length(left: Int64)
  case chunked
  case untilClose

  /// Takes the fields of the recorded connection from a head, and leaves, of the framing fields,
  /// what agrees with how the content will be sent. They come from a peer or a file: a client must
  /// never read another end of the body than the one that is there.
  /// - Parameters:
  ///   - isHead: whether a HEAD is answered.
  ///   - version: the client's.
  package init(
    of head: inout ResponseHead, recorded: RecordedFraming, isHead: Bool, version: HTTPVersion
  ) {
    head.fields = ForwardedFields.endToEnd(head.fields)
    if isHead || head.status == 204 || head.status == 304 {
      head.fields = Self.describingAbsentContent(head, version)
      self = .none
    } else {
      self = Self.frame(&head, recorded, version)
    }
  }

  private static func frame(
    _ head: inout ResponseHead, _ recorded: RecordedFraming, _ version: HTTPVersion
  ) -> AnswerFraming {
    switch recorded {
    case .none:
      head.fields = withoutFraming(head.fields)
      head.fields.append("Content-Length", "0")
      return .none
    case .length:
      guard let length = head.fields.declaredLength else {
        head.fields = withoutFraming(head.fields)
        return .untilClose
      }
      // RFC 9112 §6.2: no Content-Length beside a Transfer-Encoding.
      head.fields = ForwardedFields.withOneLength(head.fields.removing(.transferEncoding))
      return .length(left: length)
    case .chunked where version >= .http11:
      head.fields = endingWithChunked(head.fields.removing(.contentLength))
      return .chunked
    case .chunked:
      // RFC 9112 §6.1: no transfer coding towards HTTP/1.0; the close ends the body.
      head.fields = withoutFraming(head.fields).removing(.trailer)
      return .untilClose
    case .untilClose:
      head.fields = withoutChunked(head.fields.removing(.contentLength), version)
      return .untilClose
    }
  }

  /// RFC 9110 §8.6, RFC 9112 §6.1: no framing field in a 204; a 304 and the answer to HEAD say what
  /// the content would have been.
  private static func describingAbsentContent(
    _ head: ResponseHead, _ version: HTTPVersion
  ) -> FieldSection {
    if head.status == 204 { return withoutFraming(head.fields) }
    if version >= .http11, head.fields.contains(.transferEncoding) {
      return head.fields.removing(.contentLength)
    }
    guard head.fields.declaredLength != nil else { return withoutFraming(head.fields) }
    return ForwardedFields.withOneLength(head.fields.removing(.transferEncoding))
  }

  /// RFC 9112 §6.1: chunked is applied once, and last.
  private static func endingWithChunked(_ fields: FieldSection) -> FieldSection {
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
  private static func withoutChunked(
    _ fields: FieldSection, _ version: HTTPVersion
  ) -> FieldSection {
    let codings = fields.list(.transferEncoding)
    let endsWithChunked = codings.last { !$0.isIdentity }?.isChunked == true
    guard endsWithChunked || version < .http11 else { return fields }
    return fields.removing(.transferEncoding)
  }

  /// The section without its framing fields.
  package static func withoutFraming(_ fields: FieldSection) -> FieldSection {
    fields.removing(.contentLength, .transferEncoding)
  }
}

extension ArraySlice<UInt8> {
  fileprivate var isChunked: Bool { equalsIgnoringCase("chunked".utf8) }

  /// A coding until RFC 7230, which some readers still skip and others count.
  fileprivate var isIdentity: Bool { equalsIgnoringCase("identity".utf8) }
}
