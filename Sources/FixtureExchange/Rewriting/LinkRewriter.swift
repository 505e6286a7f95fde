import FixtureCassette
import FixtureHTTP

/// Keeps a client on our listeners: links in fields that name a listed upstream are changed, on the
/// wire only, to the address the client used.
///
/// `Location` and `Content-Location` (RFC 9110 §10.2.2, §8.7), `Refresh`, and the targets of `Link`
/// (RFC 8288 §3). Only host, port, scheme and the upstream's base path change; the rest of the
/// link, also userinfo and another URL inside its query, stays as it is.
package struct LinkRewriter: Equatable, Sendable {
  /// One upstream and the port of ours that stands for it.
  package struct Route: Equatable, Sendable {
    package let upstream: BaseURL
    package let port: UInt16

    package init(upstream: BaseURL, port: UInt16) {
      self.upstream = upstream
      self.port = port
    }
  }

  package let routes: [Route]

  package init(routes: [Route]) {
    self.routes = routes
  }

  /// The head as the client gets it.
  /// - Parameters:
  ///   - current: the route the request came by.
  ///   - clientHost: the client's `Host`; nil when it sent none.
  ///   - elsewhere: gets the origin of each link that leads away from all upstreams, as `BaseURL`
  ///     spells it; not called for a link that no `--upstream` could name.
  func rewrite(
    _ head: ResponseHead, current: Int, clientHost: ArraySlice<UInt8>?,
    elsewhere: (String) -> Void
  ) -> ResponseHead {
    guard mayChange(head) else { return head }
    let context = Context(routes: routes, current: current, clientHost: clientHost)
    var head = head
    head.fields = head.fields.mapValues { name, value in
      name.withUnsafeBytes { name in
        if FieldName.location.matches(name) || FieldName.contentLocation.matches(name) {
          return context.replacingLinks([value.indices], in: value, elsewhere)
        }
        if FieldName.refresh.matches(name) {
          let place = EmbeddedReferences.inRefresh(value)
          return context.replacingLinks(place.map { [$0] } ?? [], in: value, elsewhere)
        }
        if FieldName.link.matches(name) {
          return context.replacingLinks(EmbeddedReferences.inLink(value), in: value, elsewhere)
        }
        return value
      }
    }
    return head
  }

  /// Whether `rewrite` may change the head for some client.
  func mayChange(_ head: ResponseHead) -> Bool {
    !routes.isEmpty && Self.names.contains { head.fields.contains($0) }
  }

  private static let names: [FieldName] = [.location, .contentLocation, .refresh, .link]
}
