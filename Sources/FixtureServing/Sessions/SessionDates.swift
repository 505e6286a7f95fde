import FixtureHTTP
import FixtureReplay
import Synchronization

/// What the clock of a session says, however many loops read it: it can be stopped and moved on.
package final class SessionDates: Sendable {
  private struct Setting {
    /// Where it stands, seconds since 1970; nil while it runs.
    var frozen: Int64?
    /// How far it is ahead of the real one while it runs.
    var ahead: Int64 = 0
  }

  package let shift: TimeShift
  private let setting = Mutex(Setting())
  /// Changes with the setting, to be asked without its lock.
  private let version = Atomic<Int>(0)

  package init(_ shift: TimeShift) {
    self.shift = shift
  }

  var currentVersion: Int { version.load(ordering: .acquiring) }

  /// - Parameter wall: what the real clock says, seconds since 1970.
  package func now(_ wall: Int64) -> Int64 {
    setting.withLock { $0.frozen ?? shift.now(wall) + $0.ahead }
  }

  /// Stops it at a date, or where it is.
  package func freeze(at date: HTTPDate?, wall: Int64) {
    let now = now(wall)
    change { $0.frozen = date?.secondsSince1970 ?? now }
  }

  /// Moves it on; it stands or runs as before.
  package func advance(seconds: Int64) {
    change { setting in
      if let frozen = setting.frozen {
        setting.frozen = frozen + seconds
      } else {
        setting.ahead += seconds
      }
    }
  }

  /// Lets it run as the real one does.
  package func run() { change { $0 = Setting() } }

  private func change(_ change: (inout Setting) -> Void) {
    setting.withLock { change(&$0) }
    version.add(1, ordering: .releasing)
  }
}
