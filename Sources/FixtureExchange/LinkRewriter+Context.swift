import FixtureHTTP

extension LinkRewriter {
  /// One response on its way to one client.
  struct Context {
    let routes: [Route]
    let current: Int
    let clientHost: ArraySlice<UInt8>?

    /// The value with the links at these places replaced where they lead to an upstream.
    func replacingLinks(
      _ places: [Range<Int>], in value: ArraySlice<UInt8>, _ elsewhere: (String) -> Void
    ) -> ArraySlice<UInt8> {
      var result: [UInt8] = []
      var copied = value.startIndex
      for place in places {
        guard let replacement = replacement(for: value[place], elsewhere) else { continue }
        result.append(contentsOf: value[copied..<place.lowerBound])
        result.append(contentsOf: replacement)
        copied = place.upperBound
      }
      guard copied > value.startIndex else { return value }
      result.append(contentsOf: value[copied...])
      return result[...]
    }

    /// What stands in a link's place; nil when it stays.
    private func replacement(
      for link: ArraySlice<UInt8>, _ elsewhere: (String) -> Void
    ) -> [UInt8]? {
      guard let reference = LinkReference(link) else { return nil }
      switch reference {
      case .absolutePath(let path):
        // A path under the base path is ours without it; our base is the root.
        let base = routes[current].upstream.basePath
        guard !base.isEmpty, let rest = stripping(base, from: path) else { return nil }
        return Array(rest)
      case .network(let authority, let rest):
        let scheme = routes[current].upstream.scheme.rawValue
        guard let route = route(scheme: scheme, authority: authority),
          let path = stripping(routes[route].upstream.basePath, from: rest)
        else {
          elsewhere("\(scheme)://\(String(decoding: authority, as: UTF8.self))")
          return nil
        }
        return Array("//".utf8) + ourAuthority(route) + path
      case .absolute(let scheme, let authority, let rest):
        guard let route = route(scheme: scheme, authority: authority),
          let path = stripping(routes[route].upstream.basePath, from: rest)
        else {
          elsewhere("\(scheme)://\(String(decoding: authority, as: UTF8.self))")
          return nil
        }
        return Array("http://".utf8) + ourAuthority(route) + path
      }
    }

    /// The upstream with exactly this origin (RFC 9110 §4.3.1: scheme, host and port); the route
    /// the request came by first, since several may share an origin and differ in base path.
    private func route(scheme: String, authority: ArraySlice<UInt8>) -> Int? {
      let text = String(decoding: authority, as: UTF8.self)
      // What is no such URL (userinfo, a bad port) names no upstream.
      guard let origin = try? BaseURL(parsing: "\(scheme)://\(text)") else { return nil }
      let matches = routes.indices.filter {
        let upstream = routes[$0].upstream
        return upstream.scheme == origin.scheme && upstream.host == origin.host
          && upstream.port == origin.port
      }
      return matches.first { $0 == current } ?? matches.first
    }

    /// The rest of a link below a base path; nil when it does not lead there.
    private func stripping(_ base: String, from rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
      guard !base.isEmpty else { return rest }
      guard rest.starts(with: base.utf8) else { return nil }
      let below = rest.dropFirst(base.utf8.count)
      switch below.first {
      case nil: return [0x2F]
      case 0x2F: return below
      case 0x3F, 0x23: return [0x2F] + below
      default: return nil
      }
    }

    /// The address of our listener as this client would write it.
    private func ourAuthority(_ route: Int) -> [UInt8] {
      guard let clientHost, !clientHost.isEmpty else {
        return Array("127.0.0.1:\(routes[route].port)".utf8)
      }
      if route == current { return Array(clientHost) }
      return Array(hostWithoutPort(clientHost)) + Array(":\(routes[route].port)".utf8)
    }

    private func hostWithoutPort(_ host: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      if let bracket = host.lastIndex(of: 0x5D) { return host[...bracket] }
      return host.prefix { $0 != 0x3A }
    }
  }
}

/// A URI reference as far as rewriting needs it (RFC 3986 §4.1, §4.2).
enum LinkReference: Equatable {
  /// `http://authority…`; the scheme in lower case.
  case absolute(scheme: String, authority: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)
  /// `//authority…`
  case network(authority: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)
  /// `/path…`
  case absolutePath(ArraySlice<UInt8>)

  /// nil for anything that is not one of the three: relative paths, fragments, other schemes.
  init?(_ link: ArraySlice<UInt8>) {
    if link.starts(with: "//".utf8) {
      let (authority, rest) = Self.split(link.dropFirst(2))
      self = .network(authority: authority, rest: rest)
    } else if link.first == 0x2F {
      self = .absolutePath(link)
    } else {
      guard let scheme = Self.scheme(of: link) else { return nil }
      let (authority, rest) = Self.split(link.dropFirst(scheme.utf8.count + 3))
      self = .absolute(scheme: scheme, authority: authority, rest: rest)
    }
  }

  private static func scheme(of link: ArraySlice<UInt8>) -> String? {
    for scheme in ["http", "https"]
    where link.prefix(scheme.utf8.count + 3).equalsIgnoringCase("\(scheme)://".utf8) {
      return scheme
    }
    return nil
  }

  private static func split(
    _ link: ArraySlice<UInt8>
  ) -> (authority: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
    let end = link.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? link.endIndex
    return (link[..<end], link[end...])
  }
}
