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
      let own = routes[current].upstream
      switch reference {
      case .absolutePath(let path):
        // At an upstream without a base path its root is ours.
        guard !own.basePath.isEmpty, let place = place(of: path, at: own, elsewhere) else {
          return nil
        }
        // What begins with `//` would name a host (RFC 3986 §4.2).
        let isPath = place.route == current && !place.path.starts(with: "//".utf8)
        return (isPath ? [] : "http://".utf8 + ourAuthority(place.route)) + place.path
      case .network(let authority, let rest):
        guard let origin = authority.origin(own.scheme.rawValue),
          let place = place(of: rest, at: origin, elsewhere)
        else { return nil }
        return "//".utf8 + authority.userinfo + ourAuthority(place.route) + place.path
      case .absolute(let scheme, let authority, let rest):
        guard let origin = authority.origin(scheme),
          let place = place(of: rest, at: origin, elsewhere)
        else { return nil }
        return "http://".utf8 + authority.userinfo + ourAuthority(place.route) + place.path
      }
    }

    /// The upstream that a link leads to, and the rest of the link below its base path; nil when it
    /// leads elsewhere.
    ///
    /// Several upstreams may share an origin (RFC 9110 §4.3.1: scheme, host and port): the one the
    /// request came by is the first choice, then the one with the longest base path.
    private func place(
      of rest: ArraySlice<UInt8>, at origin: BaseURL, _ elsewhere: (String) -> Void
    ) -> (route: Int, path: ArraySlice<UInt8>)? {
      var found: (route: Int, path: ArraySlice<UInt8>)?
      for (index, route) in routes.enumerated() where route.upstream.hasOrigin(of: origin) {
        guard let path = route.upstream.pathBelowBase(rest) else { continue }
        if index == current { return (index, path) }
        if path.count < found?.path.count ?? .max { found = (index, path) }
      }
      if found == nil { elsewhere(origin.origin) }
      return found
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
  case absolute(scheme: String, LinkAuthority, rest: ArraySlice<UInt8>)
  /// `//authority…`
  case network(LinkAuthority, rest: ArraySlice<UInt8>)
  /// `/path…`
  case absolutePath(ArraySlice<UInt8>)

  /// nil for anything that is not one of the three: relative paths, fragments, other schemes.
  init?(_ link: ArraySlice<UInt8>) {
    if link.starts(with: "//".utf8) {
      let (authority, rest) = Self.split(link.dropFirst(2))
      self = .network(authority, rest: rest)
    } else if link.first == 0x2F {
      self = .absolutePath(link)
    } else {
      guard let scheme = Self.scheme(of: link) else { return nil }
      let (authority, rest) = Self.split(link.dropFirst(scheme.utf8.count + 3))
      self = .absolute(scheme: scheme, authority, rest: rest)
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
  ) -> (authority: LinkAuthority, rest: ArraySlice<UInt8>) {
    let end = link.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? link.endIndex
    return (LinkAuthority(link[..<end]), link[end...])
  }
}

/// The authority of a link (RFC 3986 §3.2).
struct LinkAuthority: Equatable {
  /// With the `@` that ends it; empty when there is none.
  let userinfo: ArraySlice<UInt8>
  private let hostAndPort: ArraySlice<UInt8>

  init(_ authority: ArraySlice<UInt8>) {
    // The last one: a host has none, userinfo of careless senders may.
    let host = authority.lastIndex(of: 0x40).map { $0 + 1 } ?? authority.startIndex
    userinfo = authority[..<host]
    hostAndPort = authority[host...]
  }

  /// nil when host and port are none that an upstream could have.
  func origin(_ scheme: String) -> BaseURL? {
    // What is no such URL names no upstream.
    try? BaseURL(parsing: "\(scheme)://\(String(decoding: hostAndPort, as: UTF8.self))")
  }
}
