/// The URL of an upstream: scheme, host, port and a path that every request target is put behind.
package struct BaseURL: Equatable, Sendable {
  package enum Scheme: String, Equatable, Sendable {
    case http, https

    /// RFC 9110 §4.2.1, §4.2.2.
    package var defaultPort: UInt16 {
      switch self {
      case .http: 80
      case .https: 443
      }
    }
  }

  package let scheme: Scheme
  /// A name or an IP address in lower case; an IPv6 address without its brackets.
  package let host: String
  /// The scheme's own when the URL names none.
  package let port: UInt16
  /// Empty, or `/` and more without a slash at the end.
  package let basePath: String
  /// `host` or `host:port`, as a Host field names it (RFC 9110 §7.2): without the default port, an
  /// IPv6 address in brackets.
  package let authority: String

  /// Parses `scheme://host[:port][/base/path]`.
  ///
  /// Userinfo is refused so that no password gets onto a command line, a query and a fragment
  /// because no request would carry them.
  /// - Throws: one case for each part that is wrong; its description says what is expected.
  package init(parsing text: String) throws(BaseURLError) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { throw .empty }
    guard let start = RequestTarget.schemeEnd(of: bytes) else {
      // What stands before an "@" may be a password: nothing of it gets into an error.
      throw bytes.contains(0x40) ? .userinfoPresent : .schemeMissing(text)
    }
    let schemeText = String(decoding: bytes[..<(start - 3)], as: UTF8.self).lowercased()
    guard let scheme = Scheme(rawValue: schemeText) else { throw .schemeUnsupported(schemeText) }

    let end = bytes[start...].firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 }
    let authority = bytes[start..<(end ?? bytes.endIndex)]
    guard !authority.contains(0x40) else { throw .userinfoPresent }
    let path = bytes[(end ?? bytes.endIndex)...]
    guard !path.contains(0x23) else { throw .fragmentPresent }
    guard !path.contains(0x3F) else { throw .queryPresent }

    let (hostBytes, portBytes) = try Self.split(authority: authority)
    self.scheme = scheme
    host = String(decoding: hostBytes.map(\.asciiLowercased), as: UTF8.self)
    port = try Self.port(portBytes) ?? scheme.defaultPort
    basePath = try Self.basePath(path)
    let name = host.utf8.contains(0x3A) ? "[\(host)]" : host
    self.authority = port == scheme.defaultPort ? name : "\(name):\(port)"
  }

  /// Whether the port is the scheme's own.
  package var hasDefaultPort: Bool { port == scheme.defaultPort }

  /// The URL in its canonical spelling, which parses to an equal value.
  package var description: String { origin + basePath }

  /// Scheme, host and port (RFC 9110 §4.3.1) in their canonical spelling.
  package var origin: String { "\(scheme.rawValue)://\(authority)" }

  /// Whether scheme, host and port are the same, whatever the base paths.
  package func hasOrigin(of other: BaseURL) -> Bool {
    scheme == other.scheme && host == other.host && port == other.port
  }

  /// What of a path, with query and fragment if any, follows the base path: it begins with a slash,
  /// or is the whole of it when there is no base path. nil when the path does not lead there.
  package func pathBelowBase(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard !basePath.isEmpty else { return path }
    guard path.starts(with: basePath.utf8) else { return nil }
    let below = path.dropFirst(basePath.utf8.count)
    switch below.first {
    case nil: return [0x2F]
    case 0x2F: return below
    case 0x3F, 0x23: return [0x2F] + below
    default: return nil
    }
  }
}

