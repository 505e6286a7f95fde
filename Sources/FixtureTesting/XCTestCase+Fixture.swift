public import FixtureStub
public import Foundation
import Synchronization
public import XCTest

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension XCTestCase {
  /// A replay of a cassette for this test alone.
  ///
  /// When the test ends, a request that was not in the cassette fails it, at the line of this call,
  /// and nothing is replayed any more.
  ///
  /// - Parameters:
  ///   - name: the cassette, with or without `.db`. Looked for in the folder of the test's source
  ///     file, in `Cassettes` and `cassettes` there, then the same in the folders above it up to
  ///     that of `Package.swift`, then among the resources of the bundle.
  ///   - bundle: whose resources are looked at, as `.module`; nil for the test's own.
  ///   - failsOnMiss: false for a test that looks at `misses` itself.
  /// - Throws: why there is no replay; the test has failed with it then.
  public func makeFixture(
    _ name: String, scenario: FixtureScenario? = nil, options: FixtureOptions = FixtureOptions(),
    clock: FixtureClock = .real, bundle: Bundle? = nil, failsOnMiss: Bool = true,
    file: StaticString = #filePath, line: UInt = #line
  ) throws -> Fixture {
    let bundle = bundle ?? Bundle(for: type(of: self))
    return try makeFixture(
      .named(name, file: "\(file)", bundle: { bundle }), scenario, options, clock,
      failsOnMiss: failsOnMiss, file, line)
  }

  /// As the other one, of a cassette that the test made or opened by its own means.
  public func makeFixture(
    _ cassette: Cassette, scenario: FixtureScenario? = nil,
    options: FixtureOptions = FixtureOptions(), clock: FixtureClock = .real,
    failsOnMiss: Bool = true, file: StaticString = #filePath, line: UInt = #line
  ) throws -> Fixture {
    try makeFixture(
      .given(cassette), scenario, options, clock, failsOnMiss: failsOnMiss, file, line)
  }

  /// A session that replays a cassette; as `makeFixture(_:)`, for tests that need no more.
  public func makeReplayingSession(
    _ name: String, scenario: FixtureScenario? = nil, options: FixtureOptions = FixtureOptions(),
    clock: FixtureClock = .real, bundle: Bundle? = nil, failsOnMiss: Bool = true,
    file: StaticString = #filePath, line: UInt = #line
  ) throws -> URLSession {
    try makeFixture(
      name, scenario: scenario, options: options, clock: clock, bundle: bundle,
      failsOnMiss: failsOnMiss, file: file, line: line
    ).session
  }

  private func makeFixture(
    _ source: FixtureTrait.Source, _ scenario: FixtureScenario?, _ options: FixtureOptions,
    _ clock: FixtureClock, failsOnMiss: Bool, _ file: StaticString, _ line: UInt
  ) throws -> Fixture {
    var plan = FixturePlan([])
    plan.cassette = source
    plan.scenario = scenario
    plan.options = options
    plan.failsOnMiss = failsOnMiss
    let fixture: Fixture
    do {
      fixture = try plan.makeFixture(clock: clock)
    } catch {
      // What is thrown says no place.
      XCTFail("\(error)", file: file, line: line)
      throw error
    }
    addTeardownBlock { [weak self] in self?.end(fixture, plan, file, line) }
    return fixture
  }

  private func end(
    _ fixture: Fixture, _ plan: FixturePlan, _ file: StaticString, _ line: UInt
  ) {
    let test = testName
    fixture.finish(onLate: { LateRequests.add(LateRequest(of: test, $0), file, line) })
    for (request, file, line) in LateRequests.take() {
      XCTFail(request.description, file: file, line: line)
    }
    let hasFailed = (testRun?.totalFailureCount ?? 0) > 0
    let problems = plan.conclude(fixture, of: test)
    for problem in problems { XCTFail(problem, file: file, line: line) }
    guard hasFailed || !problems.isEmpty else { return }
    let report = FixtureReport(
      fixture, plan, test: test, place: "\(file):\(line)")
    #if canImport(ObjectiveC)
      let attachment = XCTAttachment(string: report.text)
      attachment.name = "exchanges.txt"
      attachment.lifetime = .keepAlways
      add(attachment)
    #endif
    do {
      try Artifacts(environment: ProcessInfo.processInfo.environment)?.write(report.text, of: test)
    } catch {
      XCTFail("the report can't be put into FIXTURED_ARTIFACTS: \(error)", file: file, line: line)
    }
  }

  /// `Module.Class/method`, as `swift test --filter` takes it.
  private var testName: String {
    // On Linux `Class.method`, on Apple's systems `-[Class method]`.
    let separators: Set<Character> = [".", " ", "[", "]", "-"]
    let method = name.split { separators.contains($0) }.last ?? ""
    return "\(String(reflecting: type(of: self)))/\(method)"
  }
}
