import FixtureHTTP

/// Where a reference with an authority leads (RFC 3986 §4.2, §4.3).
struct Redirection: Hashable {
  /// Host and port, as `authority(_:)` gives them.
  let authority: [UInt8]
  /// Path and query, as a request for it names them.
  let target: [UInt8]

  /// - Parameter authority: as `authority(_:)` gives it.
  init(authority: [UInt8], target: [UInt8]) {
    self.authority = authority
    self.target = target
  }

  /// nil for a reference within its authority.
  init?(_ reference: ArraySlice<UInt8>) {
    let start: Int
    if reference.starts(with: [0x2F, 0x2F]) {
      start = reference.startIndex + 2
    } else if let end = RequestTarget.schemeEnd(of: reference) {
      start = end
    } else {
      return nil
    }
    let rest = reference[start...].prefix { $0 != 0x23 }
    let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F } ?? rest.endIndex
    authority = Self.authority(rest[..<end])
    target = (rest[end...].first == 0x2F ? [] : [0x2F]) + rest[end...]
  }

  /// Lower case, without user information, and without port 80 or 443: `Host` tells no scheme.
  static func authority(_ text: some Collection<UInt8>) -> [UInt8] {
    var host = text.map(\.asciiLowercased)
    if let at = host.lastIndex(of: 0x40) { host.removeSubrange(...at) }
    for port in [":80", ":443", ":"] where host.hasSuffix(port) {
      host.removeLast(port.utf8.count)
      break
    }
    return host
  }

  /// Whether cookies of another host may be meant for this one: they know no ports (RFC 6265 §8.5),
  /// and `Domain` shares them between the hosts of a domain.
  func sharesCookies(with other: [UInt8]) -> Bool {
    let host = Self.host(authority)
    let other = Self.host(Self.authority(other))
    if host == other { return true }
    let isName = host.contains { $0.isLetter } && other.contains { $0.isLetter }
    let labels = host.split(separator: 0x2E).suffix(2)
    return isName && labels.count == 2 && labels == other.split(separator: 0x2E).suffix(2)
  }

  /// Without the port.
  private static func host(_ authority: [UInt8]) -> [UInt8] {
    guard let colon = authority.lastIndex(of: 0x3A),
      authority[(colon + 1)...].allSatisfy(\.isDigit)
    else { return authority }
    return Array(authority[..<colon])
  }
}

extension [UInt8] {
  fileprivate func hasSuffix(_ text: String) -> Bool {
    suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
