import CFixtureOpenSSL

/// What a server's certificate must name: a host name or an IP address.
enum ServerName: Equatable {
  /// A host name without its trailing dot; sent as server name indication.
  case name(String)
  /// An IP address literal, IPv6 without brackets and zone. RFC 6066 §3 keeps literals out of
  /// server name indication.
  case address(String)

  /// Classifies a URL's host, an IPv6 literal without its brackets.
  ///
  /// - Throws: `.serverNameUnusable` for an empty host, one with a NUL byte, or one longer than the
  ///   253 bytes that a name in the DNS can have.
  init(parsing host: String) throws(TLSError) {
    let isPlain = !host.isEmpty && host.utf8.count <= 253 && !host.utf8.contains(0)
    guard isPlain else { throw .serverNameUnusable(host) }
    // The zone of a link-local address is this machine's own affair; no certificate names it.
    let address = host.contains(":") ? String(host.prefix { $0 != "%" }) : host
    if Self.isAddress(address) {
      self = .address(address)
    } else {
      let name = host.last == "." ? String(host.dropLast()) : host
      guard !name.isEmpty else { throw .serverNameUnusable(host) }
      self = .name(name)
    }
  }

  /// The text for messages.
  var text: String {
    switch self {
    case .name(let text), .address(let text): text
    }
  }

  /// Whether OpenSSL reads the text as an address. The C function is `a2i_IPADDRESS`.
  private static func isAddress(_ text: String) -> Bool {
    guard let octets = a2i_IPADDRESS(text) else {
      OpenSSLErrorQueue.clear()
      return false
    }
    ASN1_OCTET_STRING_free(octets)
    return true
  }
}
