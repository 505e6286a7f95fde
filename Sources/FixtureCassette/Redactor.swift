import FixtureHTTP

/// Replaces the secrets of interactions by placeholders, before anything is stored.
///
/// A secret is the decoded text of a place that the rules name; equal secrets get the same
/// `REDACTED-n`, wherever they stand and however they are escaped. A placeholder that is there
/// already stays, so redacting twice changes nothing. Content is not looked at.
package struct Redactor: Sendable {
  /// Distinct secrets that are remembered: 100,000 take about 6 MB. A secret seen after that gets a
  /// new number each time, which loses nothing but that two places held the same.
  package static let rememberedMax = 100_000

  package let rules: RedactionRules
  /// The highest number in use; to be stored with the recording, so that a later one continues it.
  package private(set) var count: Int64
  /// Numbers by digest, so that no secret is kept. Never stored: a later recording into the same
  /// cassette can't know that a secret is an old one, and gives it a new number.
  private var numbers: [SecretDigest: Int64] = [:]

  /// - Parameter count: the highest number in use already, 0 for a new cassette.
  package init(rules: RedactionRules, count: Int64) {
    self.rules = rules
    self.count = count
  }

  /// Redacts the target and all field sections, and notes it when anything was replaced.
  package mutating func redact(_ interaction: inout Interaction) {
    var changed = redactTarget(&interaction.request.target)
    changed = redact(&interaction.request.fields) || changed
    changed = redact(&interaction.requestTrailers) || changed
    for index in interaction.interims.indices {
      changed = redact(&interaction.interims[index].head.fields) || changed
    }
    if var response = interaction.response {
      changed = redact(&response.head.fields) || changed
      changed = redact(&response.trailers) || changed
      interaction.response = response
    }
    if changed { interaction.notes.insert(.redacted) }
  }

  /// - Returns: whether anything was replaced.
  private mutating func redactTarget(_ target: inout [UInt8]) -> Bool {
    let references = ReferenceSecrets(rules: rules)
    let new = references.replacing(inTarget: target) { placeholder(for: $0) }
    guard let new else { return false }
    target = new
    return true
  }

  /// - Returns: whether anything was replaced.
  private mutating func redact(_ section: inout FieldSection) -> Bool {
    // Most sections stay as they are, and the section of every interaction is looked at.
    let mayChange = section.lines.indices.contains {
      rules.place(ofField: section.name(at: $0)) != nil
    }
    guard mayChange else { return false }
    let secrets = FieldSecrets(references: ReferenceSecrets(rules: rules))
    var changed = false
    let redacted = section.mapValues { name, value in
      guard let place = rules.place(ofField: name),
        let new = secrets.replacing(in: value, of: place, by: { placeholder(for: $0) })
      else { return value }
      changed = true
      return new[...]
    }
    if changed { section = redacted }
    return changed
  }

  /// What stands instead of a secret; nil for one that stays, because it is empty or a placeholder.
  private mutating func placeholder(for secret: [UInt8]) -> [UInt8]? {
    guard !secret.isEmpty else { return nil }
    if let existing = Placeholder(secret) {
      // Its number is taken, even if another recording gave it.
      count = max(count, existing.number)
      return nil
    }
    let digest = SecretDigest(secret)
    if let number = numbers[digest] { return Placeholder(number: number).bytes }
    count = min(count + 1, Placeholder.numberMax)
    if numbers.count < Self.rememberedMax { numbers[digest] = count }
    return Placeholder(number: count).bytes
  }
}

/// SHA-256 of a secret, as words: a key of 32 bytes without an allocation of its own.
private struct SecretDigest: Hashable, Sendable {
  private let words: SIMD4<UInt64>

  init(_ secret: [UInt8]) {
    words = SHA256.digest(of: secret).withUnsafeBytes { bytes in
      bytes.loadUnaligned(as: SIMD4<UInt64>.self)
    }
  }
}
