import FixtureCassette
import FixtureHTTP
import FixtureReplay
import Testing

/// A scenario that requests come to, one by one.
private struct Session {
  let session: ScenarioSession

  init(_ text: String, seed: UInt64 = 1) throws {
    session = ScenarioSetup(
      rules: try Scenario(parsing: text.utf8).rules, seed: seed
    ).begun(at: 0)
  }

  /// What the next request meets.
  func met(
    _ target: String = "/a", _ method: Method = .get, fields: FieldSection = .init(),
    content: String? = nil, ms: Int64 = 0, key: UInt64? = nil
  ) -> String {
    let request = RuleRequest(
      method: method, target: Array(target.utf8), fields: fields,
      content: content.map { Array($0.utf8) })
    let encounter = session.foresee(
      request, key: key ?? StableHash.value(of: Array(target.utf8)), now_ns: ms * 1_000_000)
    return encounter.met.map { "\($0.fault)" }.joined(separator: ", ")
  }

  func met(times count: Int, _ target: String = "/a") -> [Bool] {
    (0..<count).map { _ in !met(target).isEmpty }
  }
}

@Suite struct ScenarioStateTests {
  @Test(arguments: [
    ("first 2", [true, true, false, false, false, false]),
    ("nth 2 4", [false, true, false, true, false, false]),
    ("from 3 to 4", [false, false, true, true, false, false]),
    ("every 3", [false, false, true, false, false, true]),
    ("from 2 to 6, every 2", [false, true, false, true, false, true]),
  ])
  func `a count names requests from 1`(_ when: String, _ expected: [Bool]) throws {
    #expect(try Session("*: \(when), reset").met(times: 6) == expected)
  }

  @Test func `counts are kept for each method and raw target, or across all`() throws {
    let each = try Session("/**: nth 2, reset")
    #expect(each.met("/a") == "")
    #expect(each.met("/a?q=1") == "")
    #expect(each.met("/a", .head) == "")
    #expect(each.met("/a") == "reset")
    let overall = try Session("/**: nth 2 overall, reset")
    #expect(overall.met("/a") == "")
    #expect(overall.met("/b") == "reset")
    #expect(overall.met("/a") == "")
  }

  @Test func `a request that does not meet the other conditions is not counted`() throws {
    let session = try Session("*: with header A, first 1, reset")
    #expect(session.met() == "")
    #expect(session.met(fields: section(("a", "1"))) == "reset")
    #expect(session.met(fields: section(("a", "1"))) == "")
  }

  @Test func `each of two rules counts for itself`() throws {
    let session = try Session("*: first 1, reset\n*: from 2 to 2, close")
    #expect(session.met() == "reset")
    #expect(session.met() == "close")
    #expect(session.met() == "")
  }

  @Test func `for lasts from after, or from the start`() throws {
    let session = try Session("/a: after 5s, for 2s, reset\n/b: for 1s, reset\n/c: after 1s, reset")
    #expect(session.met("/a", ms: 4999) == "")
    #expect(session.met("/a", ms: 5000) == "reset")
    #expect(session.met("/a", ms: 6999) == "reset")
    #expect(session.met("/a", ms: 7000) == "")
    #expect(session.met("/b", ms: 999) == "reset")
    #expect(session.met("/b", ms: 1000) == "")
    #expect(session.met("/c", ms: 999) == "")
    #expect(session.met("/c", ms: 1_000_000) == "reset")
  }

  @Test func `fields are found by name in any case, and by their whole value`() throws {
    let session = try Session(
      """
      *: with header X-A "one", set R 1
      *: with header x-b, set S 1
      *: without header X-A, set T 1
      """)
    #expect(session.met(fields: section(("x-a", "one"))) == "set R \"1\"")
    #expect(
      session.met(fields: section(("X-A", "two"), ("X-A", "one"), ("X-B", "")))
        == #"set R "1", set S "1""#)
    #expect(session.met() == "set T \"1\"")
  }

