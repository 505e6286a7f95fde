import FixtureHTTP

/// How the body of a request is framed (RFC 9112 §6.3).
///
/// Also checks what decides where the request goes: one Host in HTTP/1.1 (RFC 9112 §3.2). Anything
/// that two readers could understand differently is refused (RFC 9112 §11.2).
/// - Throws: facts with a `statusHint` of 400, or 501 for a coding below chunked.
package func requestFraming(_ head: RequestHead) throws(ProtocolError) -> BodyFraming {
  let found = FramingFields(head.fields)
  guard found.hostCount <= 1 else { throw .hostRepeated }
  guard found.hostCount == 1 || head.version < .http11 else { throw .hostMissing }
  if let byte = found.hostInvalidByte { throw .hostInvalid(byte: byte) }

  if let coding = found.transferEncoding {
    // RFC 9112 §6.1: a server MUST NOT believe Transfer-Encoding in HTTP/1.0.
    guard head.version >= .http11 else { throw .transferEncodingInHTTP10 }
    guard found.contentLength == nil else { throw .bothFramings }
    guard found.transferEncodingCount == 1, head.fields.value(at: coding).isChunked else {
      throw unsupportedCodings(head.fields)
    }
    return .chunked
  }
  guard let first = found.contentLength else { return .none }
  return .length(try contentLength(in: head.fields, from: first, kind: .request))
}

/// How the body of a response is framed (RFC 9112 §6.3), given the method it answers.
///
/// - Returns: the framing, and whether the response had Content-Length beside a Transfer-Encoding;
///   then it is read by its Transfer-Encoding, and a Content-Length must not be passed on.
/// - Throws: `.tunnelUnsupported` for a successful CONNECT, `.upgradeUnsupported` for a 101, and
///   facts about Content-Length or Transfer-Encoding.
package func responseFraming(
  _ head: ResponseHead, answering method: Method
) throws(ProtocolError) -> (framing: BodyFraming, bothFramings: Bool) {
  if head.status == 101 { throw .upgradeUnsupported }
  if method == .head || head.isInterim || head.status == 204 || head.status == 304 {
    return (.none, false)
  }
  if method == .connect, head.status < 300 { throw .tunnelUnsupported }

  let found = FramingFields(head.fields)
  if let coding = found.transferEncoding {
    let isUsual = found.transferEncodingCount == 1 && head.fields.value(at: coding).isChunked
    let framing =
      isUsual ? .chunked : try transferFraming(head.fields.list(.transferEncoding))
    if let framing { return (framing, found.contentLength != nil) }
  }
  guard let first = found.contentLength else { return (.untilClose, false) }
  return (.length(try contentLength(in: head.fields, from: first, kind: .response)), false)
}

/// The framing that a response's codings ask for; nil when they ask for none.
private func transferFraming(
  _ codings: [ArraySlice<UInt8>]
) throws(ProtocolError) -> BodyFraming? {
  // `identity` was a coding until RFC 7230 and is still sent; it changes nothing.
  let codings = codings.filter { !$0.equalsIgnoringCase("identity".utf8) }
  guard let last = codings.last else { return nil }
  let chunkedCount = codings.count(where: \.isChunked)
  guard chunkedCount <= 1 else { throw .transferEncodingInvalid(in: .response) }
  // RFC 9112 §6.3: if chunked is not the final coding, the length is found by reading until close.
  return last.isChunked ? .chunked : .untilClose
}

/// Why a request's codings are not `chunked` alone: 501 when the length could be found but the
/// content not decoded, else 400 (RFC 9112 §6.3).
private func unsupportedCodings(_ fields: FieldSection) -> ProtocolError {
  let codings = fields.list(.transferEncoding)
  guard let last = codings.last, last.isChunked, codings.count > 1,
    codings.count(where: \.isChunked) == 1
  else { return .transferEncodingInvalid(in: .request) }
  return .transferCodingUnsupported
}

