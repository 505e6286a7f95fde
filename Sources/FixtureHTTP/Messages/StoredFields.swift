/// A field section where it lies, in the stored form that `FieldSection.bytes` has: for looking up
/// a name or two without making a section of it. In damaged bytes nothing may be found.
package struct StoredFields {
  package let bytes: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The value of the first line with this name.
  package func first(_ name: FieldName) -> UnsafeRawBufferPointer? {
    var start = 0
    while start < bytes.count {
      let end = lineEnd(from: start)
      let nameEnd = start + name.utf8Count
      if nameEnd + 2 <= end, bytes[nameEnd] == 0x3A,
        name.matches(UnsafeRawBufferPointer(rebasing: bytes[start..<nameEnd]))
      {
        return UnsafeRawBufferPointer(rebasing: bytes[(nameEnd + 2)..<end])
      }
      start = end + 2
    }
    return nil
  }

  /// The next CR, or the end; eight bytes a step.
  @inline(__always)
  private func lineEnd(from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = start
    while index &+ 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let difference = word ^ (ones &* 0x0D)
      // The high bit of the first byte that is zero, and perhaps of later ones.
      let marks = (difference &- ones) & ~difference & (ones &* 0x80)
      if marks != 0 { return index &+ marks.trailingZeroBitCount >> 3 }
      index &+= 8
    }
    while index < bytes.count, bytes[index] != 0x0D { index &+= 1 }
    return index
  }
}
