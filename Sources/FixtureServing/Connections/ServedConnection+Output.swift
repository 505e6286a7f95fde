import FixtureEventLoop
import FixtureExchange
import FixtureReplay

/// The output half: performing scripts, writing, and how an exchange ends.
extension ServedConnection {
  /// A script being performed. A class, because few connections have one: most answers are bytes.
  final class Player {
    var playhead: Playhead
    var sink: WireSink
    /// On the link it waits for.
    var turn: SharedLinks.Turn?
    /// At which it was seen waiting, and what takes it away from there.
    var gates: [Gate: @Sendable () -> Void] = [:]

    init(playhead: Playhead, sink: WireSink) {
      self.playhead = playhead
      self.sink = sink
    }

    deinit {
      for leave in gates.values { leave() }
    }
  }

  func advancePlay() {
    while state == .open, let player {
      // Not what is the last of a response: that it is complete is known before it is sent.
      if player.sink.isStreamed
        || output.count >= Self.gatheredBytesMax && !player.playhead.isAtEnd
      {
        guard writePlayed() else { break }
      }
      switch player.playhead.next(at: loop.now_ns) {
      case .perform(let action):
        let queued = output.count
        let ending = player.sink.perform(action, output: &output)
        note(action, queued: output.count - queued, due_ns: player.playhead.due_ns)
        note(rebases: player.playhead.rebases)
        if action.beginsHead { finalResponseBegan(cut: player.sink.cutEnding) }
        // A script may have more to do on the connection of a complete answer.
        if let ending, ending.isFinal || player.playhead.isFinished {
          self.player = nil
          self.ending = ending
          return flush()
        }
      case .waitUntil(let deadline_ns):
        if writePlayed() { armTimer(at: deadline_ns) }
        return updateInterest()
      case .waitForGrant(let link, let count):
        guard writePlayed() else { return updateInterest() }
        guard takeTurn(of: player, on: link, for: count) else { return updateInterest() }
      case .waitForRequestEnd:
        _ = writePlayed()
        return updateInterest()
      case .waitFor(let gate):
        _ = writePlayed()
        if self.player === player { enter(gate, player) }
        return updateInterest()
      case .finished:
        self.player = nil
        ending = .close
        return flush()
      }
    }
    updateInterest()
  }

  /// Goes on when somebody opens the gate; nobody opens the one that waits for the client.
  private func enter(_ gate: Gate, _ player: Player) {
    guard let enterGate = context.enterGate, gate != .clientLeaves, player.gates[gate] == nil
    else { return }
    let connection = LoopReference(self, on: loop)
    let entered = LoopReference(player, on: loop)
    let handle = loop.handle
    player.gates[gate] = enterGate(gate.name) {
      handle.post {
        guard let connection = connection.object, let player = entered.object,
          connection.player === player
        else { return }
        player.playhead.open(gate, at: connection.loop.now_ns)
        connection.advancePlay()
      }
    }
  }

  /// - Returns: whether something was granted; else the timer is set to when it is.
  private func takeTurn(of player: Player, on link: Link, for count: Int64) -> Bool {
    let turn = player.turn ?? context.links.turn(on: link, for: count, at: loop.now_ns)
    guard turn.due_ns <= loop.now_ns else {
      player.turn = turn
      armTimer(at: turn.due_ns)
      return false
    }
    player.turn = nil
    player.playhead.grant(turn.count, on: link)
    return true
  }

  /// Writes all output of the play.
  /// - Returns: whether it is all written.
  private func writePlayed() -> Bool {
    guard !output.isEmpty else { return true }
    guard write() else { return false }
    loop.refreshNow()
    if let player { performed(player) }
    return true
  }

  private func performed(_ player: Player) {
    noteSent()
    player.playhead.performed(at: loop.now_ns)
    note(rebases: player.playhead.rebases)
  }

  /// - Returns: whether everything queued is written; false also after a failure, which ends the
  ///   connection.
  func write() -> Bool {
    if !output.isEmpty { hasWrittenSince = true }
    let queued = output.count
    noteBeforeWriting()
    let written = context.bodies.write(&output, to: descriptor)
    noteWritten(queued - output.count)
    switch written {
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
      performed(player)
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
    if reading != nil { endReading() }
  }

  func finish(_ ending: WireSink.Ending) {
    disarmTimers()
    noteEnd(ending.outcome)
    switch ending {
    case .complete(keepsAlive: true) where requestState == .ended && !context.isEnding:
      // What it sent before it ended its side, if it did, is still to be read.
      state = .idle
      requestState = .none
      if idleMax_ns > 0 { armTimer(at: loop.now_ns + idleMax_ns) }
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
    Socket.shutdownWrite(descriptor)
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

extension WireSink.Ending {
  fileprivate var outcome: JournalEntry.Outcome {
    switch self {
    case .complete: .completed
    case .close: .closed
    case .reset: .reset
    }
  }

  var isComplete: Bool { if case .complete = self { true } else { false } }

  /// Whether nothing can follow on the connection.
  fileprivate var isFinal: Bool {
    switch self {
    case .complete: false
    case .close, .reset: true
    }
  }
}

extension ServedConnection: TimerTarget {
  package func fired(_ timer: LoopTimer) {
    if timer === graceTimer {
      graceTimer = nil
      if state == .open ? !hasWrittenSince : !acceptsInput { abort() }
    } else if let reading, timer === reading.timer {
      goOn(reading)
    } else if state == .lingering || state == .idle && idleMax_ns > 0 {
      abort()
    } else if state == .open, player != nil {
      advancePlay()
    }
  }
}
