import FixtureHTTP

/// The request that the recorder sends to the upstream for one it received.
package enum UpstreamRequest {
  /// The head to send: the target behind the upstream's base path, `Host` as the upstream's own
  /// unless it is preserved, fields of the client's connection removed, everything else untouched
  /// and in order.
  /// - Parameter originTarget: the target in origin form (`RequestTarget.originForm`).
  package static func head(
    for request: RequestHead, originTarget: [UInt8], upstream: BaseURL,
    preservesHost: Bool
  ) -> RequestHead {
    // RFC 9112 §3.2.4: `*` names the server as a whole; no path goes before it.
    let target = originTarget == [0x2A] ? originTarget : upstream.basePath.utf8 + originTarget
    var fields = ForwardedFields.withOneLength(ForwardedFields.endToEnd(request.fields))
    if !preservesHost || !fields.contains(.host) {
      fields = withHost(upstream.authority, in: fields)
    }
    return RequestHead(method: request.method, target: target, fields: fields)
  }

  /// The section with its first `Host` replaced in place, others dropped, one added when there is
  /// none (RFC 9112 §3.2: a client must send exactly one).
  private static func withHost(_ authority: String, in fields: FieldSection) -> FieldSection {
    var seen = false
    var result = FieldSection()
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
