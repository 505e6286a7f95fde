/// What a content is made of, as small hashes: one for each value and its place, so that contents
/// that have most of them in common can be found without being read again.
package struct ContentFeatures: Sendable {
  /// Beyond this the rest of a content counts for nothing.
  package static let max = 128

  package private(set) var values: [UInt16] = []
  private let max: Int

  /// - Parameter max: fewer are kept of a content, where there are many contents.
  package init(max: Int = Self.max) {
    self.max = min(max, Self.max)
  }

  /// - Parameter start: how many are kept.
  package mutating func removeAll(from start: Int = 0) {
    values.removeSubrange(start...)
  }

  mutating func append(_ hash: UInt64) {
    if values.count < max { values.append(UInt16(truncatingIfNeeded: hash >> 24)) }
  }
}
