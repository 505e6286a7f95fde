import FixtureHTTP

/// Who may use the control API.
package struct ControlAccess: Sendable {
  /// Its listener's port.
  private let port: UInt16
  /// What `Host` may name beside loopback: the address that was given to listen on.
  private let host: String
  /// nil on loopback.
  private let token: [UInt8]?

  package init(host: String, port: UInt16, token: String?) {
    self.host = host.contains(":") ? "[\(host)]" : host
    self.port = port
    self.token = token.map { Array($0.utf8) }
  }

  /// A page of another site must not reach it: neither by a name that was made to lead here (its
  /// `Host` tells), nor by a request of its own (its `Origin` tells). With a token no page can, by
  /// whatever name: it does not have it. The inspector's page, which holds nothing of a session,
  /// needs no token: it asks for that.
  package func check(_ head: RequestHead) throws(ControlError) {
    let hosts = head.fields.all(.host)
    guard hosts.count == 1, token != nil || isOwn(hosts[0]) else {
      throw ControlError(403, "the Host field must be the address this listens on")
    }
    // RFC 9112 §3.2.2: a target with an authority counts, whatever `Host` says.
    if RequestTarget.form(of: head.target) == .absolute {
      throw ControlError(403, "give a path, not a whole URL, as the request target")
    }
    for origin in head.fields.all(.origin) {
      let authority = origin.dropFirst(7)
      guard origin.starts(with: "http://".utf8),
        isOwn(authority) || token != nil && authority.elementsEqual(hosts[0])
      else {
        throw ControlError(403, "requests of pages from elsewhere are not answered")
      }
    }
    guard let token, head.target != [0x2F] else { return }
    let given = head.fields.all(.authorization)
    guard given.count == 1, Self.names(token, given[0]) else {
      throw ControlError(
        401, "give the token of FIXTURED_CONTROL_TOKEN as Authorization: Bearer TOKEN")
    }
  }

  /// Whether a value of `Authorization` is `Bearer`, in any case (RFC 9110 §11.1), and the token.
  /// The time it takes tells nothing of where they differ.
  private static func names(_ token: [UInt8], _ value: ArraySlice<UInt8>) -> Bool {
    let scheme = "bearer ".utf8
    guard value.prefix(scheme.count).map(\.asciiLowercased).elementsEqual(scheme) else {
      return false
    }
    let given = Array(value.dropFirst(scheme.count))
    guard given.count == token.count else { return false }
    return zip(given, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private func isOwn(_ authority: ArraySlice<UInt8>) -> Bool {
    let names = ["127.0.0.1", "localhost", "[::1]", host]
    let given = authority.map(\.asciiLowercased)
    return names.contains { name in
      given == Array("\(name):\(port)".utf8) || port == 80 && given == Array(name.utf8)
    }
  }
}

extension FieldName {
  static let origin = FieldName("origin")
}
