import CFixtureSystem
import Glibc

/// Waits for descriptors and deadlines and calls who waits for them, on one thread.
///
/// A round: wait (epoll) → ready descriptors, with due timers looked after between every few of
/// them → due timers → posted jobs → what was left for the end of the round. A loop belongs to the
/// thread that created it: everything but `handle` is used there only, which is checked.
package final class EventLoop {
  /// How many descriptors are served before due timers are looked after: about 0.1 ms of work.
  static let eventsBetweenTimers = 16
  /// How many due timers are fired before descriptors are looked at: about 1 ms of work.
  static let timersBetweenEvents = 256
  /// Longer than a server takes that is on this machine and has the answer at hand.
  static let awakeMax_ns: Int64 = 100_000
  private static let timerToken = UInt64(UInt32.max)
  private static let wakeupToken = UInt64.max

  /// For other threads.
  package let handle: LoopHandle
  /// 64 KiB for one read, shared by all connections: nothing in it outlasts the call that used it.
  package let readBuffer: UnsafeMutableRawBufferPointer
  /// When this round woke up, or later (`MonotonicClock`). Cheap to ask.
  package var now_ns: Int64 { woken_ns }
  /// The deadline of the timer being fired, to count the next one from.
  package var due_ns: Int64 { firing_ns }

  // Not `now_ns` and `due_ns` themselves: what other modules may reach is checked for exclusivity
  // at each access.
  private var woken_ns: Int64
  var firing_ns: Int64 = 0
  let poller: Descriptor
  let deadline: Descriptor
  let watchers = WatcherTable()
  let timers = TimerHeap()
  /// What the kernel's timer is set to; `.max` when it is not set.
  var armed_ns = Int64.max
  private let events: UnsafeMutablePointer<fixture_event>
  private var lastJobs: [() -> Void] = []
  private var isRunning = false
  private var expected: Vigil?
  private let owner = pthread_self()
  private var nextOnThread: Unmanaged<EventLoop>?

  /// - Throws: the call that failed, mostly for want of descriptors: a loop has three.
  package init() throws(SystemError) {
    handle = try LoopHandle()
    poller = try Descriptor("epoll_create1", fixture_poller_create)
    deadline = try Descriptor("timerfd_create", fixture_timer_create)
    readBuffer = .allocate(byteCount: 64 * 1024, alignment: 64)
    events = .allocate(capacity: Int(FIXTURE_EVENTS_MAX))
    woken_ns = MonotonicClock.now_ns()
    nextOnThread = fixture_thread_loops().map { .fromOpaque($0) }
    fixture_thread_set_loops(Unmanaged.passUnretained(self).toOpaque())
    try watchOwn(handle.wakeupDescriptor, Self.wakeupToken)
    try watchOwn(deadline.number, Self.timerToken)
  }

  deinit {
    preconditionOnThread()
    handle.close()
    timers.removeAll()
    leaveThread()
    readBuffer.deallocate()
    events.deallocate()
  }

  // Edge-triggered: neither is read, and each post and expiry is a new edge.
  private func watchOwn(_ descriptor: Int32, _ token: UInt64) throws(SystemError) {
    let readiness = FIXTURE_READABLE | FIXTURE_EDGE_TRIGGERED
    try Syscalls.check("epoll_ctl") {
      fixture_poller_add(poller.number, descriptor, readiness, token)
    }
  }

  /// Serves until stopped. Returns at the end of the round in which `stop` was called; from then on
  /// the handle takes no jobs.
  package func run() {
    preconditionOnThread()
    precondition(!isRunning, "the loop is running already")
    isRunning = true
    defer { isRunning = false }
    while !handle.isStopped { turn() }
    handle.close()
  }

  /// Makes `run` return at the end of this round. For good: a later `run` returns at once.
  package func stop() {
    handle.stop()
  }

  /// Runs `job` when everything else of this round is done, for what is cheaper done once for all
  /// that a round brought. Such jobs run in order, those that they add after them.
  ///
  /// - Precondition: a round is under way.
  package func atEndOfRound(_ job: @escaping () -> Void) {
    preconditionOnThread()
    precondition(isRunning, "no round is under way")
    lastJobs.append(job)
  }

  /// Something may be about to come, such as the answer of a peer on this machine: after this round
  /// the loop stays awake for it for a little while, if that was of use before.
  ///
  /// Being put to sleep and woken takes longer than such an answer, above all in a virtual machine.
  /// For when there is nothing else to do: it takes a core meanwhile.
  /// - Parameter vigil: remembers whether it was of use.
  package func expectEvent(_ vigil: Vigil) {
    preconditionOnThread()
    expected = vigil
  }

  /// Reads the clock again: for work that takes long within a round.
  package func refreshNow() {
    woken_ns = MonotonicClock.now_ns()
  }

  /// Stops the program when called on another thread than the loop's.
  package func preconditionOnThread() {
    precondition(pthread_equal(owner, pthread_self()) != 0, "used off its event loop's thread")
  }

  private func turn() {
    var count = expected.map(awaitAwake) ?? 0
    if count == 0 { count = Syscalls.wait(poller.number, events, timeout_ms: setDeadline()) }
    refreshNow()
    var woken = false
    for index in 0..<count {
      let token = events[index].token
      if let watcher = watchers.watcher(token) {
        watcher.ready(Readiness(events: events[index].readiness))
      } else if token == Self.wakeupToken {
        woken = true
      } else if token == Self.timerToken {
        armed_ns = .max
      }
      if index % Self.eventsBetweenTimers == Self.eventsBetweenTimers - 1 {
        refreshNow()
        fireDue()
      }
    }
    fireDue()
    if woken { runJobs() }
    while !lastJobs.isEmpty { runLastJobs() }
  }

  /// Looks for events until some have come, the next deadline has or the bound is reached.
  private func awaitAwake(_ vigil: Vigil) -> Int {
    expected = nil
    guard vigil.begins() else { return 0 }
    let end_ns = MonotonicClock.now_ns() + Self.awakeMax_ns
    while true {
      let count = Syscalls.wait(poller.number, events, timeout_ms: 0)
      let now_ns = MonotonicClock.now_ns()
      guard count == 0, now_ns < min(end_ns, timers.earliest_ns ?? .max) else {
        vigil.ended(inTime: count > 0)
        return count
      }
    }
  }

  private func runJobs() {
    for job in handle.takeJobs() { job() }
  }

  private func runLastJobs() {
    var jobs: [() -> Void] = []
    swap(&jobs, &lastJobs)
    for job in jobs { job() }
  }
}

// A thread's loops form a list, so that a timer that is released while armed can find its own
// without carrying a reference to it.
extension EventLoop {
  static func disarmReleased(_ timer: LoopTimer) {
    var next: Unmanaged<EventLoop>? = fixture_thread_loops().map { .fromOpaque($0) }
    while let loop = next?.takeUnretainedValue() {
      if loop.timers.contains(timer) { return loop.timers.disarm(timer) }
      next = loop.nextOnThread
    }
    preconditionFailure("an armed timer was released off its event loop's thread")
  }

  private func leaveThread() {
    let this = Unmanaged.passUnretained(self).toOpaque()
    guard fixture_thread_loops() != this else {
      return fixture_thread_set_loops(nextOnThread?.toOpaque())
    }
    var previous: Unmanaged<EventLoop>? = fixture_thread_loops().map { .fromOpaque($0) }
    while let loop = previous?.takeUnretainedValue() {
      previous = loop.nextOnThread
      if previous?.toOpaque() == this {
        loop.nextOnThread = nextOnThread
        return
      }
    }
  }
}
