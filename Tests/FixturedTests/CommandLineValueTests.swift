import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@testable import fixtured

@Suite struct CommandLineValueTests {
  @Test(arguments: [
    ("127.0.0.1:8377", ListenAddress(host: "127.0.0.1", port: 8377)),
    ("localhost:0", ListenAddress(host: "localhost", port: 0)),
    ("[::1]:65535", ListenAddress(host: "::1", port: 65535)),
  ])
  func `a listening address`(text: String, expected: ListenAddress) {
    #expect(ListenAddress(text) == expected)
  }

  @Test(arguments: [
    "", ":", "8377", ":8377", "localhost", "localhost:", "localhost:65536", "localhost:-1",
    "localhost:+1", "localhost:8x", "::1:80", "[::1]", "[a]:1", "[]:1", "http://a:1", "a b:1",
    "localhost:٣",
  ])
  func `what is no listening address`(text: String) {
    #expect(ListenAddress(text) == nil)
  }

  @Test(arguments: [
    ("1ms", Duration.milliseconds(1)), ("1.5s", .milliseconds(1500)), ("2m", .seconds(120)),
    ("24h", .seconds(86400)), ("0.001ms", .microseconds(1)),
  ])
  func `a time has a unit`(text: String, expected: Duration) {
    #expect(OptionValue.time(text) == expected)
  }

  @Test(arguments: [
    "", "1", "s", "0s", "-1s", "1 s", "1S", "1sec", "1d", "24.1h", ".5s", "1..5s", "1e3s",
    "99999999999999999999999999999999999h", "infs",
  ])
  func `what is no time`(text: String) {
    #expect(OptionValue.time(text) == nil)
  }

  @Test func `pacing`() {
    #expect(Pacing(word: "immediate") == .immediate)
    #expect(Pacing(word: "recorded") == .recorded)
    #expect(Pacing(word: "x2") == .scaled(2))
    #expect(Pacing(word: "x0.25") == .scaled(0.25))
    for text in ["", "x", "2", "x0", "x-1", "xinf", "x1e3", "x0x2", "X2", "recorded "] {
      #expect(Pacing(word: text) == nil)
    }
  }

  @Test func `what follows the last recording`() throws {
    func exhausted(_ word: String) throws(UsageError) -> Exhausted {
      guard case .replay(let options) = try command("replay a --exhausted \(word)") else {
        throw UsageError(.commandMissing)
      }
      return options.exhausted
    }
    #expect(try exhausted("repeat") == .repeatLast)
    #expect(try exhausted("miss") == .miss)
    #expect(try exhausted("cycle") == .cycle)
    #expect(
      problem("replay a --exhausted last")
        == .valueInvalid(.exhausted, "last", expected: Exhausted.expected))
  }

  @Test func `dates and derivation`() throws {
    func options(_ words: String) throws -> ReplayOptions {
      guard case .replay(let options) = try command("replay a \(words)") else {
        throw UsageError(.commandMissing)
      }
      return options
    }
    #expect(try options("").dates == .shift)
    #expect(try options("--date shift").dates == .shift)
    #expect(try options("--date recorded").dates == .recorded)
    for date in ["2031-01-01T02:34:56Z", "Wed, 01 Jan 2031 02:34:56 GMT"] {
      let given = try Command(arguments: ["replay", "a", "--date", "frozen=\(date)"])
      var expected = ReplayOptions(cassette: "a")
      expected.dates = .frozen(HTTPDate(secondsSince1970: 1_925_001_296))
      #expect(given == .replay(expected))
    }
    #expect(
      try options("--date frozen=1970-01-02").dates
        == .frozen(HTTPDate(secondsSince1970: 86_400)))
    for word in ["now", "frozen=", "frozen=2031-02-30", "frozen=2031-1-1", "Shift"] {
      #expect(
        problem("replay a --date \(word)")
          == .valueInvalid(.date, word, expected: DatePolicy.expected))
    }
    #expect(try options("").derives)
    #expect(try options("--derive on").derives)
    #expect(try !options("--derive off").derives)
    #expect(
      problem("replay a --derive no")
        == .valueInvalid(.derive, "no", expected: OptionValue.switchExpected))
  }

  @Test func `threads`() {
    #expect(OptionValue.threads("1") == 1)
    #expect(OptionValue.threads("256") == 256)
    for text in ["", "0", "257", "+1", "two"] { #expect(OptionValue.threads(text) == nil) }
  }

  @Test(arguments: [
    ("record", "record", 0), ("recrod", "record", 1), ("recor", "record", 1),
    ("rrecord", "record", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("ca", "abc", 3),
  ])
  func `the distance of two words`(left: String, right: String, expected: Int) {
    #expect(EditDistance.distance(left, right) == expected)
    #expect(EditDistance.distance(right, left) == expected)
  }
}
