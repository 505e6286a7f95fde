/// Tells keys that came before from new ones, roughly: what is asked for once is not worth keeping,
/// and would push out what is asked for again.
///
/// A bit for each of 524,288 hashes, which are all forgotten when a quarter of them came.
package struct RepeatedKeys {
  private static let bitCount: UInt64 = 1 << 19
  private static let keysMax = Int(bitCount / 4)

  /// Empty until the first key comes.
  private var words: [UInt64] = []
  private var count = 0

  package init() {}

  /// - Parameter key: one that `KeyTable` would be for.
  /// - Returns: whether it came before; at most every fourth new key is taken for one that did.
  package mutating func meet(_ key: UInt64) -> Bool {
    if words.isEmpty || count == Self.keysMax {
      words = Array(repeating: 0, count: Int(Self.bitCount / 64))
      count = 0
    }
    // The high bits of a product, as in `KeyTable`.
    let hash = (key &* 0x9e37_79b9_7f4a_7c15) >> 45
    let bit: UInt64 = 1 << (hash % 64)
    let isRepeated = words[Int(hash / 64)] & bit != 0
    if !isRepeated {
      words[Int(hash / 64)] |= bit
      count += 1
    }
    return isRepeated
  }
}
