import FixtureHTTP

/// What the requests of a replay hold in places for secrets, so far, in memory alone: spelled
/// elsewhere, it is found as the recording found it.
package struct LiveSecrets: Sendable {
  /// With more, the older half is forgotten; a client sends a few.
  package static let secretsMax = 2000
  /// A secret has at most 16 KiB.
  package static let bytesMax = 1 << 20

  /// They name the places.
  package let rules: RedactionRules
  private var redactor: Redactor

  /// Knows no secret yet.
  package init(rules: RedactionRules) {
    self.rules = rules
    redactor = Redactor(concealing: rules)
  }

  /// How many were learned; grows with each new one.
  package var count: Int { redactor.learnedCount }

  /// Learns what the places of a request's head hold.
  package mutating func learn(_ request: RequestHead) {
    var request = request
    redactor.redactPlaces(of: &request)
  }

  /// Learns what the places of a content hold.
  /// - Parameter content: as it was transferred.
  package mutating func learn(_ content: [UInt8], _ form: ContentForm) {
    _ = concealed(content, form)
  }

  /// `REDACTED` instead of every secret, in its place or elsewhere; placeholders stay.
  package func concealed(_ request: RequestHead) -> RequestHead {
    var redactor = redactor
    var request = request
    redactor.redactPlaces(of: &request)
    redactor.replaceKnown(in: &request)
    return request
  }

  /// `REDACTED` instead of what is known, wherever it is spelled; nil when nothing is.
  package func concealed(_ text: [UInt8]) -> [UInt8]? {
    var redactor = redactor
    let edits = text.withUnsafeBytes { redactor.knownEdits(in: $0) }
    return edits.isEmpty ? nil : text.withUnsafeBytes { edits.applied(to: $0) }
  }

  /// As the other one for a recorded request.
  package func concealed(known interaction: Interaction) -> Interaction {
    var redactor = redactor
    var interaction = interaction
    redactor.replaceKnown(in: &interaction.request)
    return interaction
  }

  /// A content without codings, without its secrets and without numbers of placeholders; learns
  /// what its places hold.
  mutating func concealed(
    _ content: UnsafeRawBufferPointer, _ kind: ContentKind
  ) -> ConcealedContent? {
    ConcealedContent(content, kind, &redactor)
  }

  mutating func concealed(_ content: [UInt8], _ form: ContentForm) -> ConcealedContent? {
    ContentKeys.decoded(content, form).withUnsafeBytes { concealed($0, form.kind) }
  }
}

/// Content as it may be shown or compared: `REDACTED` instead of every secret, wherever it stands
/// in it, and instead of every placeholder; a number instead of a number (JSON types stay).
struct ConcealedContent {
  let bytes: [UInt8]
  /// Where secrets belong, in the order of the text.
  let places: [ContentSecrets.Place]
  /// The numbers of placeholders elsewhere, ascending.
  let others: [Int64]

  /// - Parameter redactor: one that conceals; learns what the places hold.
  /// - Returns: nil when nothing of that is there.
  init?(_ content: UnsafeRawBufferPointer, _ kind: ContentKind, _ redactor: inout Redactor) {
    let secrets = Self.secrets(in: content, kind, &redactor)
    var places = secrets.places
    var bytes = secrets.edits.applied(to: content)
    var isChanged = !secrets.edits.isEmpty
    // As often as the recorder did it.
    for _ in 0..<Redactor.roundsMax {
      let edits = bytes.withUnsafeBytes { bytes in
        redactor.knownEdits(in: bytes).keepingNumbers(of: bytes)
      }
      guard !edits.isEmpty else { break }
      bytes = bytes.withUnsafeBytes { edits.applied(to: $0) }
      isChanged = true
      let others = bytes.withUnsafeBytes { Self.secrets(in: $0, kind, &redactor) }
      places = Self.joined(places, others.places)
      guard !others.edits.isEmpty else { break }
      bytes = bytes.withUnsafeBytes { others.edits.applied(to: $0) }
    }
    others = Placeholder.places(in: bytes).map(\.number).sorted()
    if !others.isEmpty, let anonymous = Placeholder.withoutNumbers(bytes) {
      bytes = anonymous
      isChanged = true
    }
    guard isChanged else { return nil }
    self.bytes = bytes
    self.places = places
  }

  /// The places that are there now, with the placeholders of those that were there before.
  private static func joined(
    _ before: [ContentSecrets.Place], _ now: [ContentSecrets.Place]
  ) -> [ContentSecrets.Place] {
    var rest = before[...]
    return now.map { place in
      guard rest.first?.path == place.path, let known = rest.popFirst() else { return place }
      return known
    }
  }

  private static func secrets(
    in content: UnsafeRawBufferPointer, _ kind: ContentKind, _ redactor: inout Redactor
  ) -> ContentSecrets {
    var secrets = ContentSecrets(rules: redactor.rules)
    secrets.read(content, kind) { secret in
      _ = redactor.placeholder(for: secret, from: .certain, isCounted: false)
      return Placeholder.anonymous
    }
    return secrets
  }
}

extension RedactionRules {
  /// Content as it may be shown: `REDACTED` instead of what stands in the places of secrets.
  /// - Parameter content: without codings.
  package func concealingSecrets(
    inContent content: UnsafeRawBufferPointer, _ kind: ContentKind
  ) -> [UInt8]? {
    var redactor = Redactor(concealing: self)
    return ConcealedContent(content, kind, &redactor)?.bytes
  }
}
