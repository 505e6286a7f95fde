import FixtureCassette

extension UInt64 {
  /// The key of a sequence within this one, told apart from it by a number.
  func mixed(with number: UInt64) -> UInt64 {
    withUnsafeBytes(of: (littleEndian, number.littleEndian)) { StableHash.value(of: $0) }
  }

  /// The key of a sequence within this one, told apart from it by content.
  func mixed(with digest: [UInt8]) -> UInt64 {
    mixed(with: digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }
}
