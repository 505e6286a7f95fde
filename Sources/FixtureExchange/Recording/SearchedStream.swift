/// Content that is handed to the writer in parts and looked through for secrets before: the end of
/// what came is kept back until it is known what follows, so that no part of a secret is written.
package struct SearchedStream: Equatable, Sendable {
  /// What is kept back; a secret may be spelled in as many bytes.
  package static let lookaheadBytes = 16 << 10

  /// Looked through already.
  private var pending: [UInt8] = []
  /// A secret was found: nothing more of it is written.
  package private(set) var isOmitted = false

  package init() {}

  /// Adds bytes.
  /// - Parameter holdsSecret: whether a secret is spelled in a text.
  /// - Returns: what may be written; nil when that is nothing.
  package mutating func append(
    _ bytes: [UInt8], holdsSecret: (UnsafeRawBufferPointer) -> Bool
  ) -> [UInt8]? {
    guard !isOmitted else { return nil }
    pending += bytes
    guard !pending.withUnsafeBytes(holdsSecret) else {
      isOmitted = true
      pending = []
      return nil
    }
    guard pending.count > Self.lookaheadBytes else { return nil }
    let part = Array(pending.dropLast(Self.lookaheadBytes))
    pending = Array(pending.suffix(Self.lookaheadBytes))
    return part
  }

  /// What was kept back, at the end of the content; nil when that is nothing.
  package mutating func finish() -> [UInt8]? {
    defer { pending = [] }
    return pending.isEmpty ? nil : pending
  }
}
