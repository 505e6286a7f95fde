import FixtureCassette
import Synchronization

/// What the threads that record hand to the writer's thread, in order.
final class WriterQueue: Sendable {
  /// One thing to do.
  enum Work: Sendable {
    case append([UInt8], BodyToken)
    case abandon(BodyToken)
    case commit(InteractionDraft, @Sendable (StoreError?) -> Void)
    case describe(CassetteDescription)

    /// What it keeps in memory while it waits, about.
    var byteCount: Int {
      switch self {
      case .append(let bytes, _): bytes.count
      case .commit(let draft, _): draft.byteCount
      case .abandon, .describe: 0
      }
    }
  }

  private struct State: Sendable {
    var work: [Work] = []
    var waiters: [(below: Int, callback: @Sendable () -> Void)] = []
    var isClosed = false
    var failure: StoreError?
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

  // What follows is called by the writer's thread.

  /// Waits for work and takes all of it; nil after `close`, when there is none left.
  func take() -> [Work]? {
    state.wait { state in
      guard !state.work.isEmpty else { return state.isClosed ? .some(nil) : nil }
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
