import FixtureHTTP
import Testing

@testable import fixtured

@Suite struct LastingValueTests {
  private func shown(_ lines: (StaticString, String)...) -> [String] {
    var section = FieldSection()
    for (name, value) in lines { section.append(name, value) }
    let lasting = LastingValue(in: section)
    return section.lines.indices.map { lasting.text(at: $0) }
  }

  @Test func `dates are told by their distance from Date`() {
    #expect(
      shown(
        ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Expires", "Sun, 06 Nov 1994 09:49:37 GMT"),
        ("Retry-After", "Sun, 06 Nov 1994 08:49:38 GMT"),
        ("Set-Cookie", "a=b; Path=/; Expires=Mon, 07 Nov 1994 08:49:37 GMT; Secure"))
        == [
          "(date)", "(date + 3600 s)", "(date + 1 s)",
          "a=b; Path=/; Expires=(date + 86400 s); Secure",
        ])
  }

  @Test func `a date that is no later is a constant`() {
    let past = "Thu, 01 Jan 1970 00:00:00 GMT"
    #expect(
      shown(
        ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Expires", past),
        ("Set-Cookie", "a=; expires=\(past)"), ("Last-Modified", past))
        == ["(date)", past, "a=; expires=\(past)", past])
  }

  @Test func `what is no date is shown`() {
    #expect(
      shown(("Date", "now"), ("Expires", "0"), ("Retry-After", "3")) == ["now", "0", "3"])
    #expect(
      shown(("Expires", "Sun, 06 Nov 1994 08:49:37 GMT")) == ["Sun, 06 Nov 1994 08:49:37 GMT"])
  }

  @Test func `the boundary of a multipart is left out`() {
    #expect(
      shown(
        ("Content-Type", "multipart/form-data; boundary=\"a b-1\""),
        ("content-type", "multipart/mixed;boundary=xyz; charset=utf-8"),
        ("Content-Type", "text/plain; boundary=xyz")) == [
          "multipart/form-data; boundary=\"(boundary)\"",
          "multipart/mixed;boundary=(boundary); charset=utf-8", "text/plain; boundary=xyz",
        ])
  }

  @Test func `the port of a loopback host is left out`() {
    #expect(shown(("Host", "127.0.0.1:8377")) == ["127.0.0.1:(port)"])
    #expect(shown(("host", "[::1]:1")) == ["[::1]:(port)"])
    for host in ["127.0.0.1", "localhost:", "localhost:x", "localhost.example:80", "a.test:81"] {
      #expect(shown(("Host", host)) == [host])
    }
  }
}
