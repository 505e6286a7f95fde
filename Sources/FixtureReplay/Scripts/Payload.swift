import FixtureCassette

/// Content by reference or by value, to be sent whole or in parts.
package enum Payload: Equatable, Sendable {
  case stored(BodySlice)
  /// What no cassette holds.
  case made([UInt8])

  package var count: Int64 {
    switch self {
    case .stored(let slice): slice.count
    case .made(let bytes): Int64(bytes.count)
    }
  }

  /// The part at these positions, counted from its beginning.
  package func part(_ range: Range<Int64>) -> Payload {
    switch self {
    case .stored(let slice):
      let start = slice.range.lowerBound
      return .stored(
        BodySlice(
          body: slice.body, range: (start + range.lowerBound)..<(start + range.upperBound)))
    case .made(let bytes):
      return .made(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }
  }

  /// What sends it.
  var action: Action {
    switch self {
    case .stored(let slice): .content(slice)
    case .made(let bytes): .generated(bytes)
    }
  }
}

/// When the bytes of a payload are due: pieces at exact offsets from where the flow began. None is
/// early, and no rounding adds up.
package struct Flow: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// Every byte when the rate allows it.
    case rate(ByteRate)
    /// A piece of this size each so often, the first at once.
    case trickle(ByteCount, every: Duration)
    /// Piece k of a whole of so many bytes, from 1, at k/count of the time: the last one at its
    /// end. There are no more pieces than bytes.
    case pieces(Int64, of: Int64, over: Duration)
  }

  package var kind: Kind
  /// No faster than this, however the pieces come.
  package var cap: ByteRate?
  /// How many bytes of the flow come before the payload.
  package var start: Int64

  package init(_ kind: Kind, cap: ByteRate? = nil, start: Int64 = 0) {
    self.kind = kind
    self.cap = cap
    self.start = start
  }

  /// At this many pieces a second a rate looks even.
  private static let piecesPerSecond: Int64 = 100

  /// The piece that begins at a position of the flow.
  /// - Parameter limit: where the payload ends.
  /// - Returns: where the piece ends, and when it is due after the flow began.
  func piece(at position: Int64, upTo limit: Int64) -> (end: Int64, due_ns: Int64) {
    let piece = Self.piece(of: kind, at: position, upTo: limit)
    guard let cap else { return piece }
    let capped = Self.piece(of: .rate(cap), at: position, upTo: piece.end)
    return (capped.end, max(piece.due_ns, capped.due_ns))
  }

  private static func piece(
    of kind: Kind, at position: Int64, upTo limit: Int64
  ) -> (end: Int64, due_ns: Int64) {
    switch kind {
    case .rate(let rate):
      let size = max(1, rate.bytesPerSecond / piecesPerSecond)
      let end = min(limit, (position / size + 1).saturatingMultiplied(by: size))
      return (end, end.scaled(by: 1_000_000_000, over: rate.bytesPerSecond))
    case .trickle(let size, let interval):
      let number = position / size.bytes
      let end = min(limit, (number + 1).saturatingMultiplied(by: size.bytes))
      return (end, number.saturatingMultiplied(by: interval.saturatedNanoseconds))
    case .pieces(let wanted, let size, let time):
      guard size > 0 else { return (limit, 0) }
      let count = min(wanted, size)
      let number = position.floored(by: count, over: size)
      let end = min(limit, (number + 1).scaled(by: size, over: count))
      return (end, (number + 1).scaled(by: time.saturatedNanoseconds, over: count))
    }
  }

  /// From when the flow began to when what comes before the payload has passed.
  var elapsed_ns: Int64 {
    let own_ns =
      switch kind {
      case .rate(let rate): Self.elapsed_ns(rate, start)
      // Until its last byte was due.
      case .trickle, .pieces:
        start == 0 ? 0 : Self.piece(of: kind, at: start - 1, upTo: .max).due_ns
      }
    return max(own_ns, cap.map { Self.elapsed_ns($0, start) } ?? 0)
  }

  private static func elapsed_ns(_ rate: ByteRate, _ position: Int64) -> Int64 {
    position.scaled(by: 1_000_000_000, over: rate.bytesPerSecond)
  }
}

extension Int64 {
  /// The product with a fraction, rounded up.
  fileprivate func scaled(by factor: Int64, over divisor: Int64) -> Int64 {
    let product = Int128(self) * Int128(factor)
    return Int64(clamping: (product + Int128(divisor) - 1) / Int128(divisor))
  }

  /// The product with a fraction, rounded down.
  fileprivate func floored(by factor: Int64, over divisor: Int64) -> Int64 {
    Int64(clamping: Int128(self) * Int128(factor) / Int128(divisor))
  }
}
