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

  @inline(__always)
  private static func marks(in word: UInt64, below bound: UInt64) -> UInt64 {
    (word &- bound &* ones) & ~word & tops
  }

  @inline(__always)
  private static func first(
    in bytes: UnsafeRawBufferPointer, from: Int, to: Int, marks: (UInt64) -> UInt64
  ) -> Int {
    var index = from
    while index &+ 8 <= to {
      let word = UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let found = marks(word)
      if found != 0 { return index &+ found.trailingZeroBitCount &>> 3 }
      index &+= 8
    }
    // The other seven bytes of the word are 0xFF, which no test marks.
    while index < to, marks(UInt64(bytes[index]) | ~0xFF) == 0 { index &+= 1 }
    return index
  }
}
