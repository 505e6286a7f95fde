import FixtureHTTP

/// Whether a connection is kept after an exchange (RFC 9112 §9.3).
package enum Persistence {
  /// What a message of this version with these fields asks for.
  static func isWanted(_ version: HTTPVersion, _ fields: FieldSection) -> Bool {
    guard fields.contains(.connection) else { return version >= .http11 }
    if fields.list(.connection, holds: "close") { return false }
    return version >= .http11 || fields.list(.connection, holds: "keep-alive")
  }

  /// Whether an upstream's connection can carry another request after this response.
  ///
  /// Not after both framings: RFC 9112 §6.3 suspects a smuggled response behind them.
  package static func isKept(
    after head: ResponseHead, framing: BodyFraming, bothFramings: Bool
  ) -> Bool {
    !bothFramings && framing != .untilClose && isWanted(head.version, head.fields)
  }
}
