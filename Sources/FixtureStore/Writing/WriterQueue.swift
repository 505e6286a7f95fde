import FixtureCassette
import Synchronization

/// What the threads that record hand to the writer's thread, in order, and whose turn it is to use
/// the file.
final class WriterQueue: Sendable {
  /// One thing to do.
  enum Work: Sendable {
    case append([UInt8], BodyToken)
    case abandon(BodyToken)
    case commit([InteractionDraft], @Sendable (StoreError?) -> Void)
    case describe(CassetteDescription)

    /// What it keeps in memory while it waits, about.
    var byteCount: Int {
      switch self {
      case .append(let bytes, _): bytes.count
      case .commit(let drafts, _): drafts.reduce(0) { $0 + $1.byteCount }
      case .abandon, .describe: 0
      }
    }
  }

  private struct State: Sendable {
    var work: [Work] = []
    var waiters: [(below: Int, callback: @Sendable () -> Void)] = []
    var isClosed = false
    var failure: StoreError?
    var turn = Turn.free(asked: false)
  }

  private enum Turn {
    /// Nobody uses the file. The writer's thread has something to see to if `asked`.
    case free(asked: Bool)
    case taken
  }

  private let state = Monitor(State())
  private let bytes = Atomic<Int>(0)

  /// Bytes of work not yet stored.
  var byteCount: Int { bytes.load(ordering: .relaxed) }

  /// Why recording stopped; nil while it goes on.
  var failure: StoreError? { state.withLock { $0.failure } }

  /// - Returns: false when the queue is closed, or has failed and the work is nothing that somebody
  ///   waits for; it is dropped then.
  func add(_ work: Work) -> Bool {
    let added = state.withLock { state in
      guard !state.isClosed else { return false }
      if state.failure != nil {
        guard case .commit = work else { return false }
      }
      bytes.add(work.byteCount, ordering: .relaxed)
      state.work.append(work)
      return true
    }
    if added { state.signal() }
    return added
  }

  /// Calls `callback` once fewer than `below` bytes are queued: at once on the caller's thread if
  /// that is so now, else on the writer's.
  func whenDrained(below: Int, _ callback: @escaping @Sendable () -> Void) {
    let isDrained = state.withLock { state in
      if byteCount < below { return true }
      state.waiters.append((below, callback))
      return false
    }
    if isDrained { callback() }
  }

  /// Ends the writer's thread after the work that is queued.
  func close() {
    state.withLock { $0.isClosed = true }
    state.signal()
  }

  /// Takes the turn if nothing is queued, nobody has it and recording goes on; `endTurn` follows.
  func takeTurnIfIdle() -> Bool {
    state.withLock { state in
      guard case .free(asked: false) = state.turn, state.work.isEmpty, !state.isClosed,
        state.failure == nil
      else { return false }
      state.turn = .taken
      return true
    }
  }

  /// - Parameter asks: the writer's thread has something to see to, even if nothing is queued.
  func endTurn(asks: Bool = false) {
    let wakes = state.withLock { state in
      state.turn = .free(asked: asks)
      return asks || !state.work.isEmpty || state.isClosed
    }
    if wakes { state.signal() }
  }

  // What follows is called by the writer's thread.

  /// Waits for work, or to be asked, and takes the turn with all work there is; nil after `close`,
  /// when there is none left.
  func take() -> [Work]? {
    state.wait { state in
      guard case .free(let asked) = state.turn else { return nil }
      guard asked || !state.work.isEmpty else { return state.isClosed ? .some(nil) : nil }
      state.turn = .taken
      var work: [Work] = []
      swap(&work, &state.work)
      return work
    }
  }

  func fail(_ failure: StoreError) {
    state.withLock { $0.failure = $0.failure ?? failure }
  }

  /// Work of this many bytes is stored or dropped.
  func finished(byteCount: Int) {
    let remaining = bytes.subtract(byteCount, ordering: .relaxed).newValue
    let callbacks = state.withLock { state in
      let ready = state.waiters.filter { remaining < $0.below }
      state.waiters.removeAll { remaining < $0.below }
      return ready.map(\.callback)
    }
    for callback in callbacks { callback() }
  }
}

extension InteractionDraft {
  fileprivate var byteCount: Int {
    var count = interaction.request.target.count + interaction.request.fields.bytes.count
    count += interaction.response?.head.fields.bytes.count ?? 0
    for body in [requestBody, responseBody] {
      if case .bytes(let bytes) = body { count += bytes.count }
    }
    return count
  }
}
