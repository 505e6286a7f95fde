import FixtureEventLoop
import FixtureHTTP
import FixtureReplay

/// The clock of a session, whose seconds are read once for all answers of a loop. Confined to it.
package final class SessionClock {
  let dates: SessionDates
  private let loop: EventLoop
  private var version = 0
  private var second: Int64 = 0
  private var text: [UInt8] = []
  /// When the next one begins, on the loop's clock.
  private var end_ns: Int64 = .min

  package init(_ dates: SessionDates, on loop: EventLoop) {
    self.dates = dates
    self.loop = loop
  }

  /// Seconds since 1970.
  var now: Int64 {
    if loop.now_ns >= end_ns || version != dates.currentVersion { read() }
    return second
  }

  /// The date so many seconds after now, as fields have it.
  func text(after distance: Int64) -> [UInt8] {
    let now = now
    if distance == 0 { return text }
    return HTTPDate(secondsSince1970: now).advanced(by: distance).imfFixdate
  }

  private func read() {
    version = dates.currentVersion
    let now_us = WallClock.now_us()
    let second_us: Int64 = 1_000_000
    // Somebody may set the wall clock: that is noticed a second later.
    end_ns = loop.now_ns + (second_us - (now_us % second_us + second_us) % second_us) * 1000
    second = dates.now(now_us / second_us)
    text = HTTPDate(secondsSince1970: second).imfFixdate
  }
}
