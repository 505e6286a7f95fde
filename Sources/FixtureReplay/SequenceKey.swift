import FixtureCassette

extension UInt64 {
  /// The key of a sequence within this one, told apart from it by a number.
  func mixed(with number: UInt64) -> UInt64 {
    withUnsafeBytes(of: (littleEndian, number.littleEndian)) { StableHash.value(of: $0) }
  }
}
