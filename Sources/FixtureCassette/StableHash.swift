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
    var last: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      last |= UInt64(bytes.load(fromByteOffset: offset, as: UInt8.self)) &<< shift
      shift &+= 8
      offset &+= 1
    }
    return mix(mix(hash, last), 0)
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
