/// Finds the end of a line that may not have arrived whole, looking at each byte once.
struct LineScan {
  private var searched = 0

  /// Whether nothing has been looked at.
  var isFresh: Bool { searched == 0 }

  /// The LF that ends the first line of `input`; nil when it has not arrived within `bound` bytes.
  /// After nil, the same bytes must come again with more behind them; after a line, a new one
  /// begins.
  @inline(__always)
  mutating func lineFeed(in input: UnsafeRawBufferPointer, within bound: Int) -> Int? {
    precondition(input.count >= searched, "unconsumed bytes must be passed again")
    let end = min(input.count, bound)
    let found = ByteScan.lineFeed(in: input, from: min(searched, end), to: end)
    guard found < end else {
      searched = end
      return nil
    }
    searched = 0
    return found
  }
}
