import Synchronization
import Testing

@testable import FixtureEventLoop

@Suite struct LoopWorkerTests {
  private enum Failure: Error, Equatable {
    case system(SystemError)
    case refused
  }

  private final class Worker {}

  @Test func `the object is made and ended on the loop's thread`() throws {
    let steps = Mutex<[String]>([])
    let running = try LoopWorker<Worker>.start(
      name: "worker", systemFailure: Failure.system
    ) { (loop) throws(Failure) in
      loop.preconditionOnThread()
      steps.withLock { $0.append("made") }
      return Worker()
    } end: { _ in
      steps.withLock { $0.append("ended") }
    }
    #expect(steps.withLock { $0 } == ["made"])
    let isThere = Rendezvous<Bool>()
    let bound = running.bound
    running.thread.handle.post { isThere.give(bound.object != nil) }
    #expect(isThere.take())
    running.thread.stop()
    running.thread.join()
    #expect(steps.withLock { $0 } == ["made", "ended"])
  }

  @Test func `what keeps the object from being made is thrown, and no thread stays`() {
    #expect(throws: Failure.refused) {
      try LoopWorker<Worker>.start(name: "worker", systemFailure: Failure.system) {
        (_) throws(Failure) in
        throw .refused
      } end: { _ in
      }
    }
  }
}
