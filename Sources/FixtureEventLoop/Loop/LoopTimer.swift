/// A deadline in an event loop's queue, owned by whoever waits for it: 48 bytes, and 16 more in
/// the queue while it is armed.
///
/// Arming and disarming allocates nothing. A timer released while armed is disarmed; that has to
/// happen on the loop's thread.
package final class LoopTimer {
  /// Called when the timer fires. Not retained, and must outlive every deadline armed.
  package unowned var target: (any TimerTarget)?
  /// The index in the queue; negative when not armed.
  var position: Int32 = -1
  /// Which of two equal deadlines was armed first, compared modulo 2³².
  var order: UInt32 = 0

  /// - Parameter target: may be given later, when it is the object that creates the timer.
  package init(_ target: (any TimerTarget)? = nil) {
    self.target = target
  }

  package var isArmed: Bool { position >= 0 }

  deinit {
    if isArmed { EventLoop.disarmReleased(self) }
  }
}
