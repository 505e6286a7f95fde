import Glibc
import Testing

@testable import FixtureEventLoop

/// A watcher that calls a closure and keeps what was reported.
final class Probe: Watcher {
  private(set) var reported: [Readiness] = []
  var onReady: (Readiness) -> Void

  init(_ onReady: @escaping (Readiness) -> Void = { _ in }) {
    self.onReady = onReady
  }

  func ready(_ readiness: Readiness) {
    reported.append(readiness)
    onReady(readiness)
  }
}

/// A timer that calls a closure.
final class Alarm: TimerTarget {
  let timer = LoopTimer()
  var onFire: () -> Void

  init(_ onFire: @escaping () -> Void = {}) {
    self.onFire = onFire
    timer.target = self
  }

  func fired(_ timer: LoopTimer) {
    onFire()
  }
}

/// Runs `loop` until it's stopped, for 20 s at most: then the test fails.
func runToStop(_ loop: EventLoop, sourceLocation: SourceLocation = #_sourceLocation) {
  let limit = Alarm {
    Issue.record("the loop was not stopped in time", sourceLocation: sourceLocation)
    loop.stop()
  }
  loop.arm(limit.timer, at: MonotonicClock.now_ns() + 20_000_000_000)
  loop.run()
  loop.disarm(limit.timer)
}

/// Runs `loop` for about this long, and not again afterwards.
func run(_ loop: EventLoop, for_ms milliseconds: Int64) {
  let end = Alarm { loop.stop() }
  loop.arm(end.timer, at: MonotonicClock.now_ns() + milliseconds * 1_000_000)
  loop.run()
}
