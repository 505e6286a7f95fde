import FixtureHTTP

extension ContentSecrets {
  /// A message within the content: its target and fields as those of the message around it, and its
  /// content by its type.
  /// - Returns: false when it is none; then nothing was found.
  mutating func message(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, path: UInt64, _ replacement: Replacement
  ) -> Bool {
    guard let message = EmbeddedMessage(bytes) else { return false }
    if let target = message.target {
      let new = ReferenceSecrets(rules: rules).replacing(inTarget: Array(bytes[target])) {
        found($0, at: path)
        return replacement($0)
      }
      replace((offset + target.lowerBound)..<(offset + target.upperBound), by: new)
    }
    fields(message.fields, of: bytes, at: offset, path: path, replacement)
    let type = message.fields.contentType(in: bytes)
    guard !message.content.isEmpty, RedactableType(contentType: type?[...]) != .opaque else {
      return true
    }
    read(
      UnsafeRawBufferPointer(rebasing: bytes[message.content]),
      at: offset + message.content.lowerBound, ContentKind(contentType: type?[...]), path: path,
      replacement)
    return true
  }

  /// Field lines, of which some are places for secrets.
  mutating func fields(
    _ fields: EmbeddedFields, of bytes: UnsafeRawBufferPointer, at offset: Int, path: UInt64,
    _ replacement: Replacement
  ) {
    let secrets = FieldSecrets(references: ReferenceSecrets(rules: rules))
    for line in fields.lines {
      let name = bytes[line.name].map(\.asciiLowercased)
      guard let place = rules.place(ofField: name[...]) else { continue }
      let path = StableHash.mix(path, StableHash.value(of: name))
      let new = secrets.replacing(in: Array(bytes[line.value])[...], of: place) {
        found($0, at: path)
        return replacement($0)
      }
      replace((offset + line.value.lowerBound)..<(offset + line.value.upperBound), by: new)
    }
  }
}
