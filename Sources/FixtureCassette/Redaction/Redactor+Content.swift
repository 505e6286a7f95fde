import FixtureCoding
import FixtureHTTP

/// Why a content is not stored.
package enum ContentOmission: Equatable, Sendable {
  /// More than is held to be redacted whole, of this content or of all together.
  case tooLarge
  /// Its coding can't be undone.
  case undecodable(String)
  /// It is no valid JSON, so the places that were asked for can't be found.
  case placesUnknown
  /// A secret stands in it, and it is no text.
  case opaque

  /// The end of a sentence about the content.
  package var reason: String {
    switch self {
    case .tooLarge:
      "is text of more than \(Redactor.contentBytesMax >> 20) MiB, too much to be redacted"
    case .undecodable(let error): "can't be decoded to be redacted, \(error)"
    case .placesUnknown: "is no valid JSON, so the places json:/… names can't be found in it"
    case .opaque: "holds a secret and is no text"
    }
  }
}

extension Redactor {
  /// What is held of a content to be redacted, transferred and decoded.
  package static var contentBytesMax: Int { ContentKeys.contentBytesMax }

  /// Of which message a content is.
  package enum Side: String, Sendable {
    case request, response
  }

  /// A content that was not stored, or was stored as it is.
  package struct Exception: Equatable, Sendable {
    package let side: Side
    package let omission: ContentOmission

    package init(side: Side, omission: ContentOmission) {
      self.side = side
      self.omission = omission
    }
  }

  /// Redacts a whole interaction with its contents.
  ///
  /// Content that was streamed to the writer before is not looked at. Content that can't be
  /// redacted is left out of the draft, and noted.
  /// - Parameters:
  ///   - storesUnredacted: such content stays as it is instead.
  ///   - onResponseText: gets the response's text without codings, once it is redacted.
  /// - Returns: the contents that could not be redacted.
  package mutating func redact(
    _ draft: inout InteractionDraft, storesUnredacted: Bool = false,
    onResponseText: (UnsafeRawBufferPointer) -> Void = { _ in }
  ) -> [Exception] {
    var changed = redactPlaces(of: &draft.interaction)
    var request = HeldContent(
      draft.requestBody, draft.interaction.request.fields,
      isCut: draft.interaction.notes.contains(.requestCut))
    var response = HeldContent(
      draft.responseBody, draft.interaction.response?.head.fields ?? FieldSection(),
      isCut: draft.interaction.outcome != .complete)
    redactPlaces(of: &request)
    redactPlaces(of: &response)
    changed = replaceKnown(in: &draft.interaction) || changed
    replaceKnown(in: &request)
    replaceKnown(in: &response)
    if changed { draft.interaction.notes.insert(.redacted) }
    response.readText(onResponseText)
    var exceptions: [Exception] = []
    if let omission = request.finish() {
      exceptions.append(Exception(side: .request, omission: omission))
      if !storesUnredacted { draft.omitRequestContent() }
    } else {
      draft.replaceRequestContent(request)
    }
    if let omission = response.finish() {
      exceptions.append(Exception(side: .response, omission: omission))
      if !storesUnredacted { draft.omitResponseContent() }
    } else {
      draft.replaceResponseContent(response)
    }
    return exceptions
  }

  /// - Returns: whether anything was replaced.
  @discardableResult
  private mutating func redactPlaces(of content: inout HeldContent) -> Bool {
    guard content.state == .text else { return false }
    var secrets = ContentSecrets(rules: rules)
    content.bytes.withUnsafeBytes { bytes in
      secrets.read(bytes, content.kind) { placeholder(for: $0, from: .certain) }
    }
    if !secrets.isComplete { content.state = .omitted(.placesUnknown) }
    content.apply(secrets.edits)
    return !secrets.edits.isEmpty
  }

  mutating func replaceKnown(in content: inout HeldContent) {
    switch content.state {
    case .nothing, .omitted: return
    case .opaque:
      let edits = content.bytes.withUnsafeBytes { knownEdits(in: $0) }
      if !edits.isEmpty { content.state = .omitted(.opaque) }
    case .text:
      // A secret that held a quote, or ended a tag, leaves another text, with places of its own.
      for _ in 0..<Self.roundsMax {
        let edits = content.bytes.withUnsafeBytes { knownEdits(in: $0) }
        guard !edits.isEmpty else { break }
        content.apply(content.bytes.withUnsafeBytes { edits.keepingNumbers(of: $0) })
        guard redactPlaces(of: &content) else { break }
      }
      guard content.isCut else { return }
      content.apply(content.bytes.withUnsafeBytes { cutEdit(in: $0) })
    }
  }
}

/// A content on its way through the redactor: decoded, and coded again at its end if it changed.
struct HeldContent {
  enum State: Equatable {
    /// There is none, or it is not held.
    case nothing
    case text
    /// Only looked through for known secrets.
    case opaque
    case omitted(ContentOmission)
  }

  var state: State
  /// Without codings.
  private(set) var bytes: [UInt8] = []
  private(set) var kind = ContentKind.bytes
  let isCut: Bool
  private var codings: [ContentCoding] = []
  private var edits: [TextEdits] = []
  /// As it is to be transferred; set at the end.
  private(set) var coded: [UInt8] = []

