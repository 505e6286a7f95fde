extension HTTPDate {
  /// Parses `2031-01-31T12:00:00Z` (RFC 3339 in UTC, without fractions), or `2031-01-31` for
  /// midnight; nil for any other text.
  package init?(parsingTimestamp text: some Collection<UInt8>) {
    let text = Array(text)
    let pattern = Array("0000-00-00T00:00:00Z".utf8)
    guard text.count == pattern.count || text.count == 10,
      zip(text, pattern).allSatisfy({ $1 == 0x30 ? $0.isDigit : $0 == $1 })
    else { return nil }
    func number(_ range: Range<Int>) -> Int64 {
      guard range.upperBound <= text.count else { return 0 }
      return text[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    self.init(
      Fields(
        year: number(0..<4), month: number(5..<7), day: number(8..<10), hour: number(11..<13),
        minute: number(14..<16), second: number(17..<19)))
  }
}
