import FixtureHTTP

/// Replaces the secrets of interactions by placeholders, before anything is stored.
///
/// A secret is the decoded text of a place that the rules name; equal secrets get the same
/// `REDACTED-n`, wherever they stand and however they are escaped. One that is distinctive is also
/// replaced wherever else it is spelled from then on, in the same interaction and in later ones. A
/// placeholder that is there already stays, so redacting twice changes nothing.
package struct Redactor: Sendable {
  /// Distinct secrets that are remembered: 100,000 take about 6 MB. A secret seen after that gets a
  /// new number each time, which loses nothing but that two places held the same.
  package static let rememberedMax = 100_000

  package let rules: RedactionRules
  /// The highest number in use; to be stored with the recording, so that a later one continues it.
  package private(set) var count: Int64
  /// The numbers of the texts' secrets by rule; to be stored with the recording, so that a replay
  /// can say what stands instead of them.
  package private(set) var textNumbers: [String: [Int64]]
  /// Numbers by digest. Never stored: a later recording into the same cassette can't know that a
  /// secret is an old one, and gives it a new number.
  private var numbers: [SecretDigest: Entry] = [:]
  private var known = KnownSecrets()
  /// Whether `REDACTED` stands for every secret, and nothing is counted.
  private let isConcealing: Bool

  /// What is remembered of a secret.
  private struct Entry {
    /// 0 until it stands anywhere.
    var number: Int64 = 0
    /// Whether it is looked for everywhere.
    var isKnown = false
  }

  /// - Parameters:
  ///   - count: the highest number in use already, 0 for a new cassette.
  ///   - texts: the secrets of the rules' texts, as far as they are known here.
  ///   - textNumbers: what an earlier recording gave them.
  package init(
    rules: RedactionRules, count: Int64, texts: [TextSecrets] = [],
    textNumbers: [String: [Int64]] = [:]
  ) {
    self.rules = rules
    self.count = count
    self.textNumbers = textNumbers
    isConcealing = false
    for text in texts { add(text) }
  }

  /// One that puts `REDACTED` in the place of every secret, to compare or to show; placeholders
  /// stay. It remembers as many secrets as `LiveSecrets` says.
  init(concealing rules: RedactionRules) {
    self.rules = rules
    count = 0
    textNumbers = [:]
    isConcealing = true
    known = KnownSecrets(secretsMax: LiveSecrets.secretsMax, bytesMax: LiveSecrets.bytesMax)
  }

  /// How many secrets were learned that are looked for everywhere.
  var learnedCount: Int { known.learnedCount }

  private mutating func add(_ text: TextSecrets) {
    var given = textNumbers[text.source.word] ?? []
    for (index, secret) in text.secrets.enumerated() {
      guard known.addLasting(secret) else { continue }
      while given.count <= index {
        count = min(count + 1, Placeholder.numberMax)
        given.append(count)
      }
      numbers[SecretDigest(secret)] = Entry(number: given[index], isKnown: true)
    }
    textNumbers[text.source.word] = given
  }

  /// Redacts the target and all field sections, and notes it when anything was replaced.
  package mutating func redact(_ interaction: inout Interaction) {
    var changed = redactPlaces(of: &interaction)
    changed = replaceKnown(in: &interaction) || changed
    if changed { interaction.notes.insert(.redacted) }
  }

  // MARK: Places

  /// - Returns: whether anything was replaced.
  mutating func redactPlaces(of interaction: inout Interaction) -> Bool {
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
    return changed
  }

  mutating func redactPlaces(of request: inout RequestHead) {
    _ = redactTarget(&request.target)
    _ = redact(&request.fields)
  }

  private mutating func redactTarget(_ target: inout [UInt8]) -> Bool {
    let references = ReferenceSecrets(rules: rules)
    let new = references.replacing(inTarget: target) { placeholder(for: $0, from: .uncertain) }
    guard let new else { return false }
    target = new
    return true
  }

  private mutating func redact(_ section: inout FieldSection) -> Bool {
    // Most sections stay as they are, and the section of every interaction is looked at.
    let mayChange = section.lines.indices.contains {
      rules.place(ofField: section.name(at: $0)) != nil
    }
    guard mayChange else { return false }
    let secrets = FieldSecrets(references: ReferenceSecrets(rules: rules))
    var changed = false
    let redacted = section.mapValues { name, value in
      guard let place = rules.place(ofField: name) else { return value }
      let new = secrets.replacing(in: value, of: place) { secret in
        if place == .credentials { learnPassword(in: secret) }
        return placeholder(for: secret, from: place.origin)
      }
      guard let new else { return value }
      changed = true
      return new[...]
    }
    if changed { section = redacted }
    return changed
  }

  /// The password of Basic credentials (RFC 7617 §2), which they hold in base64.
  private mutating func learnPassword(in credentials: [UInt8]) {
    guard let pair = Base64Text.decoded(credentials),
      let colon = pair.firstIndex(of: 0x3A), pair.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return }
    _ = placeholder(for: Array(pair[(colon + 1)...]), from: .certain, isCounted: false)
  }

  /// What stands instead of a secret; nil for one that stays, because it is empty or a placeholder.
  /// - Parameter isCounted: false to only learn it; it gets its number when it is found.
  mutating func placeholder(
    for secret: [UInt8], from origin: SecretOrigin, isCounted: Bool = true
  ) -> [UInt8]? {
    guard !secret.isEmpty else { return nil }
    if let existing = Placeholder(secret) {
      // Its number is taken, even if another recording gave it.
      count = max(count, existing.number)
      return nil
    }
    let digest = SecretDigest(secret)
    var entry = numbers[digest] ?? Entry()
    // What holds a placeholder would be found again where one was put.
    if !entry.isKnown, origin.isDistinctive(secret),
      !secret.withUnsafeBytes({ Placeholder.mayOccur(in: $0) })
    {
      let forgotten = known.learn(secret)
      // One that conceals learns them again when it meets them.
      if isConcealing { for secret in forgotten { numbers[SecretDigest(secret)] = nil } }
      entry.isKnown = true
    }
    remember(entry, of: digest)
    return isCounted ? text(of: secret, number(of: digest)) : nil
  }

  private mutating func remember(_ entry: Entry, of digest: SecretDigest) {
    if isConcealing, !entry.isKnown { return }
    if numbers.count < Self.rememberedMax || numbers[digest] != nil { numbers[digest] = entry }
  }

  private func text(of secret: [UInt8], _ number: Int64) -> [UInt8] {
    if isConcealing { return Placeholder.anonymous }
    let placeholder = Placeholder(number: number)
    return JSONWebToken(secret)?.redacted(placeholder) ?? placeholder.bytes
  }

  private mutating func number(of digest: SecretDigest) -> Int64 {
    if isConcealing { return 0 }
    var entry = numbers[digest] ?? Entry()
    if entry.number > 0 { return entry.number }
    count = min(count + 1, Placeholder.numberMax)
    entry.number = count
    remember(entry, of: digest)
    return count
  }

  // MARK: Known secrets wherever they stand

  /// - Returns: whether anything was replaced.
  mutating func replaceKnown(in interaction: inout Interaction) -> Bool {
    guard !known.isEmpty else { return false }
    var changed = replaceKnown(inTarget: &interaction.request.target)
    changed = replaceKnown(in: &interaction.request.fields) || changed
    changed = replaceKnown(in: &interaction.requestTrailers) || changed
    for index in interaction.interims.indices {
      changed = replaceKnown(in: &interaction.interims[index].head) || changed
    }
    if var response = interaction.response {
      changed = replaceKnown(in: &response.head) || changed
      changed = replaceKnown(in: &response.trailers) || changed
      interaction.response = response
    }
    if let detail = interaction.outcomeDetail {
      var bytes = Array(detail.utf8)
      if replaceKnown(in: &bytes) {
        interaction.outcomeDetail = String(decoding: bytes, as: UTF8.self)
        changed = true
      }
    }
    return changed
  }

  /// What stands instead of a secret that was found by its text.
  private mutating func text(ofKnown secret: [UInt8]) -> [UInt8] {
    text(of: secret, number(of: SecretDigest(secret)))
  }

  mutating func replaceKnown(in request: inout RequestHead) {
    _ = replaceKnown(inTarget: &request.target)
    _ = replaceKnown(in: &request.fields)
  }

  private mutating func replaceKnown(in head: inout ResponseHead) -> Bool {
    let changed = replaceKnown(in: &head.reason)
    return replaceKnown(in: &head.fields) || changed
  }

  /// A secret that held the `?` before the query leaves another query, with places of its own.
  private mutating func replaceKnown(inTarget target: inout [UInt8]) -> Bool {
    var changed = false
    for _ in 0..<Self.roundsMax {
      guard replaceKnown(in: &target) else { break }
      changed = true
      guard redactTarget(&target) else { break }
    }
    return changed
  }

  /// Each needs a secret around a mark of its own: a `?`, a quote, the end of a tag.
  static let roundsMax = 8

  private mutating func replaceKnown(in bytes: inout [UInt8]) -> Bool {
    let edits = bytes.withUnsafeBytes { knownEdits(in: $0) }
    guard !edits.isEmpty else { return false }
    bytes = bytes.withUnsafeBytes { edits.applied(to: $0) }
    return true
  }

  private mutating func replaceKnown(in section: inout FieldSection) -> Bool {
    // Most sections hold none.
    guard !section.isEmpty, !section.bytes.withUnsafeBytes({ known.matches(in: $0) }).isEmpty
    else { return false }
    var changed = false
    let redacted = section.mapValues { name, value in
      guard !RedactionRule.structuralFields.contains(name.map(\.asciiLowercased)) else {
        return value
      }
      var value = Array(value)
      guard replaceKnown(in: &value) else { return value[...] }
      changed = true
      return value[...]
    }
    if changed { section = redacted }
    return changed
  }

  /// Whether a known secret is spelled in a text.
  package func holdsKnown(_ text: UnsafeRawBufferPointer) -> Bool {
    !known.isEmpty && !known.matches(in: text).isEmpty
  }

  mutating func knownEdits(in bytes: UnsafeRawBufferPointer) -> TextEdits {
    var edits = TextEdits()
    let matches = known.matches(in: bytes)
    var last = 0
    for (index, match) in matches.enumerated() {
      // Digits behind it would be read as a part of the placeholder's number, and a backslash
      // before it would escape the placeholder's first letter, so they go too.
      let next = index + 1 < matches.count ? matches[index + 1].range.lowerBound : bytes.count
      var (start, end) = (match.range.lowerBound, match.range.upperBound)
      while end < next, bytes[end].isDigit { end += 1 }
      let backslashes = bytes[last..<start].reversed().prefix { $0 == 0x5C }.count
      if backslashes % 2 == 1 { start -= 1 }
      edits.replace(start..<end, by: text(ofKnown: match.secret))
      last = end
    }
    return edits
  }

  /// What the end of a text holds of a secret that it cuts off.
  mutating func cutEdit(in bytes: UnsafeRawBufferPointer) -> TextEdits {
    var edits = TextEdits()
    if let match = known.cutMatch(in: bytes) {
      edits.replace(match.range, by: text(ofKnown: match.secret))
    }
    return edits
  }
}

/// The secrets that one `text:` rule names.
package struct TextSecrets: Equatable, Sendable {
  package let source: TextSource
  package let secrets: [[UInt8]]

  package init(source: TextSource, secrets: [[UInt8]]) {
    self.source = source
    self.secrets = secrets
  }
}

extension FieldPlace {
  fileprivate var origin: SecretOrigin {
    switch self {
    case .credentials, .whole: .certain
    case .cookies, .setCookie, .reference, .links, .refresh: .uncertain
    }
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
