import CFixtureSystem

extension EventLoop {
  /// Fires `timer` at `deadline_ns` or as soon after it as the loop gets to it; never before.
  ///
  /// A timer that is armed already is moved. Equal deadlines fire in the order they were armed. A
  /// deadline that has passed fires in this round or the next, before all later ones: a timer that
  /// armed itself so each time would keep those from firing, though no descriptor and no job from
  /// its turn. O(log n).
  package func arm(_ timer: LoopTimer, at deadline_ns: Int64) {
    preconditionOnThread()
    timers.arm(timer, at: deadline_ns)
  }

  /// Takes back a deadline; nothing happens when the timer isn't armed.
  package func disarm(_ timer: LoopTimer) {
    preconditionOnThread()
    timers.disarm(timer)
  }

  /// Fires what is due by `now_ns`, up to the bound: timers that are always due, and a loop that is
  /// behind with thousands, leave descriptors their turn.
  func fireDue() {
    guard let earliest_ns = timers.earliest_ns, earliest_ns <= now_ns else { return }
    var left = Self.timersBetweenEvents
    while left > 0, let earliest_ns = timers.earliest_ns, earliest_ns <= now_ns {
      firing_ns = earliest_ns
      let timer = timers.removeEarliest()
      timer.target?.fired(timer)
      left -= 1
    }
  }

  /// Sets the kernel's timer when an earlier deadline has come. One set for a deadline that moved
  /// away is left to expire: a wake-up for nothing costs less than a call for each move.
  ///
  /// - Returns: how long to wait for events: 0 when a deadline has passed, else -1.
  func setDeadline() -> Int32 {
    guard let earliest_ns = timers.earliest_ns else { return -1 }
    if earliest_ns <= now_ns { return 0 }
    if earliest_ns < armed_ns {
      Syscalls.mustSucceed("timerfd_settime") {
        fixture_timer_set(deadline.number, earliest_ns)
      }
      armed_ns = earliest_ns
    }
    return -1
  }
}
