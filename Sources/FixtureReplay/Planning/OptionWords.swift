import FixtureHTTP

// How options of a replay are spelled, wherever they are given.

extension Pacing {
  package static let expected = "immediate, recorded or xN (x2 is twice as fast)"

  /// `immediate`, `recorded`, or `x` and a positive number. nil for anything else.
  package init?(word: String) {
    switch word {
    case "immediate": self = .immediate
    case "recorded": self = .recorded
    default:
      // No sign, exponent, infinity or `0x`, all of which `Double` would take.
      let digits = word.dropFirst()
      guard word.hasPrefix("x"), digits.utf8.count <= 32, digits.utf8.first?.isDigit == true,
        digits.utf8.allSatisfy({ $0.isDigit || $0 == 0x2E }), let factor = Double(digits),
        factor > 0
      else { return nil }
      self = .scaled(factor)
    }
  }
}

extension DatePolicy {
  package static let expected =
    "shift, recorded or frozen=DATE (as frozen=2031-01-31T12:00:00Z)"

  /// `shift`, `recorded`, or `frozen=` and a date in RFC 3339 or as HTTP writes it. nil for
  /// anything else.
  package init?(word: String) {
    switch word {
    case "shift": self = .shift
    case "recorded": self = .recorded
    default:
      guard word.hasPrefix("frozen=") else { return nil }
      let date = word.utf8.dropFirst("frozen=".utf8.count)
      let found = HTTPDate(parsingTimestamp: date) ?? HTTPDate(parsing: date)
      guard let found else { return nil }
      self = .frozen(found)
    }
  }
}

extension Exhausted {
  package static let expected = "repeat, miss or cycle"
}
