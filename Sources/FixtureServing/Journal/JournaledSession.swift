import FixtureReplay
import FixtureStore
import Synchronization

/// A session whose exchanges are written to a file.
final class JournaledSession: Sendable {
  let row: JournalRow.Session
  let began_ns: Int64
  let redaction: JournalRedaction
  private let queue: JournalQueue
  private let state = Mutex(State())

  private struct State {
    var block = JournalBlock()
    var full: [JournalBlock] = []
    /// Exchanges that were refused because too many wait.
    var dropped: Int64 = 0
    /// How many exchanges there had been when the session began anew.
    var resetAfter: Int64 = 0
    /// The queue knows that there is something to write.
    var isChanged = false

    /// - Returns: whether it is the first change since all was taken.
    mutating func changes() -> Bool {
      defer { isChanged = true }
      return !isChanged
    }
  }

  /// What it has to write.
  struct Changes {
    var blocks: [JournalBlock]
    var dropped: Int64
    var resetAfter: Int64
  }

  init(
    _ row: JournalRow.Session, began_ns: Int64, _ redaction: JournalRedaction,
    _ queue: JournalQueue
  ) {
    self.row = row
    self.began_ns = began_ns
    self.redaction = redaction
    self.queue = queue
  }

  func add(_ exchange: borrowing PlainExchange) {
    guard let request = id(of: exchange.asked), let response = id(of: exchange.answered) else {
      return drop()
    }
    let source = exchange.asked.sourceID.load(ordering: .relaxed)
    let isFirst = state.withLock { state in
      if state.block.isFull {
        if queue.reserve(state.block.byteCount) {
          state.full.append(state.block)
          state.block = JournalBlock()
        } else {
          state.dropped += 1
          return state.changes()
        }
      }
      state.block.append(exchange, request, source, response, began_ns: began_ns)
      return state.changes()
    }
    if isFirst { queue.changed(self) }
  }

  func add(_ entry: JournalEntry) {
    if !queue.add(.exchange(self, entry), bytes: entry.content.count) { drop() }
  }

  /// The session begins anew behind so many exchanges.
  func reset(after count: Int) {
    let isFirst = state.withLock { state in
      state.resetAfter = Int64(count)
      return state.changes()
    }
    if isFirst { queue.changed(self) }
  }

  private func drop() {
    let isFirst = state.withLock { state in
      state.dropped += 1
      return state.changes()
    }
    if isFirst { queue.changed(self) }
  }

  /// What there is to write so far, in order.
  func take() -> Changes {
    let (changes, bytes) = state.withLock { state in
      var blocks: [JournalBlock] = []
      swap(&blocks, &state.full)
      let bytes = blocks.reduce(0) { $0 + $1.byteCount }
      if state.block.count > 0 {
        blocks.append(state.block)
        state.block = JournalBlock()
      }
      state.isChanged = false
      let changes = Changes(
        blocks: blocks, dropped: state.dropped, resetAfter: state.resetAfter)
      return (changes, bytes)
    }
    queue.release(bytes)
    return changes
  }

  // MARK: What exchanges share

  /// nil when there is no room to tell what it is.
  private func id(of asked: AskedHead) -> Int64? {
    let id = asked.requestID.load(ordering: .relaxed)
    if id > 0 { return id }
    let new = queue.requests.add(1, ordering: .relaxed).newValue
    asked.sourceID.store(queue.sources.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
    asked.requestID.store(new, ordering: .relaxed)
    if queue.add(.asked(self, asked), bytes: asked.request.fields.bytes.count) { return new }
    asked.requestID.store(0, ordering: .relaxed)
    return nil
  }

  private func id(of answered: AnsweredHead) -> Int64? {
    let id = answered.responseID.load(ordering: .relaxed)
    if id > 0 { return id }
    let new = queue.responses.add(1, ordering: .relaxed).newValue
    answered.responseID.store(new, ordering: .relaxed)
    if queue.add(.answered(self, answered), bytes: answered.response.fields.bytes.count) {
      return new
    }
    answered.responseID.store(0, ordering: .relaxed)
    return nil
  }
}