extension BaseURL {
  private static func split(
    authority: ArraySlice<UInt8>
  ) throws(BaseURLError) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>?) {
    guard !authority.isEmpty else { throw .hostMissing }
    if authority.first == 0x5B { return try splitBracketed(authority) }
    let colon = authority.firstIndex(of: 0x3A)
    let host = authority[..<(colon ?? authority.endIndex)]
    let text = String(decoding: authority, as: UTF8.self)
    // "[…]:443" is needed for an address with colons: "::1:443" could be either.
    if let colon, authority[(colon + 1)...].contains(0x3A) { throw .hostInvalid(text) }
    guard !host.isEmpty else { throw .hostMissing }
    guard host.allSatisfy(\.isHostCharacter) else { throw .hostInvalid(text) }
    return (host, colon.map { authority[($0 + 1)...] })
  }

  /// `[IPv6 address]` and what follows (RFC 3986 §3.2.2).
  private static func splitBracketed(
    _ authority: ArraySlice<UInt8>
  ) throws(BaseURLError) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>?) {
    let text = String(decoding: authority, as: UTF8.self)
    guard let bracket = authority.firstIndex(of: 0x5D) else { throw .hostInvalid(text) }
    let host = authority[(authority.startIndex + 1)..<bracket]
    guard host.count(where: { $0 == 0x3A }) >= 2,
      host.allSatisfy({ $0.hexDigitValue != nil || $0 == 0x3A || $0 == 0x2E })
    else { throw .hostInvalid(text) }
    let rest = authority[(bracket + 1)...]
    guard let first = rest.first else { return (host, nil) }
    guard first == 0x3A else { throw .hostInvalid(text) }
    return (host, rest.dropFirst())
  }

  /// nil for an absent or empty port, which mean the default one (RFC 3986 §3.2.3).
  private static func port(_ digits: ArraySlice<UInt8>?) throws(BaseURLError) -> UInt16? {
    guard let digits, !digits.isEmpty else { return nil }
    let text = String(decoding: digits, as: UTF8.self)
    guard digits.allSatisfy(\.isDigit), let port = UInt16(text), port > 0 else {
      throw .portInvalid(text)
    }
    return port
  }

  private static func basePath(_ path: ArraySlice<UInt8>) throws(BaseURLError) -> String {
    let text = String(decoding: path, as: UTF8.self)
    guard path.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .pathInvalid(text) }
    var kept = path
    while kept.last == 0x2F { kept.removeLast() }
    return String(decoding: kept, as: UTF8.self)
  }
}

extension UInt8 {
  /// What a name or an IPv4 address is made of here: letters, digits, `-`, `.`, `_`. RFC 3986
  /// §3.2.2 allows more, no resolver does.
  fileprivate var isHostCharacter: Bool {
    isLetter || isDigit || self == 0x2D || self == 0x2E || self == 0x5F
  }
}

/// Why a text is no upstream URL. No case carries userinfo.
package enum BaseURLError: Error, Equatable, CustomStringConvertible {
  case empty
  /// No `scheme://` at the start.
  case schemeMissing(String)
  case schemeUnsupported(String)
  case userinfoPresent
  case hostMissing
  case hostInvalid(String)
  case portInvalid(String)
  case pathInvalid(String)
  case queryPresent
  case fragmentPresent

  package var description: String {
    switch self {
    case .empty: "the upstream URL is empty, expected http://HOST or https://HOST"
    case .schemeMissing(let text):
      "the upstream URL \"\(text)\" has no scheme, expected http://\(text) or https://\(text)"
    case .schemeUnsupported(let scheme):
      "the upstream's scheme is \"\(scheme)\", expected http or https"
    case .userinfoPresent:
      "the upstream URL holds a user name or password, which command lines give away: remove it"
        + " and let the client send its own Authorization field"
    case .hostMissing: "the upstream URL has no host, expected http://HOST or https://HOST"
    case .hostInvalid(let host):
      "the upstream's host \"\(host)\" is not valid, expected a name in ASCII (xn--… for others),"
        + " an IPv4 address, or an IPv6 address in brackets"
    case .portInvalid(let port): "the upstream's port \"\(port)\" is not valid, expected 1 to 65535"
    case .pathInvalid(let path):
      "the upstream's path \"\(path)\" holds bytes that must be percent-encoded"
    case .queryPresent: "the upstream URL has a query, which no request would carry: remove it"
    case .fragmentPresent:
      "the upstream URL has a fragment, which no request would carry: remove it"
    }
  }
}