/// The value of Content-Length.
///
/// RFC 9112 §6.3 allows a list or repeated lines that say the same number each time.
/// - Parameter first: the first line that has it.
private func contentLength(
  in fields: FieldSection, from first: Int, kind: MessageKind
) throws(ProtocolError) -> Int64 {
  var length: Int64?
  var next: Int? = first
  while let index = next {
    // An empty member is refused too: `5,` is not a number.
    for member in fields.value(at: index).split(separator: 0x2C, omittingEmptySubsequences: false) {
      guard let value = decimal(member.trimmingOptionalWhitespace) else {
        throw .contentLengthInvalid(in: kind)
      }
      if let length, length != value { throw .contentLengthsDiffer(length, value, in: kind) }
      length = value
    }
    next = fields.index(of: .contentLength, from: index + 1)
  }
  guard let length else { throw .contentLengthInvalid(in: kind) }
  return length
}

/// `1*DIGIT` (RFC 9110 §8.6) up to `Int64.max`; no sign.
private func decimal(_ digits: ArraySlice<UInt8>) -> Int64? {
  guard !digits.isEmpty else { return nil }
  var value: Int64 = 0
  for byte in digits {
    guard let digit = byte.decimalDigitValue else { return nil }
    let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
    let (sum, carry) = tenfold.addingReportingOverflow(Int64(digit))
    if overflow || carry { return nil }
    value = sum
  }
  return value
}

/// What the fields that frame and route a message are, found in one pass.
private struct FramingFields {
  var hostCount = 0
  var hostInvalidByte: UInt8?
  /// The first line of each.
  var contentLength: Int?
  var transferEncoding: Int?
  var transferEncodingCount = 0

  init(_ fields: FieldSection) {
    fields.bytes.withUnsafeBytes { bytes in
      fields.lines.withUnsafeBufferPointer { lines in
        for index in lines.indices { note(lines[index], index, in: bytes) }
      }
    }
  }

  /// Most names differ in length already.
  @inline(__always)
  private mutating func note(
    _ line: FieldSection.Line, _ index: Int, in bytes: UnsafeRawBufferPointer
  ) {
    let (start, end) = (Int(line.nameStart), Int(line.nameEnd))
    switch end &- start {
    case 4 where FieldName.host.matches(bytes[start..<end]):
      hostCount += 1
      hostInvalidByte = Self.hostInvalidByte(in: bytes, from: end + 2, to: Int(line.valueEnd))
    case 14 where FieldName.contentLength.matches(bytes[start..<end]):
      if contentLength == nil { contentLength = index }
    case 17 where FieldName.transferEncoding.matches(bytes[start..<end]):
      if transferEncoding == nil { transferEncoding = index }
      transferEncodingCount += 1
    default: break
    }
  }

  private static func hostInvalidByte(
    in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int
  ) -> UInt8? {
    for index in start..<end where !bytes[index].isAllowedInHost { return bytes[index] }
    return nil
  }
}

extension FieldName {
  fileprivate func matches(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    matches(UnsafeRawBufferPointer(rebasing: bytes))
  }
}

extension ArraySlice<UInt8> {
  fileprivate var isChunked: Bool {
    let chunked: StaticString = "chunked"
    guard count == chunked.utf8CodeUnitCount else { return false }
    for offset in 0..<count
    where self[startIndex + offset].asciiLowercased != chunked.utf8Start[offset] {
      return false
    }
    return true
  }
}

extension UInt8 {
  /// Whether the byte can stand in `uri-host [ ":" port ]` (RFC 9110 §7.2), or is above 0x7F and
  /// left to the origin server. Everything that would end a host in some reader is refused.
  @inline(__always)
  fileprivate var isAllowedInHost: Bool {
    // 0-9 and `:`, letters, `.`: nearly every byte.
    if self &- 0x30 < 11 || (self | 0x20) &- 0x61 < 26 || self == 0x2E { return true }
    return switch self {
    case 0x00...0x20, 0x7F: false
    // " # , / < > ? @ \ ^ ` { | }
    case 0x22, 0x23, 0x2C, 0x2F, 0x3C, 0x3E, 0x3F, 0x40, 0x5C, 0x5E, 0x60, 0x7B...0x7D: false
    default: true
    }
  }
}
