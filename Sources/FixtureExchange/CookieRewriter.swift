import FixtureHTTP

/// Cookies that a client would not send back to our listener: those for another `Domain`, and
/// those that are `Secure` while we speak plain HTTP (RFC 6265 §5.3, §4.1.2.5).
package enum CookieRewriter {
  /// The head with those attributes removed, if that is asked for, on the wire only.
  /// - Parameter elsewhere: gets the domain, or `Secure`, of each cookie that a client of ours
  ///   would not send back; not called for those that were rewritten.
  package static func rewrite(
    _ head: ResponseHead, rewrites: Bool, elsewhere: (String) -> Void = { _ in }
  ) -> ResponseHead {
    guard head.fields.contains(.setCookie) else { return head }
    var head = head
    head.fields = head.fields.mapValues { name, value in
      guard name.withUnsafeBytes(FieldName.setCookie.matches) else { return value }
      let parts = value.split(separator: 0x3B, omittingEmptySubsequences: false)
      let kept = parts.enumerated().filter { index, part in
        index == 0 || obstacle(part) == nil
      }
      guard kept.count < parts.count else { return value }
      guard rewrites else {
        parts.dropFirst().compactMap(obstacle).forEach(elsewhere)
        return value
      }
      return Array(kept.map(\.element).joined(separator: [0x3B]))[...]
    }
    return head
  }

  /// What of an attribute keeps the cookie from coming back; nil for any other attribute.
  private static func obstacle(_ attribute: ArraySlice<UInt8>) -> String? {
    let attribute = attribute.trimmingOptionalWhitespace
    let name = attribute.prefix { $0 != 0x3D }
    if name.trimmingOptionalWhitespace.equalsIgnoringCase("secure".utf8) { return "Secure" }
    guard name.trimmingOptionalWhitespace.equalsIgnoringCase("domain".utf8) else { return nil }
    let domain = attribute.dropFirst(name.count + 1).trimmingOptionalWhitespace
    return domain.isEmpty ? nil : String(decoding: domain, as: UTF8.self)
  }
}
