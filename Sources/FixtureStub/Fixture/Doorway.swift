import FixtureReplay
import Synchronization

/// Who is served, as rules about connections say: each exchange of the stub has a connection of its
/// own, which comes with its request and goes with its answer.
final class Doorway: Sendable {
  /// What becomes of somebody who asks to be served.
  enum Answer: Equatable, Sendable {
    case served
    /// Nobody listens.
    case refused
    case reset
    /// Others are served; it is told when it is its turn.
    case held
    /// It is never served.
    case stalled
    /// Nobody answers now; until then at least, if that is known.
    case unanswered(until_ns: Int64?)
  }

  /// Names one who asked.
  struct Ticket: Hashable, Sendable {
    fileprivate let number: Int64
  }

  typealias Told = @Sendable (Answer) -> Void

  private struct State: Sendable {
    var playhead: ConnectionPlayhead
    var listening = Admission.Listening.accepting
    /// Held or stalled, by the playhead's numbers.
    var inside: [Int64: Told] = [:]
    /// Nobody answers them, by numbers below 0.
    var outside: [Int64: Told] = [:]
    var outsideCount: Int64 = 0
    var served: Set<Int64> = []
    /// What the playhead decided about those who asked last.
    var decided: [Int64: Answer] = [:]
    var change_ns: Int64?
  }

  private let clock: FixtureClock
  private let state: Mutex<State>

  init(_ script: ConnectionScript, began_ns: Int64, clock: FixtureClock) {
    self.clock = clock
    state = Mutex(State(playhead: ConnectionPlayhead(script, began_ns: began_ns)))
  }

  /// Asks to be served.
  /// - Parameter told: called later, once, when the answer is `held`, `stalled` or `unanswered` and
  ///   becomes another; after the last of these with `unanswered`: ask again.
  func enter(at now_ns: Int64, _ told: @escaping Told) -> (Answer, Ticket) {
    let result = change { state, tell in
      Self.advance(&state, at: now_ns, &tell)
      switch state.listening {
      case .refusing: return (Answer.refused, Ticket(number: 0))
      case .silent:
        state.outsideCount -= 1
        state.outside[state.outsideCount] = told
        return (
          .unanswered(until_ns: state.change_ns), Ticket(number: state.outsideCount)
        )
      case .accepting: break
      }
      let number = state.playhead.connected()
      Self.advance(&state, at: now_ns, &tell)
      let answer = state.decided.removeValue(forKey: number) ?? .held
      if answer == .held || answer == .stalled { state.inside[number] = told }
      return (answer, Ticket(number: number))
    }
    scheduleChange()
    return result
  }

  /// Who was served, or waited to be, has left.
  func leave(_ ticket: Ticket) {
    change { state, tell in
      let number = ticket.number
      state.outside[number] = nil
      state.inside[number] = nil
      if state.served.remove(number) != nil {
        state.playhead.ended()
      } else if number > 0 {
        state.playhead.left(number)
      }
      Self.advance(&state, at: clock.now_ns, &tell)
    }
  }

  /// Rules may have raised or cleared some.
  func flagsChanged(to raised: Set<Flag>, at now_ns: Int64) {
    change { state, tell in
      state.playhead.flagsChanged(to: raised)
      Self.advance(&state, at: now_ns, &tell)
    }
    scheduleChange()
  }

  private func change<Value: Sendable>(
    _ body: (inout State, inout [(Told, Answer)]) -> Value
  ) -> Value {
    var tell: [(Told, Answer)] = []
    let value = state.withLock { body(&$0, &tell) }
    for (told, answer) in tell { told(answer) }
    return value
  }

  private static func advance(
    _ state: inout State, at now_ns: Int64, _ tell: inout [(Told, Answer)]
  ) {
    state.change_ns = nil
    while true {
      switch state.playhead.next(at: now_ns) {
      case .waitForEvent: return
      case .waitUntil(let change_ns):
        state.change_ns = change_ns
        return
      case .perform(let action): perform(action, &state, &tell)
      }
    }
  }

  private static func perform(
    _ action: ConnectionPlayhead.Action, _ state: inout State, _ tell: inout [(Told, Answer)]
  ) {
    func decide(_ number: Int64, _ answer: Answer) {
      if let told = state.inside.removeValue(forKey: number) {
        tell.append((told, answer))
      } else {
        state.decided[number] = answer
      }
    }
    switch action {
    case .listening(let listening): state.listening = listening
    case .serve(let number):
      state.served.insert(number)
      decide(number, .served)
    case .hold(let number): state.decided[number] = .held
    case .stall(let number): state.decided[number] = .stalled
    case .reset(let number): decide(number, .reset)
    }
    guard state.listening != .silent, !state.outside.isEmpty else { return }
    // Who still tries to connect asks again.
    for (_, told) in state.outside.sorted(by: { $0.key > $1.key }) {
      tell.append((told, .unanswered(until_ns: nil)))
    }
    state.outside = [:]
  }

  /// Something changes by time alone: whoever waits is looked at then. An immediate clock has no
  /// time of its own; there everybody comes again by themselves.
  private func scheduleChange() {
    guard clock.kind != .immediate else { return }
    let change_ns = state.withLock { state in
      state.inside.isEmpty && state.outside.isEmpty ? nil : state.change_ns
    }
    guard let change_ns else { return }
    clock.schedule(at: change_ns) { [weak self] in
      guard let self else { return }
      change { state, tell in Self.advance(&state, at: clock.now_ns, &tell) }
      scheduleChange()
    }
  }
}
