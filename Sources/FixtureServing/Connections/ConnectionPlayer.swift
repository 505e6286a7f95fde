import FixtureEventLoop
import FixtureReplay

/// Performs the connection script of a session. Confined to the loop that accepts.
///
/// What listens is taken from the switch, not from the action: a request on another loop may have
/// changed a flag since the playhead was told of them.
final class ConnectionPlayer: TimerTarget {
  private let session: ScenarioSession
  private let listening: ListeningSwitch
  private unowned let loop: EventLoop
  private var playhead: ConnectionPlayhead
  private let timer = LoopTimer()
  private var isAdvancing = false
  /// Accepted, by number; nothing was decided about them yet.
  private var arrived: [Int64: Arrival] = [:]
  /// Those of them that are held or stalled.
  private var unserved: [Int64: (connection: UnservedConnection, route: Int)] = [:]
  private let serve: (_ descriptor: Int32, _ route: Int) -> Void
  private let changed: (Admission.Listening) -> Void

  private struct Arrival {
    let descriptor: Int32
    let route: Int
  }

  /// - Parameters:
  ///   - serve: owns the descriptor.
  ///   - changed: the listeners have changed to this.
  init(
    _ script: ConnectionScript, of session: ScenarioSession, _ listening: ListeningSwitch,
    on loop: EventLoop, serve: @escaping (_ descriptor: Int32, _ route: Int) -> Void,
    changed: @escaping (Admission.Listening) -> Void
  ) {
    self.session = session
    self.listening = listening
    self.loop = loop
    self.serve = serve
    self.changed = changed
    playhead = ConnectionPlayhead(script, began_ns: session.began_ns)
    timer.target = self
  }

  func accepted(_ descriptor: Int32, _ route: Int) {
    arrived[playhead.connected()] = Arrival(descriptor: descriptor, route: route)
    advance()
  }

  /// A connection that was served has ended.
  func ended() {
    playhead.ended()
    advance()
  }

  /// Other flags may be raised than before.
  func flagsChanged() {
    playhead.flagsChanged(to: session.raised)
    advance()
  }

  func fired(_ timer: LoopTimer) { advance() }

  /// Does what is to be done now.
  func advance() {
    // What an action does may call again; the loop below sees to it.
    guard !isAdvancing else { return }
    isAdvancing = true
    defer { isAdvancing = false }
    while true {
      switch playhead.next(at: loop.now_ns) {
      case .perform(let action): perform(action)
      case .waitUntil(let due_ns): return loop.arm(timer, at: due_ns)
      case .waitForEvent: return loop.disarm(timer)
      }
    }
  }

  /// Ends every connection that is not served.
  func end() {
    loop.disarm(timer)
    for (connection, _) in unserved.values { connection.reset() }
    for arrival in arrived.values { Socket.close(arrival.descriptor) }
    unserved = [:]
    arrived = [:]
  }

  private func perform(_ action: ConnectionPlayhead.Action) {
    switch action {
    case .listening: changed(listening.bring(at: loop.now_ns))
    case .serve(let number):
      if let (descriptor, route) = take(number) {
        serve(descriptor, route)
      } else {
        playhead.ended()
      }
    case .hold(let number), .stall(let number): keep(number)
    case .reset(let number):
      if let (descriptor, _) = take(number) { Socket.reset(descriptor) }
    }
  }

  private func take(_ number: Int64) -> (descriptor: Int32, route: Int)? {
    if let arrival = arrived.removeValue(forKey: number) {
      return (arrival.descriptor, arrival.route)
    }
    return unserved.removeValue(forKey: number).map { ($0.connection.release(), $0.route) }
  }

  private func keep(_ number: Int64) {
    guard let arrival = arrived.removeValue(forKey: number) else { return }
    do throws(SystemError) {
      let connection = try UnservedConnection(descriptor: arrival.descriptor, on: loop) {
        [unowned self] in
        left(number)
      }
      unserved[number] = (connection, arrival.route)
    } catch {
      // The system has no memory for it.
      Socket.close(arrival.descriptor)
      playhead.left(number)
    }
  }

  private func left(_ number: Int64) {
    unserved.removeValue(forKey: number)?.connection.reset()
    playhead.left(number)
    advance()
  }
}
