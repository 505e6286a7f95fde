import FixtureCassette
import FixtureHTTP
import Testing

@Suite struct LatestDateTests {
  private static func add(_ fields: String?, came: Int64 = 0, to latest: inout LatestDate) {
    let bytes = Array((fields ?? "").utf8)
    bytes.withUnsafeBytes { bytes in
      let nothing = UnsafeRawBufferPointer(rebasing: bytes[..<0])
      latest.add(
        RequestOutline(
          id: 1, upstream: nil, authority: nothing, method: .get, target: nothing,
          answer: fields.map { _ in
            .init(fields: StoredFields(bytes), came_us: came * 1_000_000)
          }))
    }
  }

  @Test func `is that of a Date, or of when a response without a valid one came`() {
    var latest = LatestDate()
    Self.add(nil, to: &latest)
    #expect(latest.date == nil)
    Self.add("Date: Thu, 01 Jan 1970 00:01:00 GMT\r\n", came: 900, to: &latest)
    Self.add("Date: Thu, 01 Jan 1970 00:01:00 GMT\r\n", came: 901, to: &latest)
    #expect(latest.date == HTTPDate(secondsSince1970: 60))
    Self.add("Date: Thu, 01 Jan 1970 00:00:30 GMT\r\n", to: &latest)
    #expect(latest.date == HTTPDate(secondsSince1970: 60))
    Self.add("Date: yesterday\r\n", came: 70, to: &latest)
    #expect(latest.date == HTTPDate(secondsSince1970: 70))
    Self.add("Age: 1\r\n", came: 80, to: &latest)
    #expect(latest.date == HTTPDate(secondsSince1970: 80))
    var other = LatestDate()
    other.add(latest)
    other.add(LatestDate())
    #expect(other.date == HTTPDate(secondsSince1970: 80))
  }
}
