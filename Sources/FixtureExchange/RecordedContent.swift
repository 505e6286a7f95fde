import FixtureCassette

/// The content of one message on its way into a cassette: held while it is small, handed on in
/// parts of about that size once it is not, so that memory grows neither with the content nor much
/// with the number of exchanges that are under way.
package struct RecordedContent: Equatable, Sendable {
  private enum State: Equatable {
    case absent
    case held([UInt8])
    case streamed(pending: [UInt8])
  }

  private var state = State.absent
  package let token: BodyToken
  /// Bytes seen so far.
  package private(set) var count: Int64 = 0

  /// What many answers of an API fit in. The writer makes pieces of the cassette's size.
  package static let heldBytesMax = 64 << 10

  /// - Parameter token: names the body if it is handed on.
  package init(token: BodyToken) {
    self.token = token
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
    var (content, isStreamed) = take()
    content.append(contentsOf: bytes)
    if content.count > Self.heldBytesMax {
      state = .streamed(pending: [])
      return content
    }
    state = isStreamed ? .streamed(pending: content) : .held(content)
    return nil
  }

  /// Takes the bytes out, so that they have one owner and adding to them copies nothing.
  private mutating func take() -> (content: [UInt8], isStreamed: Bool) {
    defer { state = .absent }
    return switch state {
    case .absent: ([], false)
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
    case .absent: .absent
    case .held(let bytes): .bytes(bytes)
    case .streamed: .streamed(token)
    }
  }
}
