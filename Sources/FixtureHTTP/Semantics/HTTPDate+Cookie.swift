extension HTTPDate {
  /// Parses the `Expires` of a cookie as user agents do (RFC 6265 §5.1.1): day, month, year and
  /// time of day in any order, between any delimiters, as in `Wed, 01-Jan-2031 00:00:00 GMT`.
  /// - Returns: nil when one of them is missing or there is no such date; user agents then ignore
  ///   the attribute.
  package init?(parsingCookie text: some Collection<UInt8>) {
    var (day, month, year): (Int64?, Int64?, Int64?)
    var time: (hour: Int64, minute: Int64, second: Int64)?
    let tokens = Array(text).split { !$0.isCookieDateCharacter }
    for token in tokens {
      if time == nil, let found = Self.time(token) {
        time = found
      } else if day == nil, let found = Self.number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = Self.month(token) {
        month = found
      } else if year == nil, let found = Self.number(token, digits: 2...4) {
        year = found
      }
    }
    guard let day, let month, var year, let time else { return nil }
    if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
    guard year >= 1601, time.second <= 59 else { return nil }
    self.init(
      Fields(
        year: year, month: month, day: day, hour: time.hour, minute: time.minute,
        second: time.second))
  }

  /// The number that a token begins with, if it has so many digits.
  private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int64? {
    let found = token.prefix(while: \.isDigit)
    guard digits.contains(found.count) else { return nil }
    return found.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  private static func month(_ token: ArraySlice<UInt8>) -> Int64? {
    months.firstIndex { token.prefix(3).equalsIgnoringCase($0) }.map { Int64($0) + 1 }
  }

  /// `hh:mm:ss`, a digit will do for each.
  private static func time(
    _ token: ArraySlice<UInt8>
  ) -> (hour: Int64, minute: Int64, second: Int64)? {
    let parts = token.split(separator: 0x3A, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].allSatisfy(\.isDigit), parts[1].allSatisfy(\.isDigit),
      let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
      let second = number(parts[2], digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }
}

extension UInt8 {
  /// `non-delimiter` of RFC 6265 §5.1.1.
  fileprivate var isCookieDateCharacter: Bool {
    isLetter || isDigit || self == 0x3A || self < 0x09 || self >= 0x7F
      || (self > 0x09 && self < 0x20)
  }
}
