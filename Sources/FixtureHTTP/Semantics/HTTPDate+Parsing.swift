extension HTTPDate {
  static let pattern: StaticString = "Sun, 06 Nov 1994 08:49:37 GMT"
  static let weekdayNames: StaticString = "SunMonTueWedThuFriSat"
  static let monthNames: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"

  /// The preferred format alone, where it stands.
  init?(imfFixdate text: UnsafeBufferPointer<UInt8>) {
    guard text.count == Self.pattern.utf8CodeUnitCount, text.isLike(Self.pattern),
      text.name(at: 0, among: Self.weekdayNames) != nil,
      let month = text.name(at: 8, among: Self.monthNames)
    else { return nil }
    self.init(
      Fields(
        year: text.number(at: 12) * 100 + text.number(at: 14), month: Int64(month) + 1,
        day: text.number(at: 5), hour: text.number(at: 17), minute: text.number(at: 20),
        second: text.number(at: 23)))
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether there is a digit where the pattern has one, and the same byte where it has no letter
  /// in lower case; the names are looked up anyway.
  fileprivate func isLike(_ pattern: StaticString) -> Bool {
    for index in indices {
      let expected = pattern.utf8Start[index]
      let isDigit = expected.isDigit
      if isDigit ? !self[index].isDigit : !expected.isLetter && self[index] != expected {
        return false
      }
    }
    return self[26] == 0x47 && self[27] == 0x4D && self[28] == 0x54
  }

  /// Which of the names, of three letters each, stands there.
  fileprivate func name(at place: Int, among names: StaticString) -> Int? {
    for number in 0..<(names.utf8CodeUnitCount / 3) {
      let name = names.utf8Start + number * 3
      if self[place] == name[0], self[place + 1] == name[1], self[place + 2] == name[2] {
        return number
      }
    }
    return nil
  }

  /// Of two digits.
  fileprivate func number(at place: Int) -> Int64 {
    Int64(self[place] - 0x30) * 10 + Int64(self[place + 1] - 0x30)
  }
}

extension HTTPDate {
  /// Reads one of the formats from the front of `rest`.
  struct Scanner {
    var rest: ArraySlice<UInt8>

    mutating func date() -> Fields? {
      guard let weekday = word() else { return nil }
      if take(" ") { return asctime(weekday) }
      guard take(", ") else { return nil }
      if HTTPDate.weekdays.contains(where: { $0.prefix(3) == weekday }) { return imfFixdate() }
      return HTTPDate.weekdays.contains(where: { $0[...] == weekday }) ? rfc850() : nil
    }

    /// `06 Nov 1994 08:49:37 GMT`.
    private mutating func imfFixdate() -> Fields? {
      guard let day = number(2), take(" "), let month = month(), take(" "), let year = number(4),
        take(" "), let time = time(), take(" GMT")
      else { return nil }
      return fields(year, month, day, time)
    }

    /// `06-Nov-94 08:49:37 GMT`.
    private mutating func rfc850() -> Fields? {
      guard let day = number(2), take("-"), let month = month(), take("-"), let year = number(2),
        take(" "), let time = time(), take(" GMT")
      else { return nil }
      return fields(year < 70 ? year + 2000 : year + 1900, month, day, time)
    }

    /// `Nov  6 08:49:37 1994`.
    private mutating func asctime(_ weekday: ArraySlice<UInt8>) -> Fields? {
      guard HTTPDate.weekdays.contains(where: { $0.prefix(3) == weekday }), let month = month(),
        take(" "), let day = take(" ") ? number(1) : number(2), take(" "), let time = time(),
        take(" "), let year = number(4)
      else { return nil }
      return fields(year, month, day, time)
    }

    private func fields(
      _ year: Int64, _ month: Int64, _ day: Int64, _ time: (Int64, Int64, Int64)
    ) -> Fields {
      Fields(year: year, month: month, day: day, hour: time.0, minute: time.1, second: time.2)
    }

    private mutating func time() -> (Int64, Int64, Int64)? {
      guard let hour = number(2), take(":"), let minute = number(2), take(":"),
        let second = number(2)
      else { return nil }
      return (hour, minute, second)
    }

    private mutating func month() -> Int64? {
      guard let word = word() else { return nil }
      return HTTPDate.months.firstIndex { $0[...] == word }.map { Int64($0) + 1 }
    }

    private mutating func word() -> ArraySlice<UInt8>? {
      let word = rest.prefix(while: \.isLetter)
      rest = rest[word.endIndex...]
      return word.isEmpty ? nil : word
    }

    /// Exactly this many digits.
    private mutating func number(_ digits: Int) -> Int64? {
      let text = rest.prefix(digits)
      guard text.count == digits, text.allSatisfy(\.isDigit) else { return nil }
      rest = rest[text.endIndex...]
      return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private mutating func take(_ text: StaticString) -> Bool {
      let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      guard rest.starts(with: expected) else { return false }
      rest = rest.dropFirst(expected.count)
      return true
    }
  }
}
