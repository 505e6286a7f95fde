import FixtureHTTP

/// Fields that belong to one connection and are not passed on (RFC 9110 §7.6.1).
package enum ForwardedFields {
  /// The section without the fields of the connection it came by: those the `Connection` field
  /// names, and those that are so by definition. Framing fields are left for the caller.
  package static func endToEnd(_ fields: FieldSection) -> FieldSection {
    guard needsRemoval(fields) else { return fields }
    let nominated = fields.list(.connection)
    return fields.mapValues { name, value in
      if isConnectionField(name) { return nil }
      // RFC 9110 §7.6.1: "remove any header fields with the same name as the connection-option";
      // a framing field named there still frames this message, its removal is the caller's.
      if !isFraming(name), nominated.contains(where: { $0.equalsIgnoringCase(name) }) {
        return nil
      }
      return value
    }
  }

  /// The section with a length that is repeated, or listed, once: RFC 9110 §8.6 lets a recipient
  /// reject such a message, so it is not passed on as it came.
  static func withOneLength(_ fields: FieldSection) -> FieldSection {
    let lengths = fields.all(.contentLength)
    guard lengths.count > 1 || lengths.contains(where: { $0.contains(0x2C) }) else {
      return fields
    }
    var isFirst = true
    return fields.mapValues { name, value in
      guard name.withUnsafeBytes(FieldName.contentLength.matches) else { return value }
      defer { isFirst = false }
      return isFirst ? value.commaSeparatedMembers.first : nil
    }
  }

  private static let connectionFields: [FieldName] = [
    .connection, .keepAlive, .proxyConnection, .te, .upgrade,
  ]

  private static func needsRemoval(_ fields: FieldSection) -> Bool {
    connectionFields.contains { fields.contains($0) }
  }

  private static func isConnectionField(_ name: ArraySlice<UInt8>) -> Bool {
    name.withUnsafeBytes { bytes in connectionFields.contains { $0.matches(bytes) } }
  }

  private static func isFraming(_ name: ArraySlice<UInt8>) -> Bool {
    name.withUnsafeBytes {
      FieldName.contentLength.matches($0) || FieldName.transferEncoding.matches($0)
    }
  }
}
