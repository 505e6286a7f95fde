import FixtureHTTP

/// Writes HTTP/1.1 messages (RFC 9112), appending to a buffer.
///
/// Only what a `FieldSection` holds goes out as fields, so no CR, LF or NUL can come from one. The
/// caller chooses fields that agree with the framing it uses.
package enum MessageEncoder {
  /// A request line and header section. The version sent is always HTTP/1.1, whatever the head's
  /// (RFC 9112 §2.3: a sender's version is its own).
  /// - Precondition: method and target have no space or control byte; a parsed one never has.
  package static func requestHead(_ head: RequestHead, to output: inout [UInt8]) {
    precondition(head.target.allSatisfy(\.isTargetByte), "a target that would split the line")
    let method = head.method.bytes
    precondition(method.allSatisfy(\.isTokenCharacter), "a method that is not a token")
    output.reserveCapacity(
      output.count + method.count + head.target.count + head.fields.bytes.count + 16)
    output.append(contentsOf: method)
    output.append(0x20)
    output.append(contentsOf: head.target)
    output.append(contentsOf: " HTTP/1.1\r\n".utf8)
    output.append(contentsOf: head.fields.bytes)
    lineEnd(to: &output)
  }

  /// A status line and header section. The version sent is always HTTP/1.1, and the space before
  /// the reason is always there: some clients refuse a status line without (RFC 9112 §4).
  ///
  /// A CR, LF or NUL in the reason, which no parsed head has but a hostile cassette could, is sent
  /// as a space.
  /// - Precondition: the status has three digits.
  package static func responseHead(_ head: ResponseHead, to output: inout [UInt8]) {
    precondition((100...999).contains(head.status), "status \(head.status) has no three digits")
    output.reserveCapacity(output.count + head.reason.count + head.fields.bytes.count + 17)
    output.append(contentsOf: "HTTP/1.1 ".utf8)
    for place in [100, 10, 1] {
      output.append(0x30 + UInt8(head.status / place % 10))
    }
    output.append(0x20)
    for byte in head.reason { output.append(byte.isFieldValueByte ? byte : 0x20) }
    lineEnd(to: &output)
    output.append(contentsOf: head.fields.bytes)
    lineEnd(to: &output)
  }

  /// A chunk-size line (RFC 9112 §7.1). The chunk's bytes and `chunkEnd` come after it.
  /// - Precondition: `size` is above 0: a chunk of 0 bytes would end the body.
  package static func chunkHeader(size: Int, to output: inout [UInt8]) {
    precondition(size > 0, "a chunk of \(size) bytes")
    var shift = (Int.bitWidth - size.leadingZeroBitCount - 1) / 4 * 4
    while shift >= 0 {
      let digit = UInt8(size >> shift & 0xF)
      output.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
      shift -= 4
    }
    lineEnd(to: &output)
  }

  /// The line end after a chunk's bytes.
  package static func chunkEnd(to output: inout [UInt8]) {
    lineEnd(to: &output)
  }

  /// The last chunk, the trailer section and the end of the body.
  package static func lastChunk(trailers: FieldSection = .init(), to output: inout [UInt8]) {
    output.append(0x30)
    lineEnd(to: &output)
    output.append(contentsOf: trailers.bytes)
    lineEnd(to: &output)
  }

  private static func lineEnd(to output: inout [UInt8]) {
    output.append(0x0D)
    output.append(0x0A)
  }
}

extension UInt8 {
  /// Whether a request target may have the byte: anything but controls, space and DEL.
  fileprivate var isTargetByte: Bool { self > 0x20 && self != 0x7F }
}
