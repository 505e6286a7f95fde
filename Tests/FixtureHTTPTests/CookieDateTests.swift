import Testing

@testable import FixtureHTTP

@Suite struct `Cookie date` {
  @Test(arguments: [
    "Wed, 01 Jan 2031 02:34:56 GMT", "Wed, 01-Jan-2031 02:34:56 GMT",
    "Wednesday, 01-Jan-31 02:34:56 GMT", "Wed Jan  1 02:34:56 2031", "1 jan 2031 2:34:56",
    "Thu, 01 JANUARY 2031 02:34:56 -0800", "2031 01 Jan 02:34:56", "\"Wed, 01 Jan 31 02:34:56\"",
  ])
  func `is read as user agents read it`(_ text: String) {
    #expect(HTTPDate(parsingCookie: text.utf8) == HTTPDate(secondsSince1970: 1_925_001_296))
  }

  @Test(arguments: [
    ("01 Jan 70 00:00:00", 0), ("01-Jan-1601 00:00:00 GMT", -11_644_473_600),
    ("01 Jan 69 00:00:00", 3_124_224_000),
  ])
  func `years of two digits and old ones`(_ text: String, _ seconds: Int64) {
    #expect(HTTPDate(parsingCookie: text.utf8) == HTTPDate(secondsSince1970: seconds))
  }

  @Test(arguments: [
    "", "0", "-1", "Session", "Wed, 01 Jan 2031", "02:34:56", "01 Jan 1600 00:00:00",
    "31 Feb 2031 00:00:00", "01 Jan 2031 24:00:00", "01 Jan 2031 00:60:00", "01 Jan 2031 0:0:60",
    "00 Jan 2031 00:00:00", "01 Jam 2031 00:00:00", "01 Jan 2031 00:00", "1 Jan 20311 00:00:00",
  ])
  func `is nothing else`(_ text: String) {
    #expect(HTTPDate(parsingCookie: text.utf8) == nil)
  }
}
