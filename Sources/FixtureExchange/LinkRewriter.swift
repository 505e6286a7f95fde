import FixtureCassette
import FixtureHTTP

/// Keeps a client on our listeners: links in fields that name a listed upstream are changed, on the
/// wire only, to the address the client used.
///
/// `Location` and `Content-Location` (RFC 9110 §10.2.2, §8.7), `Refresh`, and the targets of `Link`
/// (RFC 8288 §3). Only the origin and the upstream's base path change; the rest of the link, also
/// another URL inside its query, stays as it is.
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

  private let routes: [Route]

  package init(routes: [Route]) {
    self.routes = routes
  }

  /// The head as the client gets it.
  /// - Parameters:
  ///   - current: the route the request came by.
  ///   - clientHost: the client's `Host`; nil when it sent none.
  ///   - elsewhere: gets the origin of each link that leads away from all upstreams.
  package func rewrite(
    _ head: ResponseHead, current: Int, clientHost: ArraySlice<UInt8>?,
    elsewhere: (String) -> Void = { _ in }
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
          return context.replacingLinks(Self.refreshLinks(value), in: value, elsewhere)
        }
        if FieldName.link.matches(name) {
          return context.replacingLinks(Self.linkTargets(value), in: value, elsewhere)
        }
        return value
      }
    }
    return head
  }

  /// Whether `rewrite` may change the head for some client.
  package func mayChange(_ head: ResponseHead) -> Bool {
    !routes.isEmpty && Self.names.contains { head.fields.contains($0) }
  }

  private static let names: [FieldName] = [.location, .contentLocation, .refresh, .link]

  /// The URL of `5; url=http://…`, without quotes around it.
  static func refreshLinks(_ value: ArraySlice<UInt8>) -> [Range<Int>] {
    guard let separator = value.firstIndex(where: { $0 == 0x3B || $0 == 0x2C }) else { return [] }
    var start = separator + 1
    while start < value.endIndex, value[start].isOptionalWhitespace { start += 1 }
    let key = value[start...].prefix(4)
    guard key.count == 4, key.prefix(3).equalsIgnoringCase("url".utf8), key.last == 0x3D else {
      return []
    }
    start += 4
    guard start < value.endIndex else { return [] }
    if value[start] == 0x22 || value[start] == 0x27 {
      let quote = value[start]
      let end = value[(start + 1)...].firstIndex(of: quote) ?? value.endIndex
      return [(start + 1)..<end]
    }
    return [start..<value.endIndex]
  }

  /// Everything between `<` and `>` outside quoted strings.
  static func linkTargets(_ value: ArraySlice<UInt8>) -> [Range<Int>] {
    var targets: [Range<Int>] = []
    var index = value.startIndex
    var quoted = false
    while index < value.endIndex {
      switch value[index] {
      case 0x22: quoted.toggle()
      case 0x5C where quoted: index += 1
      case 0x3C where !quoted:
        guard let end = value[index...].firstIndex(of: 0x3E) else { return targets }
        targets.append((index + 1)..<end)
        index = end
      default: break
      }
      index += 1
    }
    return targets
  }
}
