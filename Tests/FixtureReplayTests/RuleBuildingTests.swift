import FixtureCassette
import FixtureHTTP
import Testing

@testable import FixtureReplay

/// Every word of the language in Swift: it is the value that the parser makes of the word.
@Suite struct RuleBuildingTests {
  private static let x = Rule("/x")
  private static let version = JSONPointer(tokens: [Array("version".utf8)])

  static let conditions: [(String, Rule)] = [
    ("first 2", x.first(2)), ("first 2 overall", x.first(2, overall: true)),
    ("nth 2 4", x.nth(2, 4)), ("nth 2 overall", x.nth(2, overall: true)),
    ("from 2 to 3", x.from(2, to: 3)), ("every 5", x.every(5)),
    ("every 5 overall", x.every(5, overall: true)), ("after 10s", x.after(.seconds(10))),
    ("for 10s", x.lasting(.seconds(10))), ("chance 0.5%", x.chance(Proportion(millionths: 5000))),
    ("with header Accept", x.with(header: "Accept")),
    (#"with header Accept "a, b""#, x.with(header: "Accept", "a, b")),
    ("with json /n 1", x.with(json: "/n", 1)), ("with json /n true", x.with(json: "/n", true)),
    ("without header Accept", x.without(header: "Accept")), ("while out", x.while("out")),
  ]

  static let timing: [(String, Rule)] = [
    ("delay 1500ms", x.delay(.milliseconds(1500))),
    ("delay 100ms..400ms", x.delay(.milliseconds(100) ... .milliseconds(400))),
    (
      "delay lognormal 200ms sigma 0.5",
      x.delay(lognormal: .milliseconds(200), sigma: Proportion(millionths: 500_000))
    ),
    ("pause 2s", x.pause(.seconds(2))),
    ("trickle 1KiB/1s", x.trickle(.bytes(1024), every: .seconds(1))),
    ("trickle 4 pieces over 1s", x.trickle(pieces: 4, over: .seconds(1))),
    ("rate 10MB/s", x.rate(.perSecond(.megabytes(10)))),
    ("rate 10MB/s shared", x.rate(.perSecond(.megabytes(10)), shared: true)),
    ("stall 2s at 50%", x.stall(.seconds(2), .at(.portion(.percent(50))))),
    ("hang", x.hang()), ("hang after content", x.hang(.after(.content))),
    ("hold door", x.hold("door")), ("network edge", x.network(.edge)),
    ("network 3g", x.network(.thirdGeneration)), ("network lte", x.network(.lte)),
    ("network lossy", x.network(.lossy)),
  ]

  static let response: [(String, Rule)] = [
    ("status 503", x.status(503)), ("retry-after 2s", x.retryAfter(.seconds(2))),
    ("retry-after date 2s", x.retryAfter(date: .seconds(2))), (#"body "no""#, x.body("no")),
    ("body file a.json", x.body(file: "a.json")), ("body size 40KB", x.body(size: .kilobytes(40))),
    ("body size 40KB fresh", x.body(size: .kilobytes(40), fresh: true)),
    (#"set Vary "A, B""#, x.set("Vary", "A, B")), (#"add Vary "A""#, x.add("Vary", "A")),
    ("remove Vary", x.remove("Vary")), ("json /n 2", x.json("/n", 2)),
    (#"json /n "text""#, x.json("/n", "text")), ("etag every 5", x.etag(.every(5))),
    ("etag every 10s same", x.etag(.each(.seconds(10)), .same)),
    ("etag at 17 34 next", x.etag(.at([17, 34]), .next)),
    ("etag every 5 stamp /version", x.etag(.every(5), .stamp(version))),
    ("age 59s", x.age(.seconds(59))), ("last-modified 10d ago", x.lastModified(ago: days(10))),
    ("expires 1h", x.expires(.seconds(3600))), ("expires 1h ago", x.expires(ago: .seconds(3600))),
    ("redirect /y", x.redirect("/y")), ("redirect loop", x.redirectLoop()),
    ("challenge basic", x.challenge(.basic)), ("challenge bearer", x.challenge(.bearer)),
    ("corrupt json", x.corrupt(.json)), ("corrupt utf8", x.corrupt(.utf8)),
    ("corrupt gzip", x.corrupt(.gzip)), ("early 413", x.early(413)),
    ("quota 5/10s", x.quota(5, per: .seconds(10))),
  ]

  static let connection: [(String, Rule)] = [
    ("reset", x.reset()), ("reset at 40KB", x.reset(.at(.bytes(.kilobytes(40))))),
    ("close", x.close()), ("close in head", x.close(.inHead)),
    ("truncate at 10B", x.truncate(at: .bytes(.bytes(10)))),
    ("truncate at 10%", x.truncate(at: .portion(.percent(10)))),
    ("malformed status", x.malformed(.status)), ("malformed field", x.malformed(.field)),
    ("malformed chunk", x.malformed(.chunk)), ("malformed length", x.malformed(.length)),
    ("keep-alive off", x.keepAlive(.off)), ("keep-alive 2", x.keepAlive(.exchanges(2))),
    ("keep-alive 5s", x.keepAlive(.idle(.seconds(5)))),
    ("upload 10KB/s", x.upload(.perSecond(.kilobytes(10)))),
    ("continue off", x.continue(.off)), ("continue 2s", x.continue(.after(.seconds(2)))),
    ("idempotency replay", x.idempotency(.replay)),
    ("idempotency conflict", x.idempotency(.conflict)),
    ("idempotency in-progress", x.idempotency(.inProgress)), ("raise out", x.raise("out")),
    ("clear out", x.clear("out")),
  ]

  /// With the pattern `*` alone, and `refuse` and `blackhole` not for ever.
  static let listener: [(String, Rule)] = [
    ("*: after 5s, refuse", Rule("*").after(.seconds(5)).refuse()),
    ("*: for 5s, blackhole", Rule("*").lasting(.seconds(5)).blackhole()),
    ("*: connections 6 queue", Rule("*").connections(6, .queue)),
    ("*: connections 6 refuse", Rule("*").connections(6, .refuse)),
    ("*: connections 6 stall", Rule("*").connections(6, .stall)),
  ]

  private static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }

  /// Each as a line of its own.
  static let all: [(line: String, rule: Rule)] =
    conditions.map { ("/x: \($0.0), reset", $0.1.reset()) }
    + (timing + response + connection).map { ("/x: \($0.0)", $0.1) } + listener

  @Test func `every word in Swift is the word as it is written`() throws {
    for (line, rule) in Self.all {
      #expect(try Rule(parsing: line.utf8) == rule, "\(line)")
      #expect("\(rule)" == line)
    }
  }

  @Test func `no word of the language is missing`() {
    let words = Set(Self.all.flatMap { $0.rule.faults.map(\.word) })
    #expect(words == Set(FaultWord.allCases))
    let when = Set(Self.conditions.map { String($0.0.split(separator: " ")[0]) })
    #expect(Set(ConditionWord.allCases.map(\.rawValue)) == when)
  }

  @Test func `points are the same in both`() throws {
    let points: [(String, Point)] =
      [
        ("at 5B", .at(.bytes(.bytes(5)))), ("at 5%", .at(.portion(.percent(5)))),
        ("in head", .inHead),
      ]
      + Phase.allCases.flatMap {
        [("before \($0)", Point.before($0)), ("after \($0)", .after($0))]
      }
    for (text, point) in points {
      #expect(try Rule(parsing: "/x: hang \(text)".utf8) == Self.x.hang(point))
      #expect(try Rule(parsing: "/x: stall 1s \(text)".utf8) == Self.x.stall(.seconds(1), point))
    }
  }
}
