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
  var status: Int?
  var outcome = Fixture.Exchange.Outcome.open
  var headBytes = 0
  var bodyBytes = 0
  var interaction: Int64?
  var rules: [Int] = []
  var seed: UInt64?
  var script: Script?

  /// The client is given this head.
  mutating func began(_ head: ResponseHead) {
    status = head.status
    // The status line, and the empty line at the end.
    headBytes += 17 + head.reason.count + head.fields.bytes.count
  }
}

/// The exchanges of a fixture, in the order in which their requests came.
final class ExchangeList: Sendable {
  private struct State: Sendable {
    var entries: [ExchangeEntry] = []
    var misses: [Fixture.Miss] = []
    var stragglers: [Fixture.Straggler] = []
    var open = 0
    var onLate: @Sendable (Fixture.Straggler) -> Void = { _ in }
  }

  private let state = Mutex(State())

  var entries: [ExchangeEntry] { state.withLock { $0.entries } }
  var misses: [Fixture.Miss] { state.withLock { $0.misses } }
  var stragglers: [Fixture.Straggler] { state.withLock { $0.stragglers } }
  var openCount: Int { state.withLock { $0.open } }
  var endedCount: Int { state.withLock { $0.entries.count - $0.open } }

  /// - Returns: the number of the exchange, for the calls below.
  func begin(_ request: RequestHead, url: String, content: Data, at now_ns: Int64) -> Int {
    state.withLock { state in
      let number = state.entries.count + 1
      state.entries.append(
        ExchangeEntry(
          number: number, url: url, request: request, content: content, received_ns: now_ns))
      state.open += 1
      return number
    }
  }

  /// - Parameter ready: all of it is given to the client now.
  func planned(
    _ number: Int, _ answer: PlannedAnswer, seed: UInt64?, given ready: ReadyAnswer? = nil
  ) {
    state.withLock { state in
      state.entries[number - 1].script = answer.script
      state.entries[number - 1].interaction = answer.interaction
      state.entries[number - 1].rules = answer.rules
      state.entries[number - 1].seed = seed
      if let ready {
        state.entries[number - 1].began(ready.head)
        state.entries[number - 1].bodyBytes = ready.contentCount
        state.entries[number - 1].outcome = .completed
        state.open -= 1
      }
      guard let miss = answer.miss else { return }
      state.misses.append(Fixture.Miss(exchange: number, text: miss))
    }
  }

  func update(_ number: Int, _ change: (inout ExchangeEntry) -> Void) {
    state.withLock { change(&$0.entries[number - 1]) }
  }

  /// Only the first call for an exchange counts.
  func end(_ number: Int, _ outcome: Fixture.Exchange.Outcome) {
    state.withLock { state in
      guard state.entries[number - 1].outcome == .open else { return }
      state.entries[number - 1].outcome = outcome
      state.open -= 1
    }
  }

  func add(_ straggler: Fixture.Straggler) {
    let onLate = state.withLock { state in
      state.stragglers.append(straggler)
      return straggler.wasOpen ? { _ in } : state.onLate
    }
    onLate(straggler)
  }

  /// - Parameter told: of each request that comes after the end from now on.
  func onLate(_ told: @escaping @Sendable (Fixture.Straggler) -> Void) {
    state.withLock { $0.onLate = told }
  }
}
