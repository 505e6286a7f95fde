import FixtureStub

/// What the traits of one test ask for together. Those of suites come first, then the test's own.
struct FixturePlan: Sendable {
  /// The last one counts.
  var cassette: FixtureTrait.Source?
  /// All of them, one after the other.
  var scenario: FixtureScenario?
  var options = FixtureOptions()
  /// The last one counts.
  var clock = FixtureClock.Kind.real
  /// Whether a request without a recording fails the test.
  var failsOnMiss = true
  /// Whether a recording that no request used fails the test.
  var failsOnUnused = false

  init(_ traits: some Sequence<FixtureTrait>) {
    for trait in traits { add(trait.part) }
  }

  private mutating func add(_ part: FixtureTrait.Part) {
    switch part {
    case .cassette(let source): cassette = source
    case .scenario(let more): scenario = scenario.map { $0 + more } ?? more
    case .matching(let words):
      options.matching = Self.joined(options.matching, words)
    case .options(let change): change(&options)
    case .clock(let kind): clock = kind
    case .allowsMisses: failsOnMiss = false
    case .usesEveryRecording: failsOnUnused = true
    }
  }

  /// A list without signs takes the place of what came before it.
  private static func joined(_ first: String, _ second: String) -> String {
    let isChange = second.first { $0 != " " }.map { $0 == "+" || $0 == "-" } ?? true
    return isChange ? [first, second].filter { !$0.isEmpty }.joined(separator: ",") : second
  }

  /// A fixture for one test alone.
  func makeFixture(clock: FixtureClock? = nil) throws -> Fixture {
    let made: Cassette =
      switch cassette {
      case .named(let name, let file, let bundle):
        try Cassette(named: name, file: file, bundle: bundle())
      case .given(let cassette): cassette
      case nil: Cassette([])
      }
    return try Fixture(
      replaying: made, scenario: scenario, options: options,
      clock: clock ?? FixtureClock(self.clock))
  }
}
