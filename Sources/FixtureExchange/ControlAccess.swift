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
  /// `Host` tells), nor by a request of its own (its `Origin` tells).
  package func check(_ head: RequestHead) throws(ControlError) {
    let hosts = head.fields.all(.host)
    guard hosts.count == 1, isOwn(hosts[0]) else {
      throw ControlError(403, "the Host field must be the address this listens on")
    }
    if let origin = head.fields.first(.origin) {
      guard origin.starts(with: "http://".utf8), isOwn(origin.dropFirst(7)) else {
        throw ControlError(403, "requests of pages from elsewhere are not answered")
      }
    }
    guard let token else { return }
    let given = head.fields.first(.authorization) ?? []
    guard given.elementsEqual(Array("Bearer ".utf8) + token) else {
      throw ControlError(
        401, "give the token of FIXTURED_CONTROL_TOKEN as Authorization: Bearer TOKEN")
    }
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
