import Dispatch

/// Where handlers run: on threads of their own, so that a test that blocks the few threads of
/// Swift's pool, waiting for an answer, still gets one.
final class HandlerExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "fixture-server.handlers", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let own = asUnownedTaskExecutor()
    queue.async { job.runSynchronously(on: own) }
  }
}
