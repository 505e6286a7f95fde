import FixtureHTTP
import FixtureHTTP1

/// Turns the parts of a request that the recorder received into the bytes it sends to the upstream.
package struct UpstreamRequest: Equatable, Sendable {
  /// The target behind the upstream's base path, `Host` as the upstream's own unless it is
  /// preserved, fields of the client's connection removed but for its wish for trailers, everything
  /// else untouched and in order.
  package let head: RequestHead
  /// Of the target URI (RFC 9110 §7.1): the upstream's, or the one that a preserved `Host` names
  /// unless that is an address of ours.
  package let authority: String
  private let isChunked: Bool

  /// - Parameter request: its target in origin form or `*`, as `TargetPolicy` gives it.
  package init(
    for request: RequestHead, framing: BodyFraming, upstream: BaseURL, preservesHost: Bool
  ) {
    // RFC 9112 §3.2.4: `*` names the server as a whole; no path goes before it.
    let target = request.target == [0x2A] ? [0x2A] : upstream.basePath.utf8 + request.target
    var fields = ForwardedFields.withOneLength(ForwardedFields.endToEnd(request.fields))
    let preserved = preservesHost ? fields.first(.host).map(Array.init) : nil
    if preserved == nil { fields = Self.withHost(upstream.authority, in: fields) }
    authority = preserved.flatMap(Self.authority(naming:)) ?? upstream.authority
    // RFC 9110 §6.5.1, §10.1.4: an origin server may leave trailers out unless it is told that they
    // are passed on, which they are.
    if request.version >= .http11, request.fields.list(.te, holds: "trailers") {
      fields.append("TE", "trailers")
      fields.append("Connection", "TE")
    }
    head = RequestHead(method: request.method, target: target, fields: fields)
    isChunked = framing == .chunked
  }

  /// The request line and the header section.
  package func head(to bytes: inout [UInt8]) {
    MessageEncoder.requestHead(head, to: &bytes)
  }

  /// A piece of content as it arrived; a chunk of its own in the chunked coding.
  /// - Precondition: it is not empty, which would end the body.
  package func content(_ content: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    if isChunked { MessageEncoder.chunkHeader(size: content.count, to: &bytes) }
    bytes.append(contentsOf: content)
    if isChunked { MessageEncoder.chunkEnd(to: &bytes) }
  }

  /// What ends the request after its content.
  package func end(trailers: FieldSection, to bytes: inout [UInt8]) {
    if isChunked { MessageEncoder.lastChunk(trailers: trailers, to: &bytes) }
  }

  private static func authority(naming host: [UInt8]) -> String? {
    let lower = host.map(\.asciiLowercased)
    guard !OwnAddress.isNamed(by: lower), host.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    return String(decoding: lower, as: UTF8.self)
  }

  /// The section with its first `Host` replaced in place, others dropped, one added when there is
  /// none (RFC 9112 §3.2: a client must send exactly one).
  private static func withHost(_ authority: String, in fields: FieldSection) -> FieldSection {
    var seen = false
    var result = FieldSection()
    result.reserve(
      bytes: fields.bytes.count + "Host: \r\n".utf8.count + authority.utf8.count,
      lines: fields.count + 1)
    if !fields.contains(.host) { result.append("Host", authority) }
    for index in fields.lines.indices {
      let name = fields.name(at: index)
      if name.withUnsafeBytes(FieldName.host.matches) {
        if !seen { result.append(name: name, value: authority.utf8) }
        seen = true
      } else {
        result.append(name: name, value: fields.value(at: index))
      }
    }
    return result
  }
}
