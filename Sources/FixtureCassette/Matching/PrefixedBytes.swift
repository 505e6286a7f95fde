/// Keys are made of parts with their count in four bytes before them, so that different parts never
/// give equal bytes.
extension [UInt8] {
  /// The count in four bytes, then the bytes.
  mutating func appendPrefixed(_ bytes: some Collection<UInt8>) {
    append(count32: UInt32(bytes.count))
    append(contentsOf: bytes)
  }

  /// As the other one with what `part` appends.
  mutating func appendPrefixed(_ part: (inout [UInt8]) -> Void) {
    append(count32: 0)
    let start = count
    part(&self)
    setPrefix(of: start..<count, to: UInt32(count - start))
  }

  /// Overwrites the count before a prefixed part.
  mutating func setPrefix(of part: Range<Int>, to number: UInt32) {
    withUnsafeMutableBytes { bytes in
      bytes.storeBytes(
        of: number.littleEndian, toByteOffset: part.lowerBound - 4, as: UInt32.self)
    }
  }

  mutating func append(count32 number: UInt32) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
