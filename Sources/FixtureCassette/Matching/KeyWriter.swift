import FixtureHTTP

/// Puts a match key together in room that was given for it, so that a key costs no allocation and
/// its parts no call each: a cassette's keys are all made when it is opened.
///
/// What no longer fits is left out, and then the key is not complete: make it again with more room.
struct KeyWriter {
  private let room: UnsafeMutableRawBufferPointer
  private(set) var count = 0
  private(set) var isComplete = true
  /// Whether placeholders may stand in what the key is made of.
  var mayHideSecrets = false
  /// Whether one was found outside the places that are left out.
  private(set) var hidesSecrets = false

  /// - Parameter room: valid as long as the writer is used.
  init(_ room: UnsafeMutableRawBufferPointer) {
    self.room = room
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: room[..<count]) }

  @inline(__always)
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: room[range])
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    guard count < room.count else { return isComplete = false }
    room[count] = byte
    count &+= 1
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count <= room.count &- count else { return isComplete = false }
    UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: bytes)
    count &+= bytes.count
  }

  mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// A place for the count of what follows; see `endPart`.
  /// - Returns: where the part starts.
  @inline(__always)
  mutating func beginPart() -> Int {
    guard room.count &- count >= 4 else {
      isComplete = false
      return count
    }
    count &+= 4
    return count
  }

  /// Writes the count before a part that ends here, in four bytes.
  @inline(__always)
  mutating func endPart(from start: Int) {
    setCount(UInt32(truncatingIfNeeded: count &- start), of: start)
  }

  /// Takes back what was written from there on.
  mutating func removeAll(from start: Int) {
    count = start
  }

  /// Takes a part's bytes back and says that they are left out: a count that no part has.
  mutating func leaveOut(from start: Int) {
    count = start
    setCount(.max, of: start)
  }

  /// Puts others in the place of a part's bytes, the last ones.
  mutating func replace(from start: Int, by bytes: [UInt8]) {
    count = start
    append(bytes)
    endPart(from: start)
  }

  /// The form-decoded name of a pair, which a `=` ends, or its value, as a part; the pair ends at
  /// a `&` or with the query.
  /// - Parameter position: behind what ended it afterwards.
  /// - Returns: where it lies in the key.
  @inline(__always)
  mutating func appendDecoded(
    _ query: UnsafeRawBufferPointer, from position: inout Int, isName: Bool
  ) -> Range<Int> {
    let start = beginPart()
    loop: while position < query.count {
      let byte = query[position]
      position &+= 1
      switch byte {
      case 0x26:
        // The value of a name without `=` is empty, and the `&` is still to come for it.
        if isName { position &-= 1 }
        break loop
      case 0x3D where isName: break loop
      case 0x2B: append(0x20)
      case 0x25:
        if let escaped = PercentEncoding.escapedByte(in: query, at: position) {
          append(escaped)
          position &+= 2
        } else {
          append(byte)
        }
      default: append(byte)
      }
    }
    endPart(from: start)
    return start..<count
  }

  @inline(__always)
  mutating func lookForHiddenSecrets(in bytes: UnsafeRawBufferPointer) {
    if mayHideSecrets, !Placeholder.places(in: Array(bytes)).isEmpty { hidesSecrets = true }
  }

  private func setCount(_ number: UInt32, of start: Int) {
    guard isComplete else { return }
    room.storeBytes(of: number.littleEndian, toByteOffset: start &- 4, as: UInt32.self)
  }
}
