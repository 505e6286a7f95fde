/// What a timer calls.
package protocol TimerTarget: AnyObject {
  /// Called on the loop's thread at or after the timer's deadline, never before. The timer is no
  /// longer armed and may be armed again at once; `EventLoop.due_ns` is the deadline it had.
  func fired(_ timer: LoopTimer)
}
