import FixtureEventLoop
import FixtureReplay
import Synchronization

/// Whether anybody listens, as the connection script of a session has it at an instant.
///
/// On any thread: what follows on a request that raises a flag must be so before its answer is
/// there.
final class ListeningSwitch: Sendable {
  private struct State {
    var listening = Admission.Listening.accepting
    var raised: Set<Flag> = []
  }

  private let script: ConnectionScript
  private let session: ScenarioSession
  private let listeners: Listeners
  private let state = Mutex(State())
  private let onError: @Sendable (String) -> Void

  init(
    _ script: ConnectionScript, _ session: ScenarioSession, _ listeners: Listeners,
    onError: @escaping @Sendable (String) -> Void
  ) {
    self.script = script
    self.session = session
    self.listeners = listeners
    self.onError = onError
  }

  /// Brings the listeners to what is in force now.
  func bring(at now_ns: Int64) -> Admission.Listening {
    state.withLock { bring(&$0, at: now_ns) }
  }

  /// The same when other flags are raised than before; nil when the same are.
  func flagsMayHaveChanged(at now_ns: Int64) -> Admission.Listening? {
    state.withLock { state in
      let raised = session.raised
      guard raised != state.raised else { return nil }
      state.raised = raised
      return bring(&state, at: now_ns)
    }
  }

  private func bring(_ state: inout State, at now_ns: Int64) -> Admission.Listening {
    let elapsed = Duration.nanoseconds(max(0, now_ns - session.began_ns))
    let listening = script.admission(at: elapsed, raised: session.raised).listening
    guard listening != state.listening else { return listening }
    state.listening = listening
    for socket in listeners.sockets {
      do throws(SystemError) {
        try socket.turn(to: listening.attitude)
      } catch {
        onError("a rule about connections has no effect on \(socket.address): \(error)")
      }
    }
    return listening
  }
}

extension Admission.Listening {
  fileprivate var attitude: ListenerAttitude {
    switch self {
    case .accepting: .accepting
    case .refusing: .refusing
    case .silent: .silent
    }
  }
}
