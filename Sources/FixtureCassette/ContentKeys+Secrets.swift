import FixtureCoding
import FixtureHTTP

extension ContentKeys {
  /// A live content as it is compared with redacted ones.
  package struct Concealed {
    /// Without codings, `REDACTED` instead of every secret.
    package let content: [UInt8]
    fileprivate let places: [ContentSecrets.Place]

    /// Whether a secret is a placeholder itself, so that its number counts.
    package var hasPlaceholders: Bool { places.contains { $0.placeholder != nil } }

    /// Tells contents with other placeholders apart.
    package var placeholderHash: UInt64 {
      places.reduce(0) { StableHash.mix($0, UInt64(bitPattern: $1.placeholder?.number ?? 0)) }
    }
  }

  /// - Parameter request: the head that it came with, whose secrets may stand in it too.
  /// - Returns: nil when the content holds no secret.
  package func concealed(
    _ content: [UInt8], _ form: ContentForm, of request: RequestHead? = nil
  ) -> Concealed? {
    guard let rules else { return nil }
    let others = request.map { Redactor.secrets(of: $0, rules) } ?? []
    return Self.decoded(content, form).withUnsafeBytes { content in
      ContentSecrets.concealed(content, form.kind, rules, others: others).map {
        Concealed(content: $0.bytes, places: $0.places)
      }
    }
  }

  /// Whether recorded content, which is equal but for its secrets, holds the same placeholder
  /// wherever the live one holds one.
  package func agrees(
    _ recorded: [UInt8], _ form: ContentForm, with live: Concealed
  ) -> Bool {
    let ordered = Self.ordered(live.places)
    let own = concealed(recorded, form).map { Self.ordered($0.places) } ?? []
    return own.count == ordered.count
      && zip(ordered, own).allSatisfy { live, own in
        live.placeholder == nil || live == own
      }
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
      return ContentSecrets.concealed(bytes, form.kind, rules)?.bytes ?? content
    }
  }

  /// Numbers that were redacted have no mark, so rules about them make every content one.
  func mayHoldPlaceholders(_ content: UnsafeRawBufferPointer) -> Bool {
    guard let rules else { return false }
    return rules.mayRedactNumbers || Placeholder.mayOccur(in: content)
  }
}
