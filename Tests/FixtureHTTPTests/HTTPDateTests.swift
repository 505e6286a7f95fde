import Testing

@testable import FixtureHTTP

@Suite struct `HTTP date` {
  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func `the three formats of RFC 9110 are one date`(_ text: String) {
    #expect(HTTPDate(parsing: text.utf8) == HTTPDate(secondsSince1970: 784_111_777))
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
    (1_925_001_296, "Wed, 01 Jan 2031 02:34:56 GMT"),
    (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
    (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
    (Int64.min, "Mon, 01 Jan 0001 00:00:00 GMT"),
  ])
  func `a date is written in the preferred format`(_ seconds: Int64, _ text: String) {
    let date = HTTPDate(secondsSince1970: seconds)
    #expect(String(decoding: date.imfFixdate, as: UTF8.self) == text)
    #expect(HTTPDate(parsing: date.imfFixdate) == date)
  }

  /// Every day of 1996 to 2004 (a leap century), and every 29th day of 800 years.
  @Test func `days are read back as they were written`() {
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"].map { Array($0.utf8) }
    let days = Array(9_496..<12_784) + Array(stride(from: 0, to: 2 * 146_097, by: 29))
    let wrong = days.filter { day in
      let date = HTTPDate(secondsSince1970: Int64(day) * 86_400)
      let text = date.imfFixdate
      return HTTPDate(parsing: text) != date || text.prefix(3) != weekdays[day % 7][...]
    }
    #expect(wrong == [])
  }

  /// The preferred format is read in one step, which must not take more than the others do.
  @Test func `a byte that is wrong anywhere makes it no date`() {
    let text = Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8)
    for index in text.indices {
      for byte in "!/:@[`{".utf8 where byte != text[index] {
        var wrong = text
        wrong[index] = byte
        #expect(HTTPDate(parsing: wrong) == nil, "\(String(decoding: wrong, as: UTF8.self))")
      }
    }
  }

  @Test(arguments: [
    ("Monday, 01-Jan-70 00:00:00 GMT", 0), ("Friday, 31-Dec-69 00:00:00 GMT", 3_155_673_600),
    ("Sun Nov 16 08:49:37 1994", 784_975_777), ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
    ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
  ])
  func `edges are accepted`(_ text: String, _ seconds: Int64) {
    #expect(HTTPDate(parsing: text.utf8) == HTTPDate(secondsSince1970: seconds))
  }

  @Test(arguments: [
    "", "0", "-1", "Sun", "Sun,", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
    "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 NOV 1994 08:49:37 GMT",
    "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
    "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
    "Thu, 29 Feb 2001 00:00:00 GMT", "Mon, 29 Feb 2100 00:00:00 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
    "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 Non 1994 08:49:37 GMT",
    "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT",
    "Sun, 06 Nov 1994 08.49.37 GMT", "784111777",
  ])
  func `what is no date is refused`(_ text: String) {
    #expect(HTTPDate(parsing: text.utf8) == nil)
  }
}
