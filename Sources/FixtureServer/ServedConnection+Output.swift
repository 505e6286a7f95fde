import FixtureEventLoop
import FixtureExchange
import FixtureReplay

/// The output half: performing scripts, writing, and how an exchange ends.
extension ServedConnection {
  /// A script being performed. A class, because few connections have one: most answers are bytes.
  final class Player {
    var playhead: Playhead
    var sink: WireSink

    init(playhead: Playhead, sink: WireSink) {
      self.playhead = playhead
      self.sink = sink
    }
  }

  func advancePlay() {
    while state == .open, let player {
      if player.sink.isStreamed || output.count >= Self.gatheredBytesMax {
        guard writePlayed() else { break }
      }
      switch player.playhead.next(at: loop.now_ns) {
      case .perform(let action):
        let ending = player.sink.perform(action, output: &output)
        if case .head = action { finalResponseBegan(cut: player.sink.cutEnding) }
        if let ending {
          self.player = nil
          self.ending = ending
          return flush()
        }
      case .waitUntil(let deadline_ns):
        if writePlayed() { armTimer(at: deadline_ns) }
        return updateInterest()
      case .waitForRequestEnd, .waitFor, .waitForGrant:
        _ = writePlayed()
        return updateInterest()
      case .finished:
        self.player = nil
        ending = .close
        return flush()
      }
    }
    updateInterest()
  }

  /// Writes all output of the play.
  /// - Returns: whether it is all written.
  private func writePlayed() -> Bool {
    guard !output.isEmpty else { return true }
    guard write() else { return false }
    loop.refreshNow()
    player?.playhead.performed(at: loop.now_ns)
    return true
  }

  /// - Returns: whether everything queued is written; false also after a failure, which ends the
  ///   connection.
  func write() -> Bool {
    if !output.isEmpty { hasWrittenSince = true }
    switch context.bodies.write(&output, to: fd) {
    case .written: return true
    case .blocked:
      wasCongested = wasCongested || isCongested
      return false
    case .clientLeft:
      abort()
      return false
    case .failed(let error):
      // A body that can't be read ends the response visibly short, never as if it were complete.
      context.reportDamage(error)
      abort(reset: true)
      return false
    }
  }

  func outputWritten() {
    if let ending {
      self.ending = nil
      return finish(ending)
    }
    if let player {
      loop.refreshNow()
      player.playhead.performed(at: loop.now_ns)
      return advancePlay()
    }
    if wasCongested {
      wasCongested = false
      responder.outputDrained(on: self)
    }
  }

  private func armTimer(at deadline_ns: Int64) {
    let timer = self.timer ?? LoopTimer(self)
    self.timer = timer
    loop.arm(timer, at: deadline_ns)
  }

  func disarmTimers() {
    if let timer { loop.disarm(timer) }
    if let graceTimer { loop.disarm(graceTimer) }
    graceTimer = nil
  }

  func finish(_ ending: WireSink.Ending) {
    disarmTimers()
    switch ending {
    case .complete(keepsAlive: true) where requestState == .ended && !context.isDraining:
      // What it sent before it ended its side, if it did, is still to be read.
      state = .idle
      requestState = .none
      parsePending()
    case .complete, .close:
      linger()
    case .reset:
      state = .lingering
      abort(reset: true)
    }
  }

  private func linger() {
    state = .lingering
    Socket.shutdownWrite(fd)
    lingerEnd_ns = loop.now_ns + Self.lingerMax_ns
    extendLinger()
    updateInterest()
  }

  /// Waits a little longer for the client's end: it is still sending.
  func extendLinger() {
    armTimer(at: min(loop.now_ns + Self.linger_ns, lingerEnd_ns))
  }

  /// A play's output above this is written before the next step is asked for.
  private static let gatheredBytesMax: Int64 = 64 << 10
  /// How long a client may be silent before it closes its side after we closed ours.
  private static let linger_ns: Int64 = 1_000_000_000
  /// How long it may go on sending: an upload whose answer came early. As nginx does.
  private static let lingerMax_ns: Int64 = 30_000_000_000
}

extension ServedConnection: TimerTarget {
  package func fired(_ timer: LoopTimer) {
    if timer === graceTimer {
      graceTimer = nil
      if state == .open, !hasWrittenSince { abort() }
    } else if state == .lingering {
      abort()
    } else if state == .open, player != nil {
      advancePlay()
    }
  }
}
