import FixtureHTTP

/// Cookies that a client would not send back to our listener: those for another `Domain`, those
/// that are `Secure` while we speak plain HTTP, and those for a `Path` that begins with the
/// upstream's base path, which ours lack (RFC 6265 §5.3, §5.4).
package enum CookieRewriter {
  /// The head with those attributes removed, and the base path taken off, if that is asked for.
  /// - Parameters:
  ///   - upstream: where the response came from; nil when that is not known.
  ///   - elsewhere: gets the domain, `Secure`, or the path of each cookie that a client of ours
  ///     would not send back; not called for those that were rewritten.
  static func rewrite(
    _ head: ResponseHead, from upstream: BaseURL?, rewrites: Bool, elsewhere: (String) -> Void
  ) -> ResponseHead {
    guard head.fields.contains(.setCookie) else { return head }
    var head = head
    head.fields = head.fields.mapValues { name, value in
      guard name.withUnsafeBytes(FieldName.setCookie.matches) else { return value }
      var parts = value.split(separator: 0x3B, omittingEmptySubsequences: false)
      var obstacles = 0
      // The first part is the cookie itself.
      for index in parts.indices.dropFirst().reversed() {
        guard let obstacle = Obstacle(parts[index], from: upstream) else { continue }
        obstacles += 1
        if !rewrites { elsewhere(obstacle.reason) }
        parts.replaceSubrange(index...index, with: obstacle.replacement.map { [$0] } ?? [])
      }
      guard rewrites, obstacles > 0 else { return value }
      return Array(parts.joined(separator: [0x3B]))[...]
    }
    return head
  }

  /// What keeps a cookie from coming back.
  private struct Obstacle {
    let reason: String
    /// The attribute to put in its place; nil when it goes.
    var replacement: ArraySlice<UInt8>?

    /// nil for any other attribute.
    init?(_ attribute: ArraySlice<UInt8>, from upstream: BaseURL?) {
      let name = attribute.prefix { $0 != 0x3D }
      let value = attribute.dropFirst(name.count + 1).trimmingOptionalWhitespace
      let written = String(decoding: value, as: UTF8.self)
      let trimmed = name.trimmingOptionalWhitespace
      if trimmed.equalsIgnoringCase("secure".utf8) {
        reason = "Secure"
      } else if trimmed.equalsIgnoringCase("domain".utf8), !value.isEmpty {
        reason = written
      } else if trimmed.equalsIgnoringCase("path".utf8), let upstream,
        !upstream.basePath.isEmpty, let path = upstream.pathBelowBase(value)
      {
        reason = "Path=\(written)"
        replacement = name + [0x3D] + path
      } else {
        return nil
      }
    }
  }
}
