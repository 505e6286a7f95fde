/// The connections of a session under a connection script: says what becomes of each, and when the
/// listeners change.
///
/// Like `Playhead`: the driver owns clock and sockets and decides nothing. After every event it
/// calls `next(at:)` until that returns something other than `.perform`.
///
///     connected ─▶ serve ──────────────▶ ended     below the limit, or without one
///               ─▶ hold ─▶ serve ──────▶ ended     queue: once there is room, in order
///               ─▶ stall ──────────────▶ ended     stall: accepted, and nothing else
///               ─▶ reset                           refuse
///
/// Only connections that are served count. When nothing listens any more those that are held or
/// stalled are reset, as those in a backlog are.
package struct ConnectionPlayhead: Equatable, Sendable {
  /// What the driver does next.
  package enum Action: Equatable, Sendable {
    /// The listeners become so, and the connections that are served with them.
    case listening(Admission.Listening)
    /// By its number, as the others.
    case serve(Int64)
    /// Keep it open and read nothing from it, until it is served or reset.
    case hold(Int64)
    /// Keep it open and read nothing from it, until the client leaves.
    case stall(Int64)
    case reset(Int64)
  }

  /// What comes next, and when.
  package enum Next: Equatable, Sendable {
    case perform(Action)
    /// Nanoseconds of the driver's clock.
    case waitUntil(Int64)
    case waitForEvent
  }

  private let script: ConnectionScript
  private let began_ns: Int64
  private var raised: Set<Flag> = []
  private var listening = Admission.Listening.accepting
  /// How many connections have come; they are numbered from 1.
  private var count: Int64 = 0
  /// Nothing was decided about them yet.
  private var arrived: [Int64] = []
  private var held: [Int64] = []
  private var stalled: [Int64] = []
  private var servedCount: Int64 = 0

  /// - Parameter began_ns: the session, on the clock of the instants that are given later.
  package init(_ script: ConnectionScript, began_ns: Int64) {
    self.script = script
    self.began_ns = began_ns
  }

  /// Somebody has connected.
  /// - Returns: the connection's number.
  package mutating func connected() -> Int64 {
    count += 1
    arrived.append(count)
    return count
  }

  /// A connection that was served has ended.
  package mutating func ended() {
    precondition(servedCount > 0, "no connection is served")
    servedCount -= 1
  }

  /// The client of a connection that is held or stalled has left.
  package mutating func left(_ connection: Int64) {
    arrived.removeAll { $0 == connection }
    held.removeAll { $0 == connection }
    stalled.removeAll { $0 == connection }
  }

  /// These flags are raised from now on, and no others.
  package mutating func flagsChanged(to raised: Set<Flag>) {
    self.raised = raised
  }

  /// What to do at this instant.
  package mutating func next(at now_ns: Int64) -> Next {
    let elapsed = Duration.nanoseconds(max(0, now_ns.saturatingAdding(-began_ns)))
    let admission = script.admission(at: elapsed, raised: raised)
    if admission.listening != listening {
      listening = admission.listening
      return .perform(.listening(listening))
    }
    if let action = decision(admission) { return .perform(action) }
    guard let change = script.change(after: elapsed) else { return .waitForEvent }
    return .waitUntil(began_ns.saturatingAdding(change.saturatedNanoseconds))
  }

  private mutating func decision(_ admission: Admission) -> Action? {
    if listening == .refusing {
      return Self.resetFirst(of: &held) ?? Self.resetFirst(of: &stalled)
        ?? Self.resetFirst(of: &arrived)
    }
    let hasRoom = admission.limit.map { servedCount < $0.count } ?? true
    if hasRoom, let connection = held.first ?? arrived.first {
      if held.isEmpty { arrived.removeFirst() } else { held.removeFirst() }
      servedCount += 1
      return .serve(connection)
    }
    guard let limit = admission.limit, let connection = arrived.first else { return nil }
    arrived.removeFirst()
    switch limit.excess {
    case .queue:
      held.append(connection)
      return .hold(connection)
    case .refuse: return .reset(connection)
    case .stall:
      stalled.append(connection)
      return .stall(connection)
    }
  }

  private static func resetFirst(of connections: inout [Int64]) -> Action? {
    connections.isEmpty ? nil : .reset(connections.removeFirst())
  }
}

extension ConnectionPlayhead.Action: CustomStringConvertible {
  package var description: String {
    switch self {
    case .listening(let listening): "listeners \(listening)"
    case .serve(let connection): "serve connection \(connection)"
    case .hold(let connection): "hold connection \(connection)"
    case .stall(let connection): "stall connection \(connection)"
    case .reset(let connection): "reset connection \(connection)"
    }
  }
}

extension Transcript {
  /// Adds a line for what is done about connections.
  package mutating func performed(_ action: ConnectionPlayhead.Action, after_ns: Int64) {
    note(action.description, after_ns: after_ns)
  }
}
