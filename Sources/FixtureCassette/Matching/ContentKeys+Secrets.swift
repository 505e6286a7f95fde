import FixtureCoding
import FixtureHTTP

extension ContentKeys {
  /// A live content as it is compared with redacted ones.
  package struct Concealed {
    fileprivate let concealed: ConcealedContent

    /// Without codings, `REDACTED` instead of every secret.
    package var content: [UInt8] { concealed.bytes }

    /// Whether a secret is a placeholder itself, so that its number counts.
    package var hasPlaceholders: Bool {
      !concealed.others.isEmpty || concealed.places.contains { $0.placeholder != nil }
    }

    /// Tells contents with other placeholders apart.
    package var placeholderHash: UInt64 {
      let places = concealed.places.map { $0.placeholder?.number ?? 0 }
      return (places + concealed.others).reduce(0) {
        StableHash.mix($0, UInt64(bitPattern: $1))
      }
    }
  }

  /// - Parameter secrets: known from elsewhere, which may stand in it too; learns its own.
  /// - Returns: nil when the content holds no secret.
  package func concealed(
    _ content: [UInt8], _ form: ContentForm, _ secrets: inout LiveSecrets
  ) -> Concealed? {
    secrets.concealed(content, form).map { Concealed(concealed: $0) }
  }

  /// As the other one, for a content alone.
  package func concealed(_ content: [UInt8], _ form: ContentForm) -> Concealed? {
    guard let rules else { return nil }
    var secrets = LiveSecrets(rules: rules)
    return concealed(content, form, &secrets)
  }

  /// Whether recorded content, which is equal but for its secrets, holds the same placeholder
  /// wherever the live one holds one. Outside the places for secrets it must hold as many of each.
  package func agrees(
    _ recorded: [UInt8], _ form: ContentForm, with live: Concealed
  ) -> Bool {
    let own = concealed(recorded, form)?.concealed
    let ordered = Self.ordered(live.concealed.places)
    let recorded = Self.ordered(own?.places ?? [])
    return recorded.count == ordered.count
      && zip(ordered, recorded).allSatisfy { live, recorded in
        live.placeholder == nil || live == recorded
      } && Self.has(own?.others ?? [], live.concealed.others)
  }

  /// - Parameter numbers: ascending, as `others`.
  private static func has(_ numbers: [Int64], _ others: [Int64]) -> Bool {
    var rest = numbers[...]
    for other in others {
      guard let place = rest.firstIndex(of: other) else { return false }
      rest = rest[(place + 1)...]
    }
    return true
  }

  /// The order of members does not matter.
  private static func ordered(_ places: [ContentSecrets.Place]) -> [ContentSecrets.Place] {
    places.enumerated().sorted { left, right in
      (left.element.path, left.offset) < (right.element.path, right.offset)
    }.map(\.element)
  }

  /// Content without codings, and without the placeholders' numbers.
  func compared(_ content: [UInt8], _ form: ContentForm) -> [UInt8] {
    let content = Self.decoded(content, form)
    return content.withUnsafeBytes { bytes in
      guard let rules, mayHoldPlaceholders(bytes) else { return content }
      return rules.concealingSecrets(inContent: bytes, form.kind) ?? content
    }
  }

  /// Numbers that were redacted have no mark, so rules about them make every content one.
  package func mayHoldPlaceholders(_ content: UnsafeRawBufferPointer) -> Bool {
    guard rules != nil else { return false }
    return mayRedactNumbers || Placeholder.mayOccur(in: content)
  }

  /// Whether a content can have been redacted without a placeholder in it.
  package var mayRedactNumbers: Bool { rules?.mayRedactNumbers ?? false }
}
