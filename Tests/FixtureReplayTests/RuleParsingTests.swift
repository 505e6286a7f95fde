import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct RuleParsingTests {
  @Test(arguments: [
    (
      "GET /flaky: first 3, status 503, retry-after 2s",
      Rule(.get, "/flaky").first(3).status(503).retryAfter(.seconds(2))
    ),
    ("*: delay 100ms..400ms", Rule("*").delay(.milliseconds(100) ... .milliseconds(400))),
    (
      "GET /thumb/*: rate 20MB/s shared",
      Rule(.get, "/thumb/*").rate(.perSecond(.megabytes(20)), shared: true)
    ),
    ("/trickle: trickle 1B/600ms", Rule("/trickle").trickle(.bytes(1), every: .milliseconds(600))),
    (
      #"GET /catalog: etag every 5, set Cache-Control "max-age=1, must-revalidate", age 59s"#,
      Rule(.get, "/catalog").etag(.every(5))
        .set("Cache-Control", "max-age=1, must-revalidate").age(.seconds(59))
    ),
    (
      "/progressive: rate 100KB/s, stall 2s at 500KB",
      Rule("/progressive").rate(.perSecond(.kilobytes(100)))
        .stall(.seconds(2), .at(.bytes(.kilobytes(500))))
    ),
    (
      "POST /orders: nth 1, reset after commit",
      Rule(.post, "/orders").nth(1).reset(.after(.commit))
    ),
    ("GET /api/me: nth 2, raise expired", Rule(.get, "/api/me").nth(2).raise("expired")),
    (
      "/api/**: while expired, challenge bearer",
      Rule("/api/**").while("expired").challenge(.bearer)
    ),
    ("POST /token: clear expired", Rule(.post, "/token").clear("expired")),
    (
      "GET|HEAD //api.test/a?q=x&page: from 2 to 4 overall, chance 12.5%, close in head",
      Rule([.get, .head], "//api.test/a?q=x&page").from(2, to: 4, overall: true)
        .chance(Proportion(millionths: 125_000)).close(.inHead)
    ),
    (
      #"*: with json /a/b "two words", without header X-Id, with header Accept, hang at 50%"#,
      Rule("*").with(json: "/a/b", "two words").without(header: "X-Id").with(header: "Accept")
        .hang(.at(.portion(.percent(50))))
    ),
    (
      "*: after 1m, for 90m, delay lognormal 200ms sigma 0.5, trickle 10 pieces over 5s",
      Rule("*").after(.seconds(60)).lasting(.seconds(5400))
        .delay(lognormal: .milliseconds(200), sigma: Proportion(millionths: 500_000))
        .trickle(pieces: 10, over: .seconds(5))
    ),
    (
      #"*: body "{\"a\":\n1}", json /n 2, json /s "2 x", body size 40KB fresh"#,
      Rule("*").body("{\"a\":\n1}").json("/n", 2).json("/s", "2 x")
        .body(size: .kilobytes(40), fresh: true)
    ),
    (
      "*: etag at 17 34 stamp /version, expires 1m ago, last-modified 10d ago, retry-after date 3s",
      Rule("*").etag(.at([17, 34]), .stamp(JSONPointer(tokens: [Array("version".utf8)])))
        .expires(ago: .seconds(60)).lastModified(ago: .seconds(864_000))
        .retryAfter(date: .seconds(3))
    ),
    (
      "*: redirect loop, keep-alive 2, upload 10KB/s, early 413, continue off, quota 5/10s",
      Rule("*").redirectLoop().keepAlive(.exchanges(2)).upload(.perSecond(.kilobytes(10)))
        .early(413).continue(.off).quota(5, per: .seconds(10))
    ),
    ("*: after 5s, for 2s, refuse", Rule("*").after(.seconds(5)).lasting(.seconds(2)).refuse()),
    ("*: connections 6 queue", Rule("*").connections(6, .queue)),
    (
      "/x: truncate at 10%, malformed chunk, corrupt utf8, idempotency in-progress, network 3g",
      Rule("/x").truncate(at: .portion(.percent(10))).malformed(.chunk).corrupt(.utf8)
        .idempotency(.inProgress).network(.thirdGeneration)
    ),
  ])
  func `a line and the same in Swift are one rule`(_ line: String, _ rule: Rule) throws {
    #expect(try Rule(parsing: line.utf8) == rule)
    #expect("\(rule)" == line)
  }

  @Test func `what is written in other ways is the same rule`() throws {
    let plain = try Rule(parsing: "GET /a: first 1, delay 1500ms".utf8)
    #expect(try Rule(parsing: "  GET   /a:\tfirst 1 ,delay 1.5s  ".utf8) == plain)
    #expect("\(plain)" == "GET /a: first 1, delay 1500ms")
    let bytes = try Rule(parsing: #"/a\x2fb\*: body "\xff\r\t\"\\""#.utf8)
    #expect(bytes.pattern.path == WildcardText("/a/b*"))
    #expect(bytes.faults == [.body(.bytes([0xFF, 0x0D, 0x09, 0x22, 0x5C]))])
  }

  @Test func `every rule is printed so that it is read again`() throws {
    for seed in 0..<3000 {
      var drawn = DrawnRules(UInt64(seed))
      let rule = drawn.rule()
      let line = "\(rule)"
      do {
        let read = try Rule(parsing: line.utf8)
        #expect(read == rule, "\(seed): \(line)")
        #expect("\(read)" == line)
      } catch {
        Issue.record("\(seed): \(line): \(error)")
      }
    }
  }

  @Test func `every scenario is printed so that it is read again`() throws {
    for seed in 0..<300 {
      var drawn = DrawnRules(UInt64(seed))
      let scenario = drawn.scenario()
      #expect(try Scenario(parsing: "\(scenario)".utf8) == scenario, "\(scenario)")
    }
  }
}

@Suite struct RuleErrorTests {
  @Test(arguments: [
    (
      "",
      "line 1, column 1: found the end of the line, expected a colon and a space behind the pattern"
    ),
    (
      "/a",
      "line 1, column 3: found the end of the line, expected a colon and a space behind the pattern"
    ),
    (
      "/a:",
      "line 1, column 4: found the end of the line, expected when or what, such as first 3 or status 503"
    ),
    (
      "/a b: delay 1s",
      "line 1, column 3: found \" b:\", expected a colon and a space behind the pattern"
    ),
    (
      "GET: delay 1s",
      "line 1, column 4: found \":\", expected a space and a path behind the method"
    ),
    (
      "GET|: delay 1s",
      "line 1, column 5: found \":\", expected a space and a path behind the method"
    ),
    ("GET| /a: delay 1s", "line 1, column 5: found \" /a:\", expected a method"),
    (
      "GET a: delay 1s",
      "line 1, column 5: found \"a:\", expected a path that begins with /, or * for everything"
    ),
    ("///a: delay 1s", "line 1, column 3: found \"/a:\", expected an authority behind //"),
    (
      "/a?*=1: delay 1s",
      "line 1, column 4: a name in a query can't hold *, escape one that is meant as \\*"
    ),
    (
      "/a:delay 1s",
      "line 1, column 9: found \" 1s\", expected a colon and a space behind the pattern"
    ),
    (
      "/a: DELAY 1s",
      "line 1, column 5: found \"DELAY\", expected when or what, such as first 3 or status 503, did you mean delay?"
    ),
    ("/a: etag", "line 1, column 9: found the end of the line, expected every or at"),
    (
      "/é: statsu 503",
      "line 1, column 5: found \"statsu\", expected when or what, such as first 3 or status 503, did you mean status?"
    ),
    (
      "/a: delay 5",
      "line 1, column 11: found \"5\", expected a time with its unit (ms, s, m, h, d), for example 250ms, two of them with .. between, or lognormal"
    ),
    (
      "/a: delay 0.0000001ms",
      "line 1, column 11: found \"0.0000001ms\", expected a time with its unit (ms, s, m, h, d), for example 250ms, two of them with .. between, or lognormal"
    ),
    ("/a: delay 2s..1s", "line 1, column 11: the first time is the longer one"),
    ("/a: rate 5MB", "line 1, column 10: found \"5MB\", expected a rate, for example 100KB/s"),
    ("/a: status 199", "line 1, column 12: found \"199\", expected a status from 200 to 599"),
    ("/a: first 0, reset", "line 1, column 11: found \"0\", expected a whole number, from 1"),
    ("/a: from 3 to 2, reset", "line 1, column 15: from 3 to 2 is no request"),
    (
      "/a: chance 101%, reset",
      "line 1, column 12: found \"101%\", expected a percentage from 0% to 100%, for example 12.5%"
    ),
    (
      "/a: first 2",
      "line 1, column 12: found the end of the line, expected a comma and what happens, such as status 503"
    ),
    ("/a: reset, first 2", "line 1, column 12: first says when, and stands before what happens"),
    (
      "/a: reset at",
      "line 1, column 13: found the end of the line, expected a size or a percentage, for example 500KB or 50%"
    ),
    (
      "/a: reset before hed",
      "line 1, column 18: found \"hed\", expected request, head, content, end or commit, did you mean head?"
    ),
    ("/a: reset now", "line 1, column 11: found \"now\", expected at, in head, before or after"),
    (
      "/a: status 503 404",
      "line 1, column 16: found \"404\", expected a comma or the end of the line"
    ),
    ("/a: status 503,, reset", "line 1, column 16: found \",\", expected what happens"),
    ("/a: body text", "line 1, column 10: found \"text\", expected \"…\", file PATH or size SIZE"),
    ("/a: body \"text", "line 1, column 15: found the end of the line, expected a closing \""),
    (
      "/a: body \"a\"b",
      "line 1, column 13: found \"b\", expected a space or a comma after the closing \""
    ),
    (
      "/a: body \"\\x4\"",
      "line 1, column 13: found \"4\"\", expected two hexadecimal digits after \\x"
    ),
    (
      "/a: set A \"b\\n\"",
      "line 1, column 11: found \"b?\", expected the value of a field, in one line, without white space at its ends"
    ),
    (
      "/a: set connection close",
      "line 1, column 9: Connection is made for each connection: keep-alive and malformed change it"
    ),
    (
      "/a: set content-length 3",
      "line 1, column 9: Content-Length is that of the content: truncate sends less, malformed length is none"
    ),
    (
      "/a: json a 1",
      "line 1, column 10: found \"a\", expected a JSON pointer, for example /items/0/id"
    ),
    (
      "/a: while a+b, reset",
      "line 1, column 11: found \"a+b\", expected the name of a flag, of letters, digits, -, _ and ."
    ),
    ("/a: refuse", "line 1, column 5: refuse is about all connections: its pattern is * alone"),
    (
      "*: refuse",
      "line 1, column 4: refuse needs after, for or while: else nothing could ever connect"
    ),
    (
      "*: first 2, blackhole",
      "line 1, column 13: blackhole knows no request: only after, for and while go with it"
    ),
    ("/a: body size 17MiB", "line 1, column 15: a body of a rule has at most 16 MiB"),
  ])
  func `what is wrong is told with its place and what was expected`(
    _ line: String, _ message: String
  ) {
    #expect(Self.error(line) == message)
  }

  private static func error(_ line: String) -> String {
    do {
      return "\(try Rule(parsing: line.utf8))"
    } catch {
      return "\(error)"
    }
  }

  @Test func `every beginning of a line has an error or is a rule`() {
    let line =
      #"GET|PUT //a.b/**/x?y=*: from 1 to 2 overall, with json /a "\x41", set X "b, c", reset"#
    for end in 0...line.utf8.count {
      _ = Self.error(String(decoding: Array(line.utf8)[..<end], as: UTF8.self))
    }
  }
}

@Suite struct ScenarioTests {
  private static let text = """
    # the lab
    seed 42

    *: delay 1s
    [expired]
    GET /me: nth 2, raise expired
    [ calm ]
    seed 7
    """

  @Test func `lines above the sections apply to each`() throws {
    let scenario = try Scenario(parsing: Self.text.utf8)
    #expect(
      try scenario.section(nil) == Scenario(seed: 42, rules: [Rule("*").delay(.seconds(1))]))
    #expect(
      try scenario.section("expired")
        == Scenario(
          seed: 42,
          rules: [Rule("*").delay(.seconds(1)), Rule(.get, "/me").nth(2).raise("expired")]))
    #expect(try scenario.section("calm").seed == 7)
    #expect(throws: Scenario.SectionError.missing("other", known: ["expired", "calm"])) {
      try scenario.section("other")
    }
  }

  @Test func `each rule of a scenario knows its line, and says the same without it`() throws {
    let scenario = try Scenario(parsing: Self.text.utf8, origin: "a.rules").section("expired")
    #expect(scenario.rules.map(\.origin) == ["a.rules:4", "a.rules:6"])
    #expect(try Scenario(parsing: Self.text.utf8).section("expired") == scenario)
    let network = try Scenario(parsing: "\n*: network lossy".utf8, origin: "b.rules")
    let set = ScenarioSetup(rules: network.rules, seed: 7).ruleSet(3)
    #expect(set.number == 3)
    #expect(set.rules.count > 1)
    #expect(set.rules.allSatisfy { $0.origin == "b.rules:2" && !$0.text.contains("network") })
    #expect(set[1] == set.rules[0])
    #expect(set[0] == nil)
    #expect(set[set.rules.count + 1] == nil)
  }

  @Test(arguments: [
    (
      "*: delay 1s\nseed x",
      "line 2, column 6: found \"x\", expected a whole number up to 18446744073709551615"
    ),
    ("seed 1\nseed 2", "line 2, column 1: there is a seed already"),
    ("[a]\r\n[a]\r\n", "line 2, column 1: there is a section [a] already"),
    ("[a", "line 1, column 3: found the end of the line, expected ] at the end of the line"),
    (
      "[a b]",
      "line 1, column 1: found \"[a\", expected the name of a section without spaces, as in [offline]"
    ),
    (
      "\n\n /a: dely 1s",
      "line 3, column 6: found \"dely\", expected when or what, such as first 3 or status 503, did you mean delay?"
    ),
  ])
  func `what is wrong in a file is told with its line`(_ text: String, _ message: String) {
    do {
      Issue.record("\(try Scenario(parsing: text.utf8))")
    } catch {
      #expect("\(error)" == message)
    }
  }

  @Test func `a network is the rules it stands for`() throws {
    let rule = try Rule(parsing: "GET /a: first 2, network lossy, status 503".utf8)
    #expect(
      rule.expanded.map(\.description) == [
        "GET /a: first 2, delay 50ms..250ms, rate 500KB/s shared",
        "GET /a: first 2, chance 10%, stall 2s at 50%",
        "GET /a: first 2, chance 3%, reset at 50%", "GET /a: first 2, status 503",
      ])
  }
}
