/// Whether it pays to stay awake for what is expected of a peer, which is so where what was
/// expected of it before came soon.
///
/// After something that did not come in time, more and more expectations are slept through, so that
/// waiting for a slow peer costs next to nothing; after something that did, none.
package final class Vigil {
  /// Of this many expectations of a slow peer, one is stayed awake for.
  static let pauseMax = 64

  private var pause = 0
  private var pauseLeft = 0

  package init() {}

  /// Whether to stay awake for the next expectation.
  func begins() -> Bool {
    guard pauseLeft > 0 else { return true }
    pauseLeft -= 1
    return false
  }

  /// One that was stayed awake for has ended.
  func ended(inTime: Bool) {
    pause = inTime ? 0 : min(max(1, pause * 2), Self.pauseMax)
    pauseLeft = pause
  }
}
