import FixtureCassette
import FixtureHTTP
import FixtureReplay

/// Draws the same rules on every run.
struct DrawnRules {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed &* 0x1_0000
  }

  private mutating func next(_ bound: Int) -> Int {
    state &+= 1
    return Int(withUnsafeBytes(of: state) { StableHash.value(of: $0) } % UInt64(bound))
  }

  private mutating func element<Element>(_ elements: [Element]) -> Element {
    elements[next(elements.count)]
  }

  mutating func scenario() -> Scenario {
    var scenario = Scenario(seed: next(2) == 0 ? nil : UInt64(next(1000)), rules: rules())
    for index in 0..<next(3) {
      scenario.sections.append(
        Scenario.Section(
          name: "part-\(index)", seed: next(3) == 0 ? .max : nil, rules: rules()))
    }
    return scenario
  }

  private mutating func rules() -> [Rule] { (0..<next(4)).map { _ in rule() } }

  mutating func rule() -> Rule {
    if next(12) == 0 { return connectionRule() }
    var rule = Rule(
      pattern(), when: (0..<next(3)).map { _ in condition() },
      faults: (0...next(3)).map { _ in fault() })
    let saysHowToRead = rule.faults.contains { fault in
      switch fault {
      case .upload, .continue: true
      default: false
      }
    }
    // What says how content is read can't ask for it.
    if saysHowToRead { rule.when.removeAll { if case .json = $0 { true } else { false } } }
    return rule
  }

  private mutating func connectionRule() -> Rule {
    let when = element([When.after(time()), .lasting(time()), .raised(flag())])
    let fault = element([Fault.refuse, .blackhole, .connections(number(), .queue)])
    return Rule(.everything, when: [when], faults: [fault])
  }

  private mutating func pattern() -> RulePattern {
    var pattern = RulePattern()
    pattern.methods = (0..<next(3)).map { _ in element([.get, .post, Method(Array("PURGE".utf8))]) }
    if next(3) == 0 { pattern.authority = WildcardText("api.example.com:8080") }
    if next(4) > 0 {
      pattern.path = WildcardText([.literal(Array("/".utf8) + bytes())] + wildcards(crossing: true))
      pattern.query = (0..<next(3)).map { _ in
        RulePattern.Pair(
          name: [0x6E] + bytes(),
          value: next(3) == 0 ? nil : WildcardText(wildcards(crossing: false)))
      }
    }
    return pattern
  }

  /// No two literals and no two stars stand side by side: those are one.
  private mutating func wildcards(crossing: Bool) -> [WildcardText.Part] {
    var parts: [WildcardText.Part] = []
    for _ in 0..<next(3) {
      parts.append(crossing && next(2) == 0 ? .all : .segment)
      parts.append(.literal([0x2D] + bytes()))
    }
    return parts
  }

  private mutating func bytes() -> [UInt8] {
    let alphabet = Array("ab/?*&= \\\",:#[]\n\r\t~%é".utf8) + [0xFF, 0x00, 0x7F, 0x1B]
    return (0..<next(5)).map { _ in element(alphabet) }
  }

  private mutating func value() -> [UInt8] {
    [0x76] + bytes().filter { $0.isFieldValueByte } + [0x76]
  }

  private mutating func time() -> Duration {
    .nanoseconds(Int64(next(1000)) * element([0, 1, 1000, 1_000_000, 60_000_000_000]))
  }

  private mutating func timeAboveZero() -> Duration { time() + .nanoseconds(1) }
  private mutating func number() -> Int64 { Int64(1 + next(99)) }
  private mutating func numbers() -> [Int64] { (0...next(3)).map { _ in number() } }
  private mutating func size() -> ByteCount {
    ByteCount(bytes: Int64(1 + next(5000)) * element([1, 1000, 1024]))
  }
  private mutating func rate() -> ByteRate { .perSecond(size()) }
  private mutating func portion() -> Proportion { Proportion(millionths: Int64(next(1_000_001))) }
  private mutating func flag() -> Flag { Flag(element(["expired", "a-b_c.d", "7"])) }
  private mutating func name() -> [UInt8] { Array(element(["X-Version", "etag", "#a"]).utf8) }
  private mutating func pointer() -> JSONPointer {
    JSONPointer(tokens: (0..<next(3)).map { _ in text() })
  }
  private mutating func text() -> [UInt8] {
    Array(element(["a", "b c", "~/", "é", "\"", ""]).utf8)
  }

  private mutating func json() -> JSONLiteral {
    let texts = ["1.50", "true", "null", #"{"a": [1, "b"]}"#, #""1""#, #""\u0041""#, #""plain""#]
    return JSONLiteral(json: Array(element(texts).utf8)) ?? "none"
  }

  private mutating func extent() -> Extent {
    next(2) == 0 ? .bytes(size()) : .portion(portion())
  }

  private mutating func point() -> Point {
    element([
      .at(extent()), .inHead, .before(element(Phase.allCases)), .after(element(Phase.allCases)),
    ])
  }

  private mutating func condition() -> When {
    let overall = next(2) == 0
    return switch next(11) {
    case 0: .counted(.first(number()), overall: overall)
    case 1: .counted(.nth(numbers()), overall: overall)
    case 2: .counted(.from(3, to: 3 + number()), overall: overall)
    case 3: .counted(.every(number()), overall: overall)
    case 4: .after(time())
    case 5: .lasting(time())
    case 6: .chance(portion())
    case 7: .header(name(), value: next(2) == 0 ? nil : value())
    case 8: .withoutHeader(name())
    case 9: .json(pointer(), json())
    default: .raised(flag())
    }
  }

  private mutating func fault() -> Fault {
    next(2) == 0 ? timing() : next(3) == 0 ? connection() : response()
  }

  private mutating func timing() -> Fault {
    switch next(9) {
    case 0: .delay(.fixed(time()))
    case 1: .delay(.between(.milliseconds(5), .milliseconds(5) + time()))
    case 2:
      .delay(.lognormal(median: time(), sigma: Proportion(millionths: Int64(1 + next(9_999_999)))))
    case 3: .pause(time())
    case 4:
      .trickle(
        next(2) == 0 ? .size(size(), every: timeAboveZero()) : .pieces(number(), over: time()))
    case 5: .rate(rate(), shared: next(2) == 0)
    case 6: .stall(time(), point())
    case 7: .hang(next(2) == 0 ? .standard : point())
    default: next(2) == 0 ? .hold(Gate("door")) : .network(element(NetworkProfile.allCases))
    }
  }

  private mutating func response() -> Fault {
    switch next(16) {
    case 0: .status(200 + next(400))
    case 1: .retryAfter(next(2) == 0 ? .delay(time()) : .date(time()))
    case 2: .body(.bytes(bytes()))
    case 3: .body(.file("some files/a.json"))
    case 4: .body(.drawn(size(), fresh: next(2) == 0))
    case 5: .set(name(), value())
    case 6: .add(name(), value())
    case 7: .remove(name())
    case 8: .json(pointer(), json())
    case 9: .entityTag(tagChange())
    case 10: .age(time())
    case 11: .lastModified(ago: time())
    case 12: .expires(next(2) == 0 ? .after(time()) : .ago(time()))
    case 13:
      .redirect(next(2) == 0 ? .loop : .to(Array(element(["loop", "/a,b", "http://é/"]).utf8)))
    case 14: .challenge(element(Challenge.allCases))
    default: .corrupt(element(Corruption.allCases))
    }
  }

  private mutating func tagChange() -> EntityTagChange {
    EntityTagChange(
      element([.every(number()), .each(timeAboveZero()), .at(numbers())]),
      element([nil, .same, .next, .stamp(pointer())]))
  }

  private mutating func connection() -> Fault {
    switch next(11) {
    case 0: .reset(next(2) == 0 ? .standard : point())
    case 1: .close(next(2) == 0 ? .standard : point())
    case 2: .truncate(extent())
    case 3: .malformed(element(Malformation.allCases))
    case 4: .keepAlive(element([.off, .exchanges(number()), .idle(time())]))
    case 5: .upload(rate())
    case 6: .early(200 + next(400))
    case 7: .continue(next(2) == 0 ? .off : .after(time()))
    case 8: .quota(number(), per: timeAboveZero())
    case 9: .idempotency(element(Idempotency.allCases))
    default: next(2) == 0 ? .raise(flag()) : .clear(flag())
    }
  }
}
