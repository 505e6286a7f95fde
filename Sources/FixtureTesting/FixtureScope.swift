public import FixtureStub
import Foundation
import Synchronization
import Testing

extension Fixture {
  /// The replay of the test that is running: what its traits ask for. nil outside of such a test,
  /// and in callbacks that don't belong to its task.
  public static var current: Fixture? { FixtureScope.fixture }
}

/// One run of one test with a fixture of its own.
struct FixtureScope: Sendable {
  @TaskLocal fileprivate static var fixture: Fixture?

  private let plan: FixturePlan
  private let test: Test

  init(_ plan: FixturePlan, for test: Test) {
    self.plan = plan
    self.test = test
  }

  /// Runs the test. What is wrong with its fixture fails it, at its own line.
  func provide(
    to testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let fixture: Fixture
    do {
      fixture = try plan.makeFixture()
    } catch {
      Issue.record("\(error)", sourceLocation: test.sourceLocation)
      return
    }
    let issues = Atomic(0)
    let counting: IssueHandlingTrait = .compactMapIssues { issue in
      // It comes to every test that runs, and once to none, where it is told.
      if issue.error is LateRequest { return nil }
      issues.add(1, ordering: .relaxed)
      return issue
    }
    let result: Result<Void, any Error>
    do {
      try await Self.$fixture.withValue(fixture) {
        try await counting.provideScope(for: test, testCase: testCase, performing: function)
      }
      result = .success(())
    } catch {
      issues.add(1, ordering: .relaxed)
      result = .failure(error)
    }
    end(fixture, hasFailed: issues.load(ordering: .relaxed) > 0)
    try result.get()
  }

  /// Tells what is wrong with what was asked of the fixture, and whatever happened if anything is.
  private func end(_ fixture: Fixture, hasFailed: Bool) {
    let (name, location) = (Self.name("\(test.id)"), test.sourceLocation)
    let place = "\(location.filePath):\(location.line)"
    fixture.finish(onLate: { straggler in
      // The test is over: this belongs to none, but says which one it comes from.
      Issue.record(LateRequest(of: name, straggler), sourceLocation: location)
    })
    let problems = plan.conclude(fixture, of: name)
    for problem in problems { Issue.record("\(problem)", sourceLocation: location) }
    guard hasFailed || !problems.isEmpty else { return }
    let report = FixtureReport(
      fixture, plan, test: name, place: place)
    Attachment.record(report.text, named: "exchanges.txt", sourceLocation: location)
    do {
      try Artifacts(environment: ProcessInfo.processInfo.environment)?
        .write(report.text, of: report.test)
    } catch {
      Issue.record(
        "the report can't be put into FIXTURED_ARTIFACTS: \(error)", sourceLocation: location)
    }
  }

  /// `Module.Suite/test()`, without the place that an identifier ends with.
  static func name(_ id: String) -> String {
    let parts = id.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.last, last.contains(".swift:") else { return id }
    return parts.dropLast().joined(separator: "/")
  }
}
