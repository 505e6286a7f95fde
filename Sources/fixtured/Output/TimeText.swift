/// Times as text, without Foundation.
enum TimeText {
  /// Microseconds as milliseconds with as many decimals as they need: `12.5 ms`.
  static func milliseconds(us: Int64) -> String {
    let sign = us < 0 ? "-" : ""
    let (whole, rest) = us.magnitude.quotientAndRemainder(dividingBy: 1000)
    guard rest > 0 else { return "\(sign)\(whole) ms" }
    var decimals = padded(Int64(rest), to: 3)
    while decimals.hasSuffix("0") { decimals.removeLast() }
    return "\(sign)\(whole).\(decimals) ms"
  }

  /// Microseconds as milliseconds with one decimal, rounded: `12.5`.
  static func tenths(us: Int64) -> String {
    let tenths = us.magnitude / 100 + (us.magnitude % 100 >= 50 ? 1 : 0)
    return "\(us < 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
  }

  /// Microseconds since 1970 as `2025-01-31T12:00:00.000000Z` (RFC 3339), proleptic Gregorian.
  static func date(us: Int64) -> String {
    let second_us: Int64 = 1_000_000
    let day_us = 86400 * second_us
    let ofDay_us = ((us % day_us) + day_us) % day_us
    // `/` rounds towards 1970, also from before it.
    let day = us / day_us - (us % day_us < 0 ? 1 : 0)
    let seconds = ofDay_us / second_us
    let civil = civilDate(dayAfter1970: day)
    let date = [padded(civil.year, to: 4), padded(civil.month, to: 2), padded(civil.day, to: 2)]
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, to: 2) }
    return date.joined(separator: "-") + "T" + clock.joined(separator: ":") + "."
      + padded(ofDay_us % second_us, to: 6) + "Z"
  }

  /// The civil date of a day. Years are counted from 1 March so that the leap day comes last; an
  /// era is the 400 years (146,097 days) after which the calendar repeats.
  private static func civilDate(dayAfter1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let day = dayAfter1970 + 719_468
    let era = (day >= 0 ? day : day - 146_096) / 146_097
    let ofEra = day - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * ofYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      ofYear - (153 * monthFromMarch + 2) / 5 + 1
    )
  }

  private static func padded(_ number: Int64, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
