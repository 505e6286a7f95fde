@_exported public import FixtureStub
public import Foundation
public import Testing

/// Gives a test a replay of its own, or says how it is made.
///
///     @Test(.cassette("feed"), .scenario("GET /feed: first 2, status 503, retry-after 2s"))
///     func retries() async throws {
///       let fixture = try #require(Fixture.current)
///       let api = API(session: fixture.session, clock: fixture.clock)
///       …
///     }
///
/// Traits stack, on a suite as well as on a test: the suite's come first. Each test, and each case
/// of a test with arguments, gets a fixture that nobody shares with it, so that all may run at
/// once.
///
/// When the test ends, a request that was not in the cassette fails it.
public struct FixtureTrait: TestTrait, SuiteTrait, TestScoping {
  /// Where a cassette comes from.
  enum Source: Sendable {
    case named(String, file: String, bundle: @Sendable () -> Bundle?)
    case given(Cassette)
  }

  /// What a trait says.
  enum Part: Sendable {
    case cassette(Source)
    case scenario(FixtureScenario)
    case matching(String)
    case options(@Sendable (inout FixtureOptions) -> Void)
    case clock(FixtureClock.Kind)
    case allowsMisses
    case usesEveryRecording
  }

  let part: Part

  /// On a suite it goes for each test in it, also in suites inside it.
  public var isRecursive: Bool { true }

  /// See `TestScoping`.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // The first trait of a test makes the fixture, for all of them.
    guard Fixture.current == nil else { return try await function() }
    let plan = FixturePlan(test.traits.compactMap { $0 as? FixtureTrait })
    try await FixtureScope(plan, for: test).provide(to: testCase, performing: function)
  }
}

extension Trait where Self == FixtureTrait {
  /// The cassette to replay, `NAME.db`.
  ///
  /// Looked for in the folder of the test's source file, in `Cassettes` and `cassettes` there, then
  /// the same in the folders above it up to that of `Package.swift`, then among the resources of
  /// the bundle.
  ///
  /// - Parameters:
  ///   - name: with or without `.db`.
  ///   - bundle: whose resources are looked at, as `.module`; the main one when there is none.
  public static func cassette(
    _ name: String, bundle: @autoclosure @escaping @Sendable () -> Bundle? = nil,
    file: String = #filePath
  ) -> Self {
    FixtureTrait(part: .cassette(.named(name, file: file, bundle: bundle)))
  }

  /// The cassette to replay, made or opened by the test's own means.
  public static func cassette(_ cassette: Cassette) -> Self {
    FixtureTrait(part: .cassette(.given(cassette)))
  }

  /// Rules to follow, one a line, as in a scenario file. Those of several such traits are all
  /// followed.
  public static func scenario(_ scenario: FixtureScenario) -> Self {
    FixtureTrait(part: .scenario(scenario))
  }

  /// By what recordings are found, in the words of `--match`: `"+header:Accept,-content"`.
  public static func matching(_ words: String) -> Self {
    FixtureTrait(part: .matching(words))
  }

  /// How the cassette is replayed: seed, pace, dates and so on.
  public static func options(
    _ change: @escaping @Sendable (inout FixtureOptions) -> Void
  ) -> Self {
    FixtureTrait(part: .options(change))
  }

  /// How time passes: each test gets a new clock of this kind. Without this it is real.
  public static func clock(_ kind: FixtureClock.Kind) -> Self {
    FixtureTrait(part: .clock(kind))
  }

  /// Requests that are not in the cassette don't fail the test, which looks at them itself:
  /// `fixture.misses`.
  public static var allowingMisses: Self { FixtureTrait(part: .allowsMisses) }

  /// Recordings that no request used fail the test.
  public static var usingEveryRecording: Self { FixtureTrait(part: .usesEveryRecording) }
}
