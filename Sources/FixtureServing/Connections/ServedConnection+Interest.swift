import FixtureEventLoop

/// What the connection wants to hear of from its loop.
extension ServedConnection {
  /// Brings the interest in line when a call returns to the loop.
  func settle() {
    guard state != .closed else { return }
    updateInterest()
  }

  /// While an exchange is under way the interest in input is only given up once some has come:
  /// most clients send nothing before they have their answer, and each change costs a call.
  func updateInterest() {
    guard state != .closed, !isParsing else { return }
    let waitsQuietly = state == .open && requestState == .ended && !inputWaits
    let wanted = Interest(
      readable: acceptsInput || state == .lingering || waitsQuietly,
      writable: state == .open && !output.isEmpty,
      peerFinished: state != .lingering && !clientFinished)
    guard wanted != interest else { return }
    interest = wanted
    loop.modify(descriptor, interest: wanted)
  }
}
