import FixtureEventLoop

/// An accepted connection from which nothing is read, until it is served or its client leaves.
/// Confined to its loop.
final class UnservedConnection: Watcher, TimerTarget {
  private let descriptor: Int32
  private unowned let loop: EventLoop
  private let left: () -> Void
  private let timer = LoopTimer()

  /// - Parameter left: the client has left; the descriptor is still to be closed, by `reset`.
  init(descriptor: Int32, on loop: EventLoop, left: @escaping () -> Void) throws(SystemError) {
    self.descriptor = descriptor
    self.loop = loop
    self.left = left
    timer.target = self
    try loop.add(descriptor, interest: .peerFinished, watcher: self)
  }

  func ready(_ readiness: Readiness) {
    if readiness.contains(.closed) { return left() }
    loop.modify(descriptor, interest: [])
    loop.arm(timer, at: loop.now_ns + ServingContext.halfCloseGraceStandard_ns)
  }

  func fired(_ timer: LoopTimer) { left() }

  /// Gives the descriptor back.
  func release() -> Int32 {
    loop.disarm(timer)
    loop.remove(descriptor)
    return descriptor
  }

  func reset() { Socket.reset(release()) }
}
