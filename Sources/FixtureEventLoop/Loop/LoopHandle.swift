import CFixtureSystem
import Synchronization

/// The one thing of an event loop that may cross threads: posts work to it and stops it. Safe to
/// keep and use after the loop has gone.
package final class LoopHandle: Sendable {
  private struct Mailbox {
    var jobs: [@Sendable () -> Void] = []
    var isOpen = true
  }

  private let mailbox = Mutex(Mailbox())
  private let stopRequested = Atomic(false)
  private let wakeup: Descriptor

  init() throws(SystemError) {
    wakeup = try Descriptor("eventfd", fixture_wakeup_create)
  }

  /// Runs `job` on the loop's thread, in a later round; jobs run in the order they were posted.
  ///
  /// - Returns: false when the loop has stopped or gone: the job will never run. A job posted just
  ///   before that is released unrun.
  @discardableResult
  package func post(_ job: @escaping @Sendable () -> Void) -> Bool {
    let (accepted, wasEmpty) = mailbox.withLock { mailbox in
      guard mailbox.isOpen else { return (false, false) }
      mailbox.jobs.append(job)
      return (true, mailbox.jobs.count == 1)
    }
    // A wake-up for the first job is enough: the loop takes all that wait.
    if wasEmpty { signal() }
    return accepted
  }

  /// Makes the loop's `run` return at the end of its round, for good: a later one returns at once.
  package func stop() {
    stopRequested.store(true, ordering: .releasing)
    signal()
  }

  var isStopped: Bool { stopRequested.load(ordering: .acquiring) }

  /// The descriptor to watch, edge-triggered: each post is an edge, so it is never read.
  var wakeupDescriptor: Int32 { wakeup.number }

  func takeJobs() -> [@Sendable () -> Void] {
    mailbox.withLock { mailbox in
      let jobs = mailbox.jobs
      mailbox.jobs = []
      return jobs
    }
  }

  /// Called when the loop has stopped or goes. The jobs are released outside the lock: a deinit may
  /// post.
  func close() {
    let jobs = mailbox.withLock { mailbox in
      let jobs = mailbox.jobs
      mailbox = Mailbox(jobs: [], isOpen: false)
      return jobs
    }
    withExtendedLifetime(jobs) {}
  }

  // The counter can't be full: that takes 2⁶⁴ − 1 posts.
  private func signal() {
    Syscalls.mustSucceed("write") { fixture_wakeup_signal(wakeup.number) }
  }
}