  init(_ body: InteractionDraft.Body, _ fields: FieldSection, isCut: Bool) {
    self.isCut = isCut
    guard case .bytes(let transferred) = body, !transferred.isEmpty else {
      state = .nothing
      return
    }
    bytes = transferred
    state = .opaque
    let type = RedactableType(contentType: fields.first(.contentType))
    if type == .opaque { return }
    codings = ContentCoding.list(of: fields)
    kind = ContentKind(contentType: fields.first(.contentType))
    guard !codings.isEmpty else {
      if type == .known || Self.isText(bytes) { state = .text }
      return
    }
    let decoded = DecodedContent(
      transferred, codings, bytesMax: Redactor.contentBytesMax)
    if let flaw = decoded.flaw {
      codings = []
      take(flaw, type)
    } else {
      bytes = decoded.bytes
      if type == .known || Self.isText(bytes) { state = .text }
    }
  }

  /// Servers name codings that they have not applied.
  private mutating func take(_ flaw: CodingError, _ type: RedactableType) {
    if case .outputLimitReached = flaw {
      state = .omitted(.tooLarge)
    } else if Self.isText(bytes) {
      state = .text
    } else if type == .known {
      state = .omitted(.undecodable(flaw.description))
    }
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { RedactableType.isText($0) }
  }

  /// Calls `body` when it is text.
  func readText(_ body: (UnsafeRawBufferPointer) -> Void) {
    if state == .text { bytes.withUnsafeBytes(body) }
  }

  /// Whether it is not what it was.
  var isChanged: Bool { !edits.isEmpty }

  mutating func apply(_ new: TextEdits) {
    guard !new.isEmpty else { return }
    bytes = bytes.withUnsafeBytes { new.applied(to: $0) }
    edits.append(new)
  }

  /// Codes what was changed.
  /// - Returns: why it can't be stored.
  mutating func finish() -> ContentOmission? {
    if case .omitted(let omission) = state { return omission }
    guard isChanged else { return nil }
    do {
      coded = try ContentEncoder.encoded(bytes, codings)
    } catch {
      return .undecodable(error.description)
    }
    return nil
  }

  /// When the pieces of a changed content arrived. Pieces of coded content keep their share of it.
  func arrivals(_ recorded: Arrivals) -> Arrivals {
    let pieces = recorded.pieces
    var ends: [Int] = []
    for piece in pieces { ends.append((ends.last ?? 0) + Int(piece.count)) }
    let total = ends.last ?? 0
    if codings.isEmpty {
      for edits in edits { ends = edits.mapped(ends) }
    } else {
      ends = ends.map { end in
        let (high, low) = UInt64(end).multipliedFullWidth(by: UInt64(coded.count))
        return Int(UInt64(max(1, total)).dividingFullWidth((high, low)).quotient)
      }
    }
    var arrivals = Arrivals()
    var start = 0
    for (piece, end) in zip(pieces, ends) where end > start {
      arrivals.append(offset_us: piece.offset_us, count: Int64(end - start))
      start = end
    }
    return arrivals
  }
}

extension InteractionDraft {
  /// Calls `body` with the response's text without codings, when it has one.
  package func readResponseText(_ body: (UnsafeRawBufferPointer) -> Void) {
    HeldContent(responseBody, interaction.response?.head.fields ?? FieldSection(), isCut: false)
      .readText(body)
  }

  /// Leaves out what can't be redacted.
  package mutating func omitRequestContent() {
    requestBody = .absent
    interaction.notes.insert(.contentOmitted)
  }

  /// As `omitRequestContent`, for the response.
  package mutating func omitResponseContent() {
    responseBody = .absent
    interaction.response?.arrivals = Arrivals()
    interaction.notes.insert(.contentOmitted)
  }

  fileprivate mutating func replaceRequestContent(_ content: HeldContent) {
    guard content.isChanged else { return }
    requestBody = .bytes(content.coded)
    let fields = Self.counting(content.coded.count, interaction.request.fields)
    interaction.request.fields = fields
    noteReplaced(fields, interaction.requestTrailers)
  }

  fileprivate mutating func replaceResponseContent(_ content: HeldContent) {
    guard content.isChanged, let response = interaction.response else { return }
    responseBody = .bytes(content.coded)
    let fields = Self.counting(content.coded.count, response.head.fields)
    interaction.response?.head.fields = fields
    interaction.response?.arrivals = content.arrivals(response.arrivals)
    noteReplaced(fields, response.trailers)
  }

  private static func counting(_ count: Int, _ fields: FieldSection) -> FieldSection {
    guard fields.contains(.contentLength) else { return fields }
    return fields.mapValues { name, value in
      name.equalsIgnoringCase("content-length".utf8) ? Array(String(count).utf8)[...] : value
    }
  }

  private mutating func noteReplaced(_ sections: FieldSection...) {
    interaction.notes.insert(.redacted)
    for section in sections {
      for index in 0..<section.count
      where Self.digestFields.contains(section.name(at: index).map(\.asciiLowercased)) {
        interaction.notes.insert(.digestStale)
      }
    }
  }

  /// RFC 9530, RFC 3230, RFC 1864.
  private static let digestFields: Set<[UInt8]> = Set(
    ["content-digest", "repr-digest", "digest", "content-md5"].map { Array($0.utf8) })
}
