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
    /// Those that have.
    package var ended: Int { exchanges - open }
    /// How many there had been when the journal began anew; 0 when it never did.
    package var exchangesBeforeReset = 0
  }

  /// What `settle` leaves to be done once the exchange is over.
  package struct Settlement: Sendable {
    fileprivate var waiting: [@Sendable () -> Void]
  }

  private struct State {
    var entries = JournalPages()
    /// Of the contents of `entries`.
    var contentBytes = 0
    var totals = Totals()
    var connections = 0
    /// The recordings that answered something, the dropped exchanges too.
    var used: Set<Int64> = []
    /// Changes when all is forgotten.
    var term = 1
    var waiting: [@Sendable () -> Void] = []

    mutating func dropTenth() {
      let count = max(1, entries.count / 10)
      entries.removeFirst(count) { exchange in
        contentBytes -= exchange.contentCount
        totals.open -= exchange.counted.isOpen
      }
      totals.dropped += count
    }

    /// Gives an entry its number and keeps it.
    mutating func begin(_ entry: inout JournalEntry) {
      if entries.count == Journal.entriesMax { dropTenth() }
      totals.exchanges += 1
      entry.number = totals.exchanges
      entry.concurrent = totals.open
      entries.append(.whole(entry))
      if !entry.content.isEmpty { count(contentBytes: entry.content.count) }
    }

    mutating func count(contentBytes more: Int) {
      contentBytes += more
      while contentBytes > Journal.contentBytesMax { dropTenth() }
    }

    /// Counts what is known of an exchange now.
    mutating func count(_ after: JournalEntry.Counted, before: JournalEntry.Counted) {
      totals.bytesSent +=
        after.headBytes + after.bodyBytes - before.headBytes - before.bodyBytes
      totals.bodyBytesSent += after.bodyBytes - before.bodyBytes
      totals.aborted += after.isAborted - before.isAborted
      totals.open += after.isOpen - before.isOpen
    }

    /// Who waits for it that no exchange is open, when that is so.
    mutating func takeWaiting() -> [@Sendable () -> Void] {
      guard totals.open == 0, !waiting.isEmpty else { return [] }
      defer { waiting = [] }
      return waiting
    }
  }

  private let state = Mutex(State())
  private let onSettled: (@Sendable (JournalEntry) -> Void)?
  private let onPlain: (@Sendable (borrowing PlainExchange) -> Void)?
  private let onRules: (@Sendable (RuleSet) -> Void)?
  private let onReset: (@Sendable (Int) -> Void)?

  /// - Parameters:
  ///   - onSettled: told of each exchange that nothing more happens to, also of those that are not
  ///     kept any more; in the order of their ends, on the threads that perform them.
  ///   - onPlain: told of plain ones instead.
  ///   - onRules: told of rules that are in force from now on; exchanges that met them may be told
  ///     of before.
  ///   - onReset: told when the journal begins anew, and how many exchanges there had been.
  package init(
    onSettled: (@Sendable (JournalEntry) -> Void)? = nil,
    onPlain: (@Sendable (borrowing PlainExchange) -> Void)? = nil,
    onRules: (@Sendable (RuleSet) -> Void)? = nil,
    onReset: (@Sendable (Int) -> Void)? = nil
  ) {
    self.onSettled = onSettled
    self.onPlain = onPlain
    self.onRules = onRules
    self.onReset = onReset
  }

  /// Other rules are in force.
  package func changed(_ rules: RuleSet) { onRules?(rules) }

  /// All that are kept.
  package var entries: [JournalEntry] {
    state.withLock { $0.entries.map(\.entry) }
  }

  /// Those with a number above `number`, at most `limit` of them.
  package func entries(after number: Int, limit: Int) -> [JournalEntry] {
    state.withLock { state in
      let first = max(0, number - state.totals.dropped)
      guard first < state.entries.count else { return [] }
      return (first..<min(state.entries.count, first + limit)).map { state.entries[$0].entry }
    }
  }

  /// The exchange with this number; nil when there is none, or when it is not kept any more.
  package func entry(_ number: Int) -> JournalEntry? {
    number > 0 ? entries(after: number - 1, limit: 1).first { $0.number == number } : nil
  }

  /// Of these numbers, those whose exchanges have settled or are not kept any more.
  package func notOpen(among numbers: [Int]) -> [Int] {
    state.withLock { state in
      numbers.filter { number in
        let index = number - 1 - state.totals.dropped
        return index < 0 || index < state.entries.count && state.entries[index].isSettled
      }
    }
  }

  package var totals: Totals { state.withLock { $0.totals } }

  /// The recordings that answered something, by their numbers.
  package var used: Set<Int64> { state.withLock { $0.used } }

  /// Forgets all exchanges; of those that are open nothing more is noted. Numbers go on.
  package func reset() {
    let (waiting, count) = state.withLock { state in
      var totals = Totals()
      totals.exchanges = state.totals.exchanges
      totals.dropped = state.totals.exchanges
      totals.exchangesBeforeReset = state.totals.exchanges
      defer {
        state = State(totals: totals, connections: state.connections, term: state.term + 1)
      }
      return (state.waiting, totals.exchanges)
    }
    onReset?(count)
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
    var entry = JournalEntry(beginning)
    begin(&entry)
    return entry
  }

  /// The same for an entry that was not begun yet.
  package func begin(_ entry: inout JournalEntry) {
    state.withLock { state in
      state.begin(&entry)
      state.totals.open += 1
    }
  }

  /// Says anew what is known of an exchange. Of one that was dropped nothing is kept.
  package func note(_ entry: JournalEntry) {
    finish(entry, place(entry))
  }

  /// An exchange is about to be over: all that is known of it then, in one go. It may not have
  /// been begun. `finish` or `reopen` follows, when it is seen how it went.
  /// - Precondition: `isSettled` is set.
  package func settle(_ entry: inout JournalEntry) -> Settlement {
    guard entry.number == 0 else { return place(entry) }
    return state.withLock { state in
      state.begin(&entry)
      let counted = entry.counted
      state.totals.bytesSent += counted.headBytes + counted.bodyBytes
      state.totals.bodyBytesSent += counted.bodyBytes
      if let interaction = entry.interaction { state.used.insert(interaction) }
      return Settlement(waiting: state.takeWaiting())
    }
  }

  /// The same for a plain one.
  package func settle(_ exchange: inout PlainExchange) -> Settlement {
    state.withLock { state in
      if state.entries.count == Self.entriesMax { state.dropTenth() }
      state.totals.exchanges += 1
      exchange.number = state.totals.exchanges
      exchange.concurrent = state.totals.open
      state.totals.bodyBytesSent += exchange.bodyBytesSent
      state.totals.bytesSent += exchange.answered.byteCount + exchange.bodyBytesSent
      state.entries.append(.plain(exchange))
      if exchange.asked.term.load(ordering: .relaxed) != state.term {
        exchange.asked.term.store(state.term, ordering: .relaxed)
        if let interaction = exchange.asked.source.interaction { state.used.insert(interaction) }
      }
      return Settlement(waiting: state.takeWaiting())
    }
  }

  package func finish(_ exchange: borrowing PlainExchange, _ settlement: Settlement) {
    for tell in settlement.waiting { tell() }
    if let onPlain { return onPlain(exchange) }
    onSettled?(JournalEntry(copy exchange))
  }

  /// It went as it was said.
  package func finish(_ entry: JournalEntry, _ settlement: Settlement) {
    for tell in settlement.waiting { tell() }
    if entry.isSettled { onSettled?(entry) }
  }

  /// It goes on: this is what is known of it.
  package func reopen(_ entry: JournalEntry, _ settlement: Settlement) {
    note(entry)
    for tell in settlement.waiting { whenSettled(tell) }
  }

  private func place(_ entry: JournalEntry) -> Settlement {
    state.withLock { state in
      let index = entry.number - 1 - state.totals.dropped
      guard index >= 0 else { return Settlement(waiting: []) }
      let before = state.entries[index].counted
      let more = entry.content.count - state.entries[index].contentCount
      state.entries[index] = .whole(entry)
      if entry.isSettled, let interaction = entry.interaction { state.used.insert(interaction) }
      state.count(entry.counted, before: before)
      if more > 0 { state.count(contentBytes: more) }
      return Settlement(waiting: state.takeWaiting())
    }
  }
}
