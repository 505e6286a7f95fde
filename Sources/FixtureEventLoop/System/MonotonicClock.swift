import CFixtureSystem

/// The clock deadlines are measured by. It never goes back and is no date.
package enum MonotonicClock {
  /// Nanoseconds since an arbitrary start, the same for every process until the next boot
  /// (CLOCK_MONOTONIC).
  package static func now_ns() -> Int64 {
    fixture_clock_monotonic_ns()
  }
}
