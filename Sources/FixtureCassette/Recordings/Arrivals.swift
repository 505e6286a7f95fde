/// When each piece of a response body arrived while it was recorded, in order.
///
/// A piece never spans two chunks of the chunked coding, so replaying the pieces keeps the chunk
/// edges. Stored packed: for each piece two unsigned LEB128 numbers, the microseconds since the
/// piece before (the first one: since the response head) and the length in bytes.
package struct Arrivals: Equatable, Sendable {
  package struct Piece: Equatable, Sendable {
    /// Since the response head arrived.
    package let offset_us: Int64
    package let count: Int64

    package init(offset_us: Int64, count: Int64) {
      self.offset_us = offset_us
      self.count = count
    }
  }

  package private(set) var packed: [UInt8] = []
  /// How many pieces `packed` holds.
  package private(set) var count = 0
  private var lastOffset_us: Int64 = 0

  package init() {}

  /// - Returns: nil when `packed` is not a sequence of whole number pairs that sum without
  ///   overflow, or holds an empty piece.
  package init?(packed: [UInt8]) {
    self.packed = packed
    var reader = Reader(packed: packed)
    while let next = reader.next() {
      guard case .piece = next else { return nil }
      count += 1
    }
    lastOffset_us = reader.offset_us
  }

  /// Adds a piece. Offsets never decrease: an earlier one counts as the last.
  /// - Precondition: `count` is positive.
  package mutating func append(offset_us: Int64, count: Int64) {
    precondition(count > 0, "an arrival of \(count) bytes")
    let delta_us = max(0, offset_us - lastOffset_us)
    lastOffset_us += delta_us
    Self.append(UInt64(delta_us), to: &packed)
    Self.append(UInt64(count), to: &packed)
    self.count += 1
  }

  package var pieces: [Piece] {
    var reader = Reader(packed: packed)
    var result: [Piece] = []
    result.reserveCapacity(count)
    while case .piece(let piece)? = reader.next() { result.append(piece) }
    return result
  }

  package static func == (left: Arrivals, right: Arrivals) -> Bool { left.packed == right.packed }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

extension Arrivals {
  /// Reads the packed form piece by piece.
  fileprivate struct Reader {
    enum Next {
      case piece(Piece)
      case malformed
    }

    let packed: [UInt8]
    var position = 0
    var offset_us: Int64 = 0
    var total: Int64 = 0

    init(packed: [UInt8]) {
      self.packed = packed
    }

    /// nil at the end.
    mutating func next() -> Next? {
      guard position < packed.count else { return nil }
      guard let delta = number(), let count = number(), count > 0 else { return .malformed }
      let (offset, offsetOverflow) = offset_us.addingReportingOverflow(delta)
      let (sum, sumOverflow) = total.addingReportingOverflow(count)
      guard !offsetOverflow, !sumOverflow else { return .malformed }
      offset_us = offset
      total = sum
      return .piece(Piece(offset_us: offset, count: count))
    }

    /// One LEB128 number that fits a signed 64-bit integer, else nil.
    private mutating func number() -> Int64? {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while position < packed.count, shift < 63 {
        let byte = packed[position]
        position += 1
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return Int64(exactly: value) }
        shift += 7
      }
      return nil
    }
  }
}
