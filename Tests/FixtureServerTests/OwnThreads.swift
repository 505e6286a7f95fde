import Dispatch
import Testing

/// Runs a test on threads of its own: those that all tests share may be taken for minutes by tests
/// of other suites that wait, and what is measured here is time.
struct OwnThreads: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Threads()) { try await function() }
  }
}

extension Trait where Self == OwnThreads {
  static var ownThreads: Self { Self() }
}

private final class Threads: TaskExecutor {
  private let queue = DispatchQueue(label: "test", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let own = asUnownedTaskExecutor()
    queue.async { job.runSynchronously(on: own) }
  }
}
