import FixtureCassette
import FixtureHTTP

/// The content of one message on its way into a cassette: held while it is small, handed on in
/// parts of about that size once it is not, so that memory grows neither with the content nor much
/// with the number of exchanges that are under way.
///
/// Content that is redacted is held to its end, because a secret may lie across any two parts; what
/// is too large for that is left out.
package struct RecordedContent: Equatable, Sendable {
  /// What is done with content that is not small.
  package enum Rule: Equatable, Sendable {
    /// It is handed on.
    case streamed
    /// It is held to be redacted; when there is too much of it, it is left out.
    case held
    /// It is held, or handed on as it is when there is too much of it.
    case heldOrStreamed
  }

  private enum State: Equatable {
    case absent
    case held([UInt8])
    case streamed(pending: [UInt8])
    case omitted
  }

  private var state = State.absent
  private var rule: Rule
  /// Whether the rule is only for text, which the beginning shows.
  private var isUndecided = false
  package let token: BodyToken
  /// Bytes seen so far.
  package private(set) var count: Int64 = 0
  /// Why it is left out, or handed on unredacted; nil when it is neither.
  package private(set) var omission: ContentOmission?

  /// What many answers of an API fit in. The writer makes pieces of the cassette's size.
  package static let heldBytesMax = 64 << 10

  /// - Parameter token: names the body if it is handed on.
  package init(token: BodyToken, rule: Rule = .streamed) {
    self.token = token
    self.rule = rule
  }

  /// The rule is for content of a type that is text: with another one it is handed on, without one
  /// its beginning decides. To be called before any content comes.
  package mutating func setType(_ contentType: ArraySlice<UInt8>?) {
    switch RedactableType(contentType: contentType) {
    case .known: break
    case .opaque: rule = .streamed
    case .unknown: isUndecided = rule != .streamed
    }
  }

  /// There is content, even if no byte of it arrives.
  package mutating func begin() {
    if case .absent = state { state = .held([]) }
  }

  /// Adds bytes.
  /// - Returns: what must be handed to the writer under `token` before the draft is.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard !bytes.isEmpty else { return nil }
    count += Int64(bytes.count)
    if case .omitted = state { return nil }
    var (content, isStreamed) = take()
    content.append(contentsOf: bytes)
    guard content.count > Self.heldBytesMax else {
      state = isStreamed ? .streamed(pending: content) : .held(content)
      return nil
    }
    decide(content)
    guard !isStreamed, rule != .streamed else {
      state = .streamed(pending: [])
      return content
    }
    state = .held(content)
    return content.count > Redactor.contentBytesMax ? release() : nil
  }

  /// Bytes that are held longer than small content is.
  package var heldBytes: Int {
    if case .held(let content) = state, content.count > Self.heldBytesMax {
      content.count
    } else {
      0
    }
  }

  /// Holds it no longer.
  /// - Returns: what must be handed to the writer.
  package mutating func release() -> [UInt8]? {
    omission = .tooLarge
    let (content, _) = take()
    guard rule == .heldOrStreamed else {
      state = .omitted
      return nil
    }
    rule = .streamed
    state = .streamed(pending: [])
    return content
  }

  private mutating func decide(_ content: [UInt8]) {
    guard isUndecided else { return }
    isUndecided = false
    if !content.withUnsafeBytes({ RedactableType.isText($0) }) { rule = .streamed }
  }

  /// Takes the bytes out, so that they have one owner and adding to them copies nothing.
  private mutating func take() -> (content: [UInt8], isStreamed: Bool) {
    defer { state = .absent }
    return switch state {
    case .absent, .omitted: ([], false)
    case .held(let content): (content, false)
    case .streamed(let pending): (pending, true)
    }
  }

  /// What is left to hand to the writer before the draft is; nil when the draft holds it.
  package mutating func finish() -> [UInt8]? {
    guard case .streamed(let pending) = state, !pending.isEmpty else { return nil }
    state = .streamed(pending: [])
    return pending
  }

  /// How the draft names the content. Call `finish` before.
  package var body: InteractionDraft.Body {
    switch state {
    case .absent, .omitted: .absent
    case .held(let bytes): .bytes(bytes)
    case .streamed: .streamed(token)
    }
  }
}
