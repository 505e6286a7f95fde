import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct TimeShiftTests {
  /// Made at 08:49:37, in a cassette whose last response is of an hour later.
  static let made = HTTPDate(parsing: "Sun, 06 Nov 1994 08:49:37 GMT".utf8)!
  static let latest = made.advanced(by: 3600)
  /// A session that starts a day after that.
  static let start = latest.secondsSince1970 + 86_400
  static let shift = TimeShift(.shift, start: start, latest: latest)

  static func moved(
    _ fields: FieldSection, _ shift: TimeShift = shift, now: Int64 = start + 5
  ) throws -> FieldSection {
    let interaction = recording(
      1, RecordedResponse(head: head(200, "OK", fields), framing: .length))
    let play = try #require(PreparedPlay(interaction, pacing: .immediate))
    let script = shift.moved(play.script, of: interaction, now: shift.now(now))
    guard case .head(let head) = script.steps[0].action else { return FieldSection() }
    return head.fields
  }

  @Test func `dates keep their distance from now`() throws {
    let fields = section(
      ("Server", "s"), ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
      ("Expires", "Sunday, 06-Nov-94 08:50:37 GMT"), ("Age", "17"),
      ("Retry-After", "Sun Nov  6 08:49:39 1994"),
      ("Set-Cookie", "a=b; expires=Tue, 08-Nov-1994 08:49:37 GMT; Path=/"),
      ("Last-Modified", "Sun, 06 Nov 1994 07:00:00 GMT"), ("Cache-Control", "max-age=60"))
    #expect(
      try Self.moved(fields)
        == section(
          ("Server", "s"), ("date", "Mon, 07 Nov 1994 09:49:42 GMT"),
          ("Expires", "Mon, 07 Nov 1994 09:50:42 GMT"), ("Age", "17"),
          ("Retry-After", "Mon, 07 Nov 1994 09:49:44 GMT"),
          ("Set-Cookie", "a=b; expires=Wed, 09 Nov 1994 09:49:42 GMT; Path=/"),
          // The day between the cassette and the session, whatever it is now.
          ("Last-Modified", "Mon, 07 Nov 1994 07:00:00 GMT"), ("Cache-Control", "max-age=60")))
  }

  @Test(arguments: [
    section(("Date", "now")), section(("Expires", "0")), section(("Expires", "-1")),
    section(("Date", "Sun, 06 Nov 1994 08:49:37 UTC")), section(("Retry-After", "120")),
    section(("Last-Modified", "")), section(("Set-Cookie", "a=b; Max-Age=60; Path=/")),
    section(("Set-Cookie", "expires=Tue, 08-Nov-1994 08:49:37 GMT")),
    section(("Set-Cookie", "a=b; Expires=Session")), section(("X-Date", Self.made.text)),
    section(("Cache-Control", "max-age=60"), ("Age", "3")),
  ])
  func `what is no date stays`(_ fields: FieldSection) throws {
    #expect(try Self.moved(fields) == fields)
  }

  @Test func `what has expired stays expired`() throws {
    func expiring(_ date: HTTPDate, at now: HTTPDate) -> FieldSection {
      section(
        ("Date", now.text), ("Expires", date.text), ("Set-Cookie", "a=; Expires=\(date.text)"))
    }
    let now = HTTPDate(secondsSince1970: Self.start + 5)
    for distance: Int64 in [0, -1, -86_400] {
      let date = Self.made.advanced(by: distance)
      #expect(try Self.moved(expiring(date, at: Self.made)) == expiring(date, at: now))
    }
    let date = Self.made.advanced(by: 1)
    #expect(
      try Self.moved(expiring(date, at: Self.made)) == expiring(now.advanced(by: 1), at: now))
    // A clock set to long ago would make it fresh.
    let past = HTTPDate(secondsSince1970: 0)
    let frozen = TimeShift(.frozen(past), start: Self.start, latest: Self.latest)
    let expired = Self.made.advanced(by: -60)
    #expect(
      try Self.moved(expiring(expired, at: Self.made), frozen)
        == expiring(past.advanced(by: -60), at: past))
  }

  @Test func `without a date it counts from when it came`() throws {
    // Recorded at 1970, as the others of this kind are in these tests.
    let fields = section(("Expires", HTTPDate(secondsSince1970: 30).text))
    let now = HTTPDate(secondsSince1970: Self.start + 35)
    #expect(try Self.moved(fields) == section(("Expires", now.text)))
  }

  @Test func `recorded dates are left as they are`() throws {
    let fields = section(("Date", "Sun Nov  6 08:49:37 1994"), ("Last-Modified", Self.made.text))
    let recorded = TimeShift(.recorded, start: Self.start, latest: Self.latest)
    #expect(try Self.moved(fields, recorded) == fields)
    let asked = request(.get, "/a", section(("If-Modified-Since", Self.made.text)))
    #expect(recorded.movedBack(asked) == asked)
  }

  @Test func `a frozen clock stands still`() throws {
    let date = HTTPDate(secondsSince1970: 1_925_001_296)
    let frozen = TimeShift(.frozen(date), start: Self.start, latest: Self.latest)
    let fields = section(
      ("Date", Self.made.text), ("Expires", Self.made.advanced(by: 60).text),
      ("Last-Modified", Self.latest.advanced(by: -10).text))
    for now in [Self.start, Self.start + 1000] {
      #expect(
        try Self.moved(fields, frozen, now: now)
          == section(
            ("Date", date.text), ("Expires", date.advanced(by: 60).text),
            ("Last-Modified", date.advanced(by: -10).text)))
    }
  }

  @Test func `the dates of conditions are moved back`() {
    let modified = HTTPDate(secondsSince1970: 784_000_000)
    let sent = modified.advanced(by: Self.shift.lastModified_s).text
    #expect(Self.shift.lastModified_s == 86_400)
    let asked = request(
      .get, "/a",
      section(
        ("If-Modified-Since", sent), ("if-unmodified-since", sent), ("If-Range", sent),
        ("If-Range", "\"a\""), ("If-Modified-Since", "yesterday"), ("X-Since", sent)))
    let recorded = section(
      ("If-Modified-Since", modified.text), ("if-unmodified-since", modified.text),
      ("If-Range", modified.text), ("If-Range", "\"a\""), ("If-Modified-Since", "yesterday"),
      ("X-Since", sent))
    #expect(Self.shift.movedBack(asked).fields == recorded)
  }

  @Test func `no modification comes to lie after its date`() throws {
    // The last response of the cassette, of a file that was just written.
    let fields = section(("Date", Self.latest.text), ("Last-Modified", Self.latest.text))
    let start = HTTPDate(secondsSince1970: Self.start).text
    #expect(
      try Self.moved(fields, now: Self.start) == section(("Date", start), ("Last-Modified", start)))
  }

  @Test func `dates are found in an answer as it is sent`() throws {
    let fields = section(
      ("X-Date", "Date: "), ("Date", Self.made.text), ("X", "1"),
      ("Set-Cookie", "a=b; Expires=\(Self.made.advanced(by: 60).text)"),
      ("Set-Cookie", "c=d; Expires=\(Self.made.advanced(by: 60).text)"), ("Expires", "0"),
      ("Retry-After", Self.made.advanced(by: 2).text))
    let early = section(("Date", Self.made.text), ("Link", "</a>"))
    let interaction = recording(
      1, RecordedResponse(head: head(200, "OK", fields), framing: .length),
      interims: [RecordedInterim(offset_us: 0, head: head(103, "Early Hints", early))])
    let play = try #require(PreparedPlay(interaction, pacing: .immediate))
    func sent(_ now: Int64, leavingOut left: Int? = nil) -> [UInt8] {
      var bytes: [UInt8] = []
      for step in Self.shift.moved(play.script, of: interaction, now: now).steps {
        let head: ResponseHead
        switch step.action {
        case .head(let sent), .interim(let sent): head = sent
        default: continue
        }
        bytes += Array("HTTP/1.1 \(head.status) X\r\n".utf8)
        for line in 0..<head.fields.count where line != left {
          bytes += head.fields.line(at: line)
        }
        bytes += [0x0D, 0x0A]
      }
      // Content is left alone, whatever it holds.
      return bytes + Array("\r\nDate: \(Self.made.text)\r\n\r\n".utf8)
    }
    let moved = Self.shift.moved(play.script, of: interaction, now: Self.start)
    for left in [nil, 0, 1, 3, 6] {
      var bytes = sent(Self.start, leavingOut: left)
      let marks = Self.shift.marks(
        in: bytes, of: play.script, moved: moved, interaction, now: Self.start)
      for mark in marks {
        let date = HTTPDate(secondsSince1970: Self.start + 77).advanced(by: mark.distance)
        bytes.replaceSubrange(mark.offset..<(mark.offset + 29), with: date.imfFixdate)
      }
      #expect(bytes == sent(Self.start + 77, leavingOut: left), "\(String(describing: left))")
    }
  }
}

extension HTTPDate {
  fileprivate var text: String { String(decoding: imfFixdate, as: UTF8.self) }
}
