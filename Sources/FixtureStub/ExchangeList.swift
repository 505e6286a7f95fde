import FixtureHTTP
import FixtureReplay
import Foundation
import Synchronization

/// What is known of one exchange.
struct ExchangeEntry: Sendable {
  /// From 1.
  let number: Int
  let url: String
  let request: RequestHead
  let content: Data
  let received_ns: Int64
  var response: ResponseHead?
  var outcome = Fixture.Exchange.Outcome.open
  var headBytes = 0
  var bodyBytes = 0
  var interaction: Int64?
  var rules: [Int] = []
  var seed: UInt64?
  var script: Script?
  /// When it ended; nil while it is open.
  var end_ns: Int64?

  var status: Int? { response?.status }

  /// The client is given this head.
  mutating func began(_ head: ResponseHead) {
    response = head
    // The status line, and the empty line at the end.
    headBytes += 17 + head.reason.count + head.fields.bytes.count
  }
}

/// The exchanges of a fixture, in the order in which their requests came.
final class ExchangeList: Sendable {
  private struct State: Sendable {
    var entries: [ExchangeEntry] = []
    /// How many there were before the first of `entries`.
    var dropped = 0
    /// Of the contents of `entries`.
    var contentBytes = 0
    var misses: [Fixture.Miss] = []
    var stragglers: [Fixture.Straggler] = []
    var open = 0
    var onLate: @Sendable (Fixture.Straggler) -> Void = { _ in }

    /// nil for one that is not kept any more.
    func place(of number: Int) -> Int? { number > dropped ? number - dropped - 1 : nil }

    mutating func dropTenth() {
      let count = max(1, entries.count / 10)
      for entry in entries[..<count] {
        contentBytes -= entry.content.count
        if entry.outcome == .open { open -= 1 }
      }
      entries.removeFirst(count)
      dropped += count
    }
  }

  private let state = Mutex(State())

  var entries: [ExchangeEntry] { state.withLock { $0.entries } }
  /// How many are not kept any more.
  var dropped: Int { state.withLock { $0.dropped } }
  var misses: [Fixture.Miss] { state.withLock { $0.misses } }
  var stragglers: [Fixture.Straggler] { state.withLock { $0.stragglers } }
  var openCount: Int { state.withLock { $0.open } }
  var endedCount: Int { state.withLock { $0.dropped + $0.entries.count - $0.open } }

  /// - Returns: the number of the exchange, for the calls below.
  func begin(_ request: RequestHead, url: String, content: Data, at now_ns: Int64) -> Int {
    state.withLock { state in
      // The bounds are those of the server's journal.
      if state.entries.count == Journal.entriesMax { state.dropTenth() }
      let number = state.dropped + state.entries.count + 1
      state.entries.append(
        ExchangeEntry(
          number: number, url: url, request: request, content: content, received_ns: now_ns))
      state.open += 1
      state.contentBytes += content.count
      while state.contentBytes > Journal.contentBytesMax, state.entries.count > 1 {
        state.dropTenth()
      }
      return number
    }
  }

  /// - Parameter ready: all of it is given to the client now.
  func planned(
    _ number: Int, _ answer: PlannedAnswer, seed: UInt64?, given ready: ReadyAnswer? = nil
  ) {
    state.withLock { state in
      if let miss = answer.miss, state.misses.count < Journal.entriesMax {
        state.misses.append(Fixture.Miss(exchange: number, text: miss))
      }
      guard let place = state.place(of: number) else { return }
      state.entries[place].script = answer.script
      state.entries[place].interaction = answer.interaction
      state.entries[place].rules = answer.rules
      state.entries[place].seed = seed
      guard let ready else { return }
      state.entries[place].began(ready.head)
      state.entries[place].bodyBytes = ready.contentCount
      state.entries[place].outcome = .completed
      state.entries[place].end_ns = state.entries[place].received_ns
      state.open -= 1
    }
  }

  func update(_ number: Int, _ change: (inout ExchangeEntry) -> Void) {
    state.withLock { state in
      guard let place = state.place(of: number) else { return }
      change(&state.entries[place])
    }
  }

  /// Only the first call for an exchange counts.
  func end(_ number: Int, _ outcome: Fixture.Exchange.Outcome, at now_ns: Int64) {
    state.withLock { state in
      guard let place = state.place(of: number), state.entries[place].outcome == .open else {
        return
      }
      state.entries[place].outcome = outcome
      state.entries[place].end_ns = now_ns
      state.open -= 1
    }
  }

  func add(_ straggler: Fixture.Straggler) {
    let onLate = state.withLock { state in
      if state.stragglers.count < Journal.entriesMax { state.stragglers.append(straggler) }
      return straggler.wasOpen ? { _ in } : state.onLate
    }
    onLate(straggler)
  }

  /// - Parameter told: of each request that comes after the end from now on.
  func onLate(_ told: @escaping @Sendable (Fixture.Straggler) -> Void) {
    state.withLock { $0.onLate = told }
  }
}
