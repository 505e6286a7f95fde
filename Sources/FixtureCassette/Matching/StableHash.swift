/// A 64-bit hash of bytes that is the same on every platform, in every process and release.
///
/// Match keys are found by it and random draws are seeded by it, so its values are part of what a
/// scenario's seed promises: never change them. It mixes eight bytes a step by a 128-bit product
/// whose halves are combined. Not for secrets: whoever chooses the bytes can make them collide,
/// so what it finds is always verified.
package enum StableHash {
  package static func value(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(truncatingIfNeeded: bytes.count) ^ 0x9e37_79b9_7f4a_7c15
    var offset = 0
    while bytes.count &- offset >= 8 {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      hash = mix(hash, UInt64(littleEndian: word))
      offset &+= 8
    }
    return mix(mix(hash, last(of: bytes, from: offset)), 0)
  }

  /// The fewer than eight bytes from `offset` on, the first one lowest.
  @inline(__always)
  private static func last(of bytes: UnsafeRawBufferPointer, from offset: Int) -> UInt64 {
    let count = bytes.count &- offset
    if count == 0 { return 0 }
    if offset > 0 {
      // The last eight, without those that were taken.
      let word = bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
      return UInt64(littleEndian: word) &>> UInt64((8 &- count) &* 8)
    }
    var last: UInt64 = 0
    for index in 0..<count { last |= UInt64(bytes[index]) &<< UInt64(index &* 8) }
    return last
  }

  package static func value(of bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { value(of: $0) }
  }

  /// Two odd constants keep the product of two words from being zero when one of them is.
  @inline(__always)
  static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ 0xa076_1d64_78bd_642f).multipliedFullWidth(
      by: word ^ 0xe703_7ed1_a0b4_28db)
    return product.high ^ product.low
  }
}
