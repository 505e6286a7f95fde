/// A date as HTTP fields carry it: whole seconds, always UTC (RFC 9110 §5.6.7).
package struct HTTPDate: Hashable, Sendable, Comparable {
  /// Since 1970-01-01T00:00:00Z; from year 1 to 9999, because the formats have four digits.
  package let secondsSince1970: Int64

  private static let secondsMin: Int64 = -62_135_596_800
  private static let secondsMax: Int64 = 253_402_300_799

  /// A date outside the years 1 to 9999 becomes the nearest that can be written.
  package init(secondsSince1970: Int64) {
    self.secondsSince1970 = min(max(secondsSince1970, Self.secondsMin), Self.secondsMax)
  }

  /// Parses any of the three formats that recipients must accept; letter case counts.
  ///
  /// The day name must be one, but need not be that of the date. A second 60 is the one after 59.
  /// The two-digit year of the RFC 850 format is read as 1970 to 2069.
  /// - Returns: nil for any other text, also for a day the month doesn't have.
  package init?(parsing text: some Collection<UInt8>) {
    // Nearly every date has the format that is sent.
    let preferred = text.withContiguousStorageIfAvailable { HTTPDate(imfFixdate: $0) }
    if case .some(let date?) = preferred {
      self = date
      return
    }
    var scanner = Scanner(rest: Array(text)[...])
    guard let fields = scanner.date(), scanner.rest.isEmpty, let date = HTTPDate(fields) else {
      return nil
    }
    self = date
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, the only format that is sent.
  package var imfFixdate: [UInt8] {
    let days = Self.floor(secondsSince1970, 86_400)
    let second = secondsSince1970 - days * 86_400
    let (year, month, day) = Self.civil(days)
    // 1970-01-01 was a Thursday.
    let weekday = days + 4 - Self.floor(days + 4, 7) * 7
    return [UInt8](unsafeUninitializedCapacity: Self.imfFixdateCount) { text, count in
      count = Self.imfFixdateCount
      for index in 0..<count { text[index] = Self.pattern.utf8Start[index] }
      for index in 0..<3 {
        text[index] = Self.weekdayNames.utf8Start[Int(weekday) * 3 + index]
        text[8 + index] = Self.monthNames.utf8Start[(Int(month) - 1) * 3 + index]
      }
      for (place, number) in [
        (5, day), (12, year / 100), (14, year % 100), (17, second / 3600),
        (20, second / 60 % 60), (23, second % 60),
      ] {
        text[place] = 0x30 + UInt8(number / 10)
        text[place + 1] = 0x30 + UInt8(number % 10)
      }
    }
  }

  package static let imfFixdateCount = pattern.utf8CodeUnitCount

  package static func < (left: HTTPDate, right: HTTPDate) -> Bool {
    left.secondsSince1970 < right.secondsSince1970
  }

  static let weekdays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ].map { Array($0.utf8) }
  static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ].map { Array($0.utf8) }
}

extension HTTPDate {
  /// The parts of a date as written.
  struct Fields {
    var year: Int64
    /// From 1.
    var month: Int64
    var day: Int64
    var hour: Int64
    var minute: Int64
    var second: Int64
  }

  init?(_ fields: Fields) {
    guard fields.year >= 1, fields.hour <= 23, fields.minute <= 59, fields.second <= 60 else {
      return nil
    }
    let days = Self.days(fields.year, fields.month, fields.day)
    // A day the month doesn't have comes back as one of the next month.
    guard Self.civil(days) == (fields.year, fields.month, fields.day) else { return nil }
    self.init(
      secondsSince1970: days * 86_400 + fields.hour * 3600 + fields.minute * 60 + fields.second)
  }

  /// Days since 1970-01-01 in the Gregorian calendar: years counted from March, so that the leap
  /// day is the last of its year, in eras of 400 years or 146,097 days.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let era = floor(marchYear, 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The inverse of `days`.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = floor(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
  }

  private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : (number - divisor + 1) / divisor
  }
}
