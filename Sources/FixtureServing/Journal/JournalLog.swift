import FixtureCassette
import FixtureEventLoop
import FixtureReplay
import FixtureStore
import Synchronization

/// Writes the exchanges of a replay's sessions to a journal file, as they settle.
package final class JournalLog: Sendable {
  private struct State {
    var sessions: [JournaledSession] = []
    /// By the path of their cassette.
    var redactions: [String: JournalRedaction] = [:]
  }

  private let queue = JournalQueue()
  private let writer: JournalWriter
  private let state = Mutex(State())

  /// Makes the file, in the place of an older journal.
  /// - Parameter onFailure: told once, with a line, when nothing can be written any more.
  package init(
    creating path: String, createdBy: String, onFailure: @escaping @Sendable (String) -> Void
  ) throws(StoreError) {
    let conversion = JournalConversion(queue)
    writer = try JournalWriter(
      creating: path, createdBy: createdBy, rows: { conversion.rows() },
      onFailure: { onFailure("nothing more is journaled: \($0.description)") })
    let writer = writer
    queue.open { writer.wake() }
  }

  /// The journal of a session, whose exchanges are written to the file as well.
  /// - Parameter configuration: what it is served by.
  package func journal(
    _ name: String, _ configuration: ReplayConfiguration
  ) throws(StoreError) -> Journal {
    let redaction = try redaction(configuration)
    let (beganAt_us, began_ns) = (WallClock.now_us(), MonotonicClock.now_ns())
    let queue = queue
    let session = state.withLock { state in
      let row = JournalRow.Session(
        id: Int64(state.sessions.count + 1), name: name, cassette: configuration.cassette,
        beganAt_us: beganAt_us, seed: configuration.scenario?.seed)
      let session = JournaledSession(row, began_ns: began_ns, redaction, queue)
      state.sessions.append(session)
      return session
    }
    _ = queue.add(.session(session))
    if let setup = configuration.scenario, !setup.rules.isEmpty {
      _ = queue.add(.rules(session, setup.ruleSet()))
    }
    return Journal(
      onSettled: { session.add($0) }, onPlain: { session.add($0) },
      // Where there is no room now, they come with the first exchange that met them.
      onRules: { _ = queue.add(.rules(session, $0)) }, onReset: { session.reset(after: $0) })
  }

  private func redaction(
    _ configuration: ReplayConfiguration
  ) throws(StoreError) -> JournalRedaction {
    let path = configuration.cassette
    if let redaction = state.withLock({ $0.redactions[path] }) { return redaction }
    let redaction = JournalRedaction(
      try CassetteReader(path: path).description, texts: configuration.texts)
    return state.withLock { state in
      let first = state.redactions[path] ?? redaction
      state.redactions[path] = first
      return first
    }
  }

  /// Writes what is left; to be called when no session is served any more.
  /// - Throws: what kept it from being written.
  package func finish() throws(StoreError) {
    try writer.close()
    // They hold each other.
    queue.close()
  }
}
