import FixtureStub
import Foundation

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
  ///
  /// - Parameters:
  ///   - clock: instead of a new one.
  ///   - environment: may ask for a recording.
  func makeFixture(
    clock: FixtureClock? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> Fixture {
    let clock = clock ?? FixtureClock(self.clock)
    let replayed: Cassette
    switch cassette {
    case .named(let name, let file, let bundle):
      if let mode = try RecordMode.asked(by: environment),
        let fixture = try makeFixture(recording: mode, name, file, clock)
      {
        return fixture
      }
      replayed = try Cassette(named: name, file: file, bundle: bundle())
    case .given(let given): replayed = given
    case nil: replayed = Cassette([])
    }
    return try Fixture(
      replaying: replayed, scenario: scenario, options: options, clock: clock)
  }

  /// - Returns: nil when nothing is to be recorded, as there is a cassette.
  private func makeFixture(
    recording mode: RecordMode, _ name: String, _ source: String, _ clock: FixtureClock
  ) throws -> Fixture? {
    let place = Cassette.recordingPlace(named: name, file: source)
    let file = EpisodeFile(path: place.path)
    let exists = FileManager.default.fileExists(atPath: place.path)
    // What another test of this run recorded is added to.
    let isAdded = exists && file.isOfThisRun
    if mode == .once, exists, !isAdded { return nil }
    let isKept = isAdded || mode == .newEpisodes
    return try Fixture(
      replaying: exists && isKept ? Cassette(contentsOf: place) : Cassette([]),
      scenario: scenario, options: options, clock: clock,
      recording: EpisodeRecording(into: file, replaces: mode == .all))
  }
}
