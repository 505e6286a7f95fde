import FixtureCassette

/// The content of one message on its way into a cassette: held while it is small, handed on in
/// pieces once it is not, so that memory does not grow with the content.
package struct RecordedContent: Equatable, Sendable {
  private enum State: Equatable {
    case absent
    case held([UInt8])
    case streamed(pending: [UInt8])
  }

  private var state = State.absent
  private let token: BodyToken
  /// Bytes seen so far.
  package private(set) var count: Int64 = 0

  /// - Parameter token: names the body if it grows beyond one piece.
  package init(token: BodyToken) {
    self.token = token
  }

  /// There is content, even if no byte of it arrives.
  package mutating func begin() {
    if case .absent = state { state = .held([]) }
  }

  /// Adds bytes.
  /// - Returns: a piece that must be handed to the writer under `token` before the draft is.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard !bytes.isEmpty else { return nil }
    count += Int64(bytes.count)
    switch state {
    case .absent:
      state = .held(Array(bytes))
      return nil
    case .held(var held):
      state = .absent
      held.append(contentsOf: bytes)
      guard held.count > BodyLimits.pieceBytesMax else {
        state = .held(held)
        return nil
      }
      return cut(held)
    case .streamed(var pending):
      state = .absent
      pending.append(contentsOf: bytes)
      guard pending.count >= BodyLimits.pieceBytesMax else {
        state = .streamed(pending: pending)
        return nil
      }
      return cut(pending)
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

  /// Whether pieces were handed on, so that the writer must be told if the draft never comes.
  package var isStreamed: Bool {
    if case .streamed = state { true } else { false }
  }

  /// One piece of the largest size; the rest waits. An append is at most one piece long.
  private mutating func cut(_ bytes: [UInt8]) -> [UInt8] {
    let end = min(BodyLimits.pieceBytesMax, bytes.count)
    state = .streamed(pending: Array(bytes[end...]))
    return end == bytes.count ? bytes : Array(bytes[..<end])
  }
}
