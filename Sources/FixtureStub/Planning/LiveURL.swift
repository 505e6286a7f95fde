import FixtureHTTP

/// The parts of a URL that a request is sent with.
struct LiveURL: Equatable {
  /// `http` or `https`.
  let scheme: BaseURL.Scheme
  /// User name and password as they stand before an `@`, percent-encoded.
  let userinfo: ArraySlice<UInt8>?
  /// As the URL spells it, an IPv6 address in brackets.
  let host: ArraySlice<UInt8>
  let port: UInt16
  /// In origin form (RFC 9112 §3.2.1).
  let target: [UInt8]

  /// - Returns: nil for a URL that no HTTP request can be sent to.
  init?(_ url: String) {
    let bytes = Array(url.utf8)
    let scheme: BaseURL.Scheme
    let start: Int
    if Self.begins(bytes, with: "https://") {
      (scheme, start) = (.https, 8)
    } else if Self.begins(bytes, with: "http://") {
      (scheme, start) = (.http, 7)
    } else {
      return nil
    }
    let end = bytes[start...].firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 }
    let authority = bytes[start..<(end ?? bytes.endIndex)]
    let at = authority.lastIndex(of: 0x40)
    let place = authority[(at.map { $0 + 1 } ?? authority.startIndex)...]
    // Of an IPv6 address the colons stand within brackets.
    let tail = place[(place.lastIndex(of: 0x5D) ?? place.startIndex)...]
    let colon = tail.firstIndex(of: 0x3A)
    let digits = colon.map { place[($0 + 1)...] } ?? []
    host = place[..<(colon ?? place.endIndex)]
    guard !host.isEmpty else { return nil }
    if digits.isEmpty {
      port = scheme.defaultPort
    } else {
      guard let number = UInt16(String(decoding: digits, as: UTF8.self)) else { return nil }
      port = number
    }
    self.scheme = scheme
    userinfo = at.map { authority[..<$0] }
    let rest = bytes[(end ?? bytes.endIndex)...].prefix { $0 != 0x23 }
    target = Self.target(rest)
  }

  private static func begins(_ bytes: [UInt8], with prefix: StaticString) -> Bool {
    guard bytes.count >= prefix.utf8CodeUnitCount else { return false }
    for index in 0..<prefix.utf8CodeUnitCount
    where bytes[index].asciiLowercased != prefix.utf8Start[index] { return false }
    return true
  }

  /// What `Host` says: without the default port (RFC 9110 §7.2).
  var authority: [UInt8] {
    port == scheme.defaultPort ? Array(host) : Array(host) + ":\(port)".utf8
  }

  /// `https://api.example.com`.
  var origin: String { "\(scheme.rawValue)://\(String(decoding: authority, as: UTF8.self))" }

  /// Whether it is this machine: `localhost`, `127.…` or `[::1]`.
  var isLoopback: Bool {
    host.equalsIgnoringCase("localhost".utf8) || host.elementsEqual("[::1]".utf8)
      || host.starts(with: "127.".utf8) && host.allSatisfy { $0.isDigit || $0 == 0x2E }
  }

  func hasOrigin(of upstream: BaseURL) -> Bool {
    guard scheme == upstream.scheme, port == upstream.port else { return false }
    let name = upstream.host.utf8
    return host.equalsIgnoringCase(name)
      || host.first == 0x5B && host.dropFirst().dropLast().equalsIgnoringCase(name)
  }

  /// An empty path is `/`; clients take dot segments out before they send (RFC 3986 §5.2.4).
  private static func target(_ rest: ArraySlice<UInt8>) -> [UInt8] {
    let path = rest.prefix { $0 != 0x3F }
    let query = rest[path.endIndex...]
    guard !path.isEmpty else { return [0x2F] + query }
    guard path.contains(0x2E) else { return Array(rest) }
    return withoutDotSegments(path) + query
  }

  private static func withoutDotSegments(_ path: ArraySlice<UInt8>) -> [UInt8] {
    var kept: [ArraySlice<UInt8>] = []
    let segments = path.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      if segment.elementsEqual("..".utf8) {
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append([]) }
      } else if segment.elementsEqual(".".utf8) {
        if isLast { kept.append([]) }
      } else {
        kept.append(segment)
      }
    }
    return [0x2F] + kept.joined(separator: [0x2F])
  }
}
