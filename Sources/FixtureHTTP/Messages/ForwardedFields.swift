/// Fields that belong to one connection and are not passed on (RFC 9110 §7.6.1).
package enum ForwardedFields {
  /// The section without the fields of the connection it came by: those the `Connection` field
  /// names, and those that are so by definition. Framing fields are left for the caller.
  package static func endToEnd(_ fields: FieldSection) -> FieldSection {
    guard needsRemoval(fields) else { return fields }
    let nominated = nominated(by: fields)
    return fields.filtered { name in
      if isConnectionField(name) { return false }
      // RFC 9110 §7.6.1: "remove any header fields with the same name as the connection-option";
      // a framing field named there still frames this message, its removal is the caller's.
      return nominated.isEmpty || isFraming(name)
        || !nominated.contains { $0.equalsIgnoringCase(name) }
    }
  }

  /// The section with a length that is repeated, or listed, once: RFC 9110 §8.6 lets a recipient
  /// reject such a message, so it is not passed on as it came.
  package static func withOneLength(_ fields: FieldSection) -> FieldSection {
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

  /// The other fields that `Connection` names: most often none.
  private static func nominated(by fields: FieldSection) -> [ArraySlice<UInt8>] {
    let values = fields.all(.connection)
    let saysEnding = values.allSatisfy { value in
      endings.contains { value.equalsIgnoringCase($0) }
    }
    return saysEnding ? [] : values.flatMap(\.commaSeparatedMembers)
  }

  /// What is said of the connection itself; `Keep-Alive` is removed anyway.
  private static let endings = ["keep-alive", "close"].map { Array($0.utf8) }
  private static let connectionFields: [FieldName] = [
    .connection, .keepAlive, .proxyConnection, .te, .upgrade,
  ]

  private static func needsRemoval(_ fields: FieldSection) -> Bool {
    fields.lines.indices.contains { fields.withName(at: $0, isConnectionField) }
  }

  private static func isConnectionField(_ name: UnsafeRawBufferPointer) -> Bool {
    connectionFields.contains { $0.matches(name) }
  }

  private static func isFraming(_ name: UnsafeRawBufferPointer) -> Bool {
    FieldName.contentLength.matches(name) || FieldName.transferEncoding.matches(name)
  }
}
