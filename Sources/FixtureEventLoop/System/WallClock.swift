import CFixtureSystem

/// The clock dates are taken from. It can be set, so no duration is measured with it.
package enum WallClock {
  /// Microseconds since 1970-01-01 00:00 UTC (CLOCK_REALTIME).
  package static func now_us() -> Int64 {
    fixture_clock_realtime_ns() / 1000
  }
}
