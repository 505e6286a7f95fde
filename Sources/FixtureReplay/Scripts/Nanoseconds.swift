extension Duration {
  /// Whole nanoseconds, rounded up so that a deadline made of it is never early; the largest or
  /// smallest `Int64` when there are more (about 292 years).
  package var saturatedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (part, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return whole.saturatingAdding(rest > 0 ? part + 1 : part)
  }
}

extension Int64 {
  /// The sum, or the largest or smallest value instead of an overflow: instants come from clocks,
  /// offsets from files.
  package func saturatingAdding(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    guard overflow else { return sum }
    return other < 0 ? .min : .max
  }

  /// The product, or the largest or smallest value instead of an overflow.
  func saturatingMultiplied(by factor: Int64) -> Int64 {
    Int64(clamping: Int128(self) * Int128(factor))
  }
}
