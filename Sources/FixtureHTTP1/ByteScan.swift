/// Searches that look at eight bytes a step.
///
/// Each test marks the top bit of the bytes of a word that meet it. A subtraction may also mark
/// bytes above a marked one (the borrow), never below, so the lowest mark is always right. Bytes
/// above 0x7F are never taken for small ones.
enum ByteScan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  /// The first LF in `from..<to`, or `to`.
  @inline(__always)
  static func lineFeed(in bytes: UnsafeRawBufferPointer, from: Int, to: Int) -> Int {
    first(in: bytes, from: from, to: to) { word in
      marks(in: word ^ (0x0A * ones), below: 1)
    }
  }

  /// The first byte below 0x0E (so NUL, HTAB, LF, CR and some more) in `from..<to`, or `to`.
  @inline(__always)
  static func lowControl(in bytes: UnsafeRawBufferPointer, from: Int, to: Int) -> Int {
    first(in: bytes, from: from, to: to) { word in
      marks(in: word, below: 0x0E)
    }
  }

  /// The first control byte, space or DEL in `from..<to`, or `to`: where a request target ends.
  @inline(__always)
  static func spaceOrControl(in bytes: UnsafeRawBufferPointer, from: Int, to: Int) -> Int {
    first(in: bytes, from: from, to: to) { word in
      marks(in: word, below: 0x21) | marks(in: word ^ (0x7F * ones), below: 1)
    }
  }

  /// The first byte in `from..<to` that is no letter or hyphen, or `to`: most field names are made
  /// of these.
  @inline(__always)
  static func lettersAndHyphens(in bytes: UnsafeRawBufferPointer, from: Int, to: Int) -> Int {
    first(in: bytes, from: from, to: to) { word in
      // With the top bits clear nothing is carried from one byte to the next.
      let low = word & ~tops
      let lower = low | 0x20 * ones
      let isNoLetter = ~(lower &+ 0x1F * ones) | (lower &+ 0x05 * ones)
      let isNoHyphen = (low ^ 0x2D * ones) &+ 0x7F * ones
      return (isNoLetter & isNoHyphen | word) & tops
    }
  }

  /// Whether `bytes` starts with `prefix`. It is as long at least.
  @inline(__always)
  static func isPrefix(_ prefix: UnsafeRawBufferPointer, of bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index &+ 8 <= prefix.count {
      guard
        prefix.loadUnaligned(fromByteOffset: index, as: UInt64.self)
          == bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      else { return false }
      index &+= 8
    }
    while index < prefix.count {
      guard prefix[index] == bytes[index] else { return false }
      index &+= 1
    }
    return true
  }

  @inline(__always)
  private static func marks(in word: UInt64, below bound: UInt64) -> UInt64 {
    (word &- bound &* ones) & ~word & tops
  }

  @inline(__always)
  private static func first(
    in bytes: UnsafeRawBufferPointer, from: Int, to: Int, marks: (UInt64) -> UInt64
  ) -> Int {
    var index = from
    // A word may reach beyond `to`, not beyond the buffer.
    while index < to, index &+ 8 <= bytes.count {
      let word = UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let found = marks(word)
      if found != 0 { return min(index &+ found.trailingZeroBitCount &>> 3, to) }
      index &+= 8
    }
    guard index < to else { return to }
    // The last seven bytes or fewer, from the word that ends with the buffer; zeros come behind.
    guard bytes.count >= 8 else { return firstInShort(bytes, from: index, to: to, marks: marks) }
    let word = UInt64(
      littleEndian: bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self))
    let found = marks(word &>> UInt64(truncatingIfNeeded: (index &+ 8 &- bytes.count) &* 8))
    return found == 0 ? to : min(index &+ found.trailingZeroBitCount &>> 3, to)
  }

  private static func firstInShort(
    _ bytes: UnsafeRawBufferPointer, from: Int, to: Int, marks: (UInt64) -> UInt64
  ) -> Int {
    var index = from
    // The lowest mark decides, so the other bytes of the word don't matter.
    while index < to, marks(UInt64(bytes[index])) & 0x80 == 0 { index &+= 1 }
    return index
  }
}
