import FixtureHTTP

/// Makes the keys by which the values of a field are compared.
///
/// All lines of a name are one value (RFC 9110 §5.3); whitespace around commas does not matter.
/// `Content-Type` is compared as a media type. In a redacted field a secret counts by its presence.
package struct FieldKeys: Sendable {
  let rules: RedactionRules?

  /// Appends the key of one field's value; absent is not the same as empty.
  /// - Parameter name: in lower case.
  package func append(_ name: [UInt8], of fields: FieldSection, to key: inout [UInt8]) {
    let values = values(name, of: fields)
    guard let first = values.first else { return key.append(0) }
    key.append(1)
    if name.elementsEqual("content-type".utf8) {
      return ParameterizedValue(first).appendMediaType(to: &key)
    }
    key.appendPrefixed { key in
      for (index, member) in values.flatMap(members).enumerated() {
        if index > 0 { key.append(0x2C) }
        key.append(contentsOf: member)
      }
    }
  }

  /// The placeholders that the field's redacted places hold, in order; nil for anything else there.
  package func placeholders(_ name: [UInt8], of fields: FieldSection) -> [Placeholder?] {
    guard let rules else { return [] }
    guard let place = rules.place(ofField: name[...]) else {
      let found = lines(name, of: fields).flatMap { Placeholder.marks(in: Array($0)) }
      return found.contains { $0 != nil } ? found : []
    }
    let secrets = FieldSecrets(references: ReferenceSecrets(rules: rules))
    var found: [Placeholder?] = []
    for value in lines(name, of: fields) {
      _ = secrets.replacing(in: value, of: place) { secret in
        found.append(Placeholder(secret))
        return nil
      }
    }
    return found.contains { $0 != nil } ? found : []
  }

  private func values(_ name: [UInt8], of fields: FieldSection) -> [ArraySlice<UInt8>] {
    lines(name, of: fields).map { line in
      let value = concealingSecrets(in: line, of: name)
      guard rules != nil, value.withUnsafeBytes({ Placeholder.mayOccur(in: $0) }) else {
        return value
      }
      return Placeholder.withoutNumbers(Array(value)).map { $0[...] } ?? value
    }
  }

  /// The field's lines as they may be shown: placeholders stay, other secrets do not.
  func shown(_ name: [UInt8], of fields: FieldSection) -> [ArraySlice<UInt8>] {
    lines(name, of: fields).map { line in
      concealingSecrets(in: line, of: name) { Placeholder($0) == nil }
    }
  }

  private func lines(_ name: [UInt8], of fields: FieldSection) -> [ArraySlice<UInt8>] {
    (0..<fields.count).filter { fields.name(at: $0).equalsIgnoringCase(name) }
      .map { fields.value(at: $0) }
  }

  private func members(_ value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    value.contains(0x2C) ? value.commaSeparatedMembers : [value]
  }

  private func concealingSecrets(
    in value: ArraySlice<UInt8>, of name: [UInt8],
    where isConcealed: ([UInt8]) -> Bool = { _ in true }
  ) -> ArraySlice<UInt8> {
    guard let rules, let place = rules.place(ofField: name[...]) else { return value }
    let secrets = FieldSecrets(references: ReferenceSecrets(rules: rules))
    let concealed = secrets.replacing(in: value, of: place) { secret in
      isConcealed(secret) ? Array("REDACTED".utf8) : nil
    }
    return concealed?[...] ?? value
  }
}
