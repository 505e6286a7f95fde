import FixtureHTTP

/// Whether a request is one for the upstream, judged by its head alone; a recorder and a replay of
/// what it recorded agree on it.
package enum TargetPolicy {
  package enum Decision: Equatable, Sendable {
    /// Forwarded, or matched, with this target in origin form or `*` (RFC 9112 §3.2).
    case take(target: [UInt8])
    case refuse(status: Int, detail: String)
  }

  /// Whether the request is taken as it is, whatever the upstream: nearly every one.
  package static func isOrdinary(_ request: RequestHead) -> Bool {
    request.target.first == 0x2F && request.method != .connect
      && !request.fields.contains(.upgrade)
  }

  /// - Parameter port: of the listener that the request came to.
  package static func decide(
    _ request: RequestHead, upstream: BaseURL, port: UInt16
  ) -> Decision {
    if request.method == .connect {
      return .refuse(
        status: 501,
        detail: "CONNECT is not supported: this is a reverse proxy for \(upstream.description); "
          + "point the app at its address instead of using it as a proxy")
    }
    if let upgrade = refusedUpgrade(request) {
      return .refuse(
        status: 501,
        detail: "an upgrade to \(upgrade) can't be recorded in this version")
    }
    switch RequestTarget.form(of: request.target) {
    case .origin, .asterisk: return .take(target: request.target)
    case .absolute: return absolute(request, upstream: upstream, port: port)
    case .authority:
      return .refuse(
        status: 400,
        detail: "the request target is neither a path nor a URL (RFC 9112 §3.2)")
    }
  }

  /// A protocol that the client asks to switch to and would not do without. A server may ignore an
  /// `Upgrade` (RFC 9110 §7.8), which is what an offer of HTTP/2 expects.
  private static func refusedUpgrade(_ request: RequestHead) -> String? {
    guard let member = request.fields.list(.upgrade).first,
      request.fields.list(.connection, holds: "upgrade")
    else { return nil }
    let name = String(decoding: member, as: UTF8.self).lowercased()
    return name == "h2c" || name == "h2" || name.hasPrefix("tls/") ? nil : name
  }

  /// RFC 9112 §3.2.2: a server must accept the absolute form. Ours are what is below the upstream's
  /// URL, for a client that uses us as its proxy, and any host at our own port.
  private static func absolute(
    _ request: RequestHead, upstream: BaseURL, port: UInt16
  ) -> Decision {
    let path = RequestTarget.split(request.target).path
    let origin = String(decoding: request.target[..<path.startIndex], as: UTF8.self)
    // A target that is no http or https URL names no upstream: refused below.
    let url = try? BaseURL(parsing: origin)
    let rest = request.target[path.startIndex...]
    if let url, url.hasOrigin(of: upstream), let below = upstream.pathBelowBase(rest) {
      return .take(target: originForm(below, request.method))
    }
    if let url, url.scheme == .http, url.port == port {
      return .take(target: originForm(rest, request.method))
    }
    return .refuse(
      status: 421,
      detail: "\(url?.description ?? "this target") is not recorded here, only "
        + "\(upstream.description): record it with --upstream NAME=URL")
  }

  /// RFC 9112 §3.2.1, §3.2.4: an empty path is `/`, or `*` for OPTIONS without a query.
  private static func originForm(_ rest: ArraySlice<UInt8>, _ method: Method) -> [UInt8] {
    if rest.first == 0x2F { return Array(rest) }
    return method == .options && rest.isEmpty ? [0x2A] : [0x2F] + rest
  }
}
