import FixtureHTTP
import Synchronization

/// The exchanges of a session in the order in which their request heads were read, also those that
/// are open, failed or were left by their client.
///
/// Written by who performs them, on any thread; read by anybody. What it says of an exchange is
/// final before its client can have the last byte.
package final class Journal: Sendable {
  /// Beyond this many a tenth of them is dropped, the oldest.
  package static let entriesMax = 100_000
  /// Of one request's content.
  package static let heldBytesMax = 64 << 20
  /// As `entriesMax`, for the contents of requests, all together.
  package static let contentBytesMax = 256 << 20

  /// What all exchanges amount to, the dropped ones too.
  package struct Totals: Equatable, Sendable {
    /// How many there were.
    package var exchanges = 0
    /// How many are not kept any more.
    package var dropped = 0
    /// Bytes that the kernel took: heads and bodies.
    package var bytesSent: Int64 = 0
    /// Of those, bytes of bodies.
    package var bodyBytesSent: Int64 = 0
    /// Exchanges that the client left before it had been sent everything.
    package var aborted = 0
    /// Exchanges that have not ended.
    package var open = 0
  }

  private struct State {
    var entries: [JournalEntry] = []
    /// Of the contents of `entries`.
    var contentBytes = 0
    var totals = Totals()
    var connections = 0
    /// The recordings that answered something, the dropped exchanges too.
    var used: Set<Int64> = []
    var waiting: [@Sendable () -> Void] = []

    mutating func dropTenth() {
      let count = max(1, entries.count / 10)
      for entry in entries[..<count] {
        contentBytes -= entry.content.count
        if !entry.isSettled { totals.open -= 1 }
      }
      entries.removeFirst(count)
      totals.dropped += count
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// All that are kept.
  package var entries: [JournalEntry] { state.withLock { $0.entries } }

  /// The kept ones with a number above `number`, at most `limit`.
  package func entries(after number: Int, limit: Int) -> [JournalEntry] {
    // A copy of a part, so that the writer never has to copy all of them.
    state.withLock { state in
      let start = max(0, number - state.totals.dropped)
      guard start < state.entries.count else { return [] }
      return Array(state.entries[start...].prefix(limit))
    }
  }

  /// The exchange of this number; nil when there was none or it is not kept any more.
  package func entry(_ number: Int) -> JournalEntry? {
    entries(after: number - 1, limit: 1).first { $0.number == number }
  }

  package var totals: Totals { state.withLock { $0.totals } }

  /// The recordings that answered something, by their numbers.
  package var used: Set<Int64> { state.withLock { $0.used } }

  /// Forgets all exchanges; of those that are open nothing more is noted. Numbers go on.
  package func reset() {
    let waiting = state.withLock { state in
      var totals = Totals()
      totals.exchanges = state.totals.exchanges
      totals.dropped = state.totals.exchanges
      defer { state = State(totals: totals, connections: state.connections) }
      return state.waiting
    }
    for tell in waiting { tell() }
  }

  /// Calls `settled` once no exchange is open: at once if that is so now.
  package func whenSettled(_ settled: @escaping @Sendable () -> Void) {
    let isSettled = state.withLock { state in
      if state.totals.open > 0 { state.waiting.append(settled) }
      return state.totals.open == 0
    }
    if isSettled { settled() }
  }

  /// The number of a connection that was just accepted.
  package func connected() -> Int {
    state.withLock { state in
      state.connections += 1
      return state.connections
    }
  }

  /// A request head was read.
  /// - Returns: its entry, to be given to `note` whenever more is known.
  package func begin(_ beginning: JournalEntry.Beginning) -> JournalEntry {
    state.withLock { state in
      if state.entries.count == Self.entriesMax { state.dropTenth() }
      let entry = JournalEntry(
        beginning, number: state.totals.exchanges + 1, concurrent: state.totals.open)
      state.entries.append(entry)
      state.totals.exchanges += 1
      state.totals.open += 1
      return entry
    }
  }

  /// Says anew what is known of an exchange. Of one that was dropped nothing is kept.
  package func note(_ entry: JournalEntry) {
    let settled: [@Sendable () -> Void] = state.withLock { state in
      let index = entry.number - 1 - state.totals.dropped
      guard index >= 0 else { return [] }
      let before = state.entries[index].counted
      state.contentBytes += entry.content.count - state.entries[index].content.count
      state.entries[index] = entry
      if entry.isSettled, let interaction = entry.interaction { state.used.insert(interaction) }
      let after = entry.counted
      state.totals.bytesSent +=
        after.headBytes + after.bodyBytes - before.headBytes - before.bodyBytes
      state.totals.bodyBytesSent += after.bodyBytes - before.bodyBytes
      state.totals.aborted += after.isAborted - before.isAborted
      state.totals.open += after.isOpen - before.isOpen
      while state.contentBytes > Self.contentBytesMax { state.dropTenth() }
      guard state.totals.open == 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for tell in settled { tell() }
  }
}