  @Test(arguments: [
    (#"with json /a 1"#, #"{"a": 1.0}"#, true), (#"with json /a 1"#, #"{"a": "1"}"#, false),
    (#"with json /a one"#, #"{"a": "\u006fne"}"#, true),
    (#"with json /a/1 "[2]""#, #"{"a":[1,[2]]}"#, true),
    (#"with json /a true"#, #"{"b": true}"#, false), (#"with json "" "{}""#, "{ }", true),
    (#"with json /a 1"#, "no json", false),
  ])
  func `content is compared by value at a place`(
    _ when: String, _ content: String, _ holds: Bool
  ) throws {
    #expect(try Session("*: \(when), reset").met(content: content) == (holds ? "reset" : ""))
  }

  @Test func `a flag counts from the next request`() throws {
    let session = try Session(
      """
      /me: nth 2, raise expired
      /**: while expired, challenge bearer
      /token: clear expired
      """)
    #expect(session.met("/me") == "")
    #expect(session.met("/x") == "")
    #expect(session.met("/me") == "raise expired")
    #expect(session.met("/x") == "challenge bearer")
    #expect(session.met("/token") == "challenge bearer, clear expired")
    #expect(session.met("/x") == "")
  }

  @Test func `all rules apply in order, and for one word the last wins`() throws {
    let session = try Session(
      """
      *: delay 1s, set A 1, set B 1, add C 1, json /a 1, raise x
      *: delay 2s, set a 2, add C 2, json /a 2, json /b 1
      *: remove b, clear x
      """)
    #expect(
      session.met()
        == #"add C "1", delay 2s, set a "2", add C "2", json /a 2, json /b 1, remove b, clear x"#)
  }

  @Test func `a quota refuses what is beyond it until its time is over`() throws {
    let session = try Session("*: quota 2/10s")
    #expect(session.met(ms: 1000) == "")
    #expect(session.met(ms: 2000) == "")
    #expect(session.met(ms: 5000) == "quota 2/10s")
    #expect(session.met("/b", ms: 10_999) == "quota 2/10s")
    #expect(session.met(ms: 11_000) == "")
  }

  @Test func `the answer of an exhausted quota says when to come again`() throws {
    let session = try Session("*: quota 1/10s, status 200")
    let request = RuleRequest(method: .get, target: [0x2F])
    let context = FaultContext(method: .get, target: [0x2F], date: 0)
    _ = session.session.foresee(request, key: 1, now_ns: 0)
    let second = session.session.foresee(request, key: 1, now_ns: 500_000_000)
    #expect(
      "\(second.making(context).script.steps[0].action)" == """
        head 429 Too Many Requests | Date: Thu, 01 Jan 1970 00:00:00 GMT | Content-Length: 0 \
        | Retry-After: 10
        """
    )
  }
}

@Suite struct DrawTests {
  private static let line = "*: chance 30%, delay 100ms..400ms"

  /// What request after request of some keys meets, in an order of their own.
  private static func outcomes(_ order: [UInt64], seed: UInt64) throws -> [UInt64: [String]] {
    let session = try Session(line, seed: seed)
    var outcomes: [UInt64: [String]] = [:]
    for key in order { outcomes[key, default: []].append(session.met("/\(key)", key: key)) }
    return outcomes
  }

  @Test func `what is drawn depends on seed, key and number of the request alone`() throws {
    let keys = (0..<160).map { UInt64($0 % 4 + 1) }
    let other = keys.sorted()
    let outcomes = try Self.outcomes(keys, seed: 5)
    #expect(try Self.outcomes(other, seed: 5) == outcomes)
    #expect(try Self.outcomes(keys, seed: 6) != outcomes)
    #expect(outcomes[1] != outcomes[2])
  }

  @Test func `draws are those of every release`() throws {
    let session = try Session("*: delay 100ms..400ms", seed: 42)
    #expect(
      (0..<3).map { _ in session.met("/a", key: 1) } == [
        "delay 115.966369ms", "delay 112.318275ms", "delay 121.826234ms",
      ]
    )
  }

  @Test func `a chance comes about as often as it says`() throws {
    let session = try Session("*: chance 30%, reset", seed: 3)
    let count = session.met(times: 10_000).count { $0 }
    #expect((2800...3200).contains(count))
    #expect(try Session("*: chance 0%, reset").met(times: 1000).allSatisfy { !$0 })
    #expect(try Session("*: chance 100%, reset").met(times: 1000).allSatisfy { $0 })
  }

  @Test func `delays are drawn evenly between two, or around a median`() throws {
    func delays(_ clause: String) throws -> [Duration] {
      let session = try Session("*: \(clause)", seed: 9).session
      return (0..<4000).compactMap { _ in
        let request = RuleRequest(method: .get, target: [0x2F])
        let met = session.foresee(request, key: 1, now_ns: 0).met.first?.fault
        return if case .delay(.fixed(let time)) = met { time } else { nil }
      }.sorted()
    }
    let even = try delays("delay 100ms..400ms")
    #expect(even.count == 4000 && even[0] >= .milliseconds(100) && even[3999] <= .milliseconds(400))
    #expect((Duration.milliseconds(240)...(.milliseconds(260))).contains(even[2000]))
    let around = try delays("delay lognormal 200ms sigma 0.5")
    #expect((Duration.milliseconds(190)...(.milliseconds(210))).contains(around[2000]))
    // One sigma above the median is e^0.5 times as long: 330 ms for 84 % of them.
    #expect((Duration.milliseconds(315)...(.milliseconds(345))).contains(around[3365]))
  }
}
