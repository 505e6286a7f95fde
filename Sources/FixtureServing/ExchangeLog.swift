import FixtureHTTP
import Synchronization

/// The exchanges of a server in the order in which their request heads were read, also those that
/// are open, failed or were left by their client.
///
/// Written by the connections, on their loops; read by anybody. What it says of an exchange is
/// final before its client can have the last byte.
package final class ExchangeLog: Sendable {
  /// Older exchanges are dropped beyond this many.
  package static let entriesMax = 100_000

  /// What all exchanges amount to, the dropped ones too.
  package struct Totals: Equatable, Sendable {
    package var exchanges = 0
    /// Bytes that the kernel took: heads and bodies.
    package var bytesSent: Int64 = 0
    package var bodyBytesSent: Int64 = 0
    /// Exchanges that the client left before it had been sent everything.
    package var aborted = 0
    package var open = 0
  }

  private struct State {
    var entries: [ExchangeEntry] = []
    /// How many there were before the first of `entries`.
    var dropped = 0
    var totals = Totals()
    var connections = 0
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// All that are kept.
  package var entries: [ExchangeEntry] { state.withLock { $0.entries } }

  package var totals: Totals { state.withLock { $0.totals } }

  /// Calls `settled` once no exchange is open: at once if that is so now.
  package func whenSettled(_ settled: @escaping @Sendable () -> Void) {
    let isSettled = state.withLock { state in
      if state.totals.open > 0 { state.waiting.append(settled) }
      return state.totals.open == 0
    }
    if isSettled { settled() }
  }

  /// The number of a connection that was just accepted.
  func connected() -> Int {
    state.withLock { state in
      state.connections += 1
      return state.connections
    }
  }

  /// - Returns: the number of the exchange, for the calls below.
  func begin(
    _ request: RequestHead, connection: Int, at instant: ContinuousClock.Instant
  ) -> Int {
    state.withLock { state in
      if state.entries.count == Self.entriesMax {
        // A tenth at once, so that it costs little.
        state.entries.removeFirst(Self.entriesMax / 10)
        state.dropped += Self.entriesMax / 10
      }
      let number = state.dropped + state.entries.count
      state.entries.append(
        ExchangeEntry(
          number: number + 1, connection: connection, request: request, received: instant))
      state.totals.exchanges += 1
      state.totals.open += 1
      return number
    }
  }

  /// Changes what is said of an exchange, and the totals with it.
  func update(_ number: Int, _ change: (inout ExchangeEntry) -> Void) {
    let settled: [@Sendable () -> Void] = state.withLock { state in
      let index = number - state.dropped
      guard index >= 0 else { return [] }
      let before = state.entries[index].counted
      change(&state.entries[index])
      let after = state.entries[index].counted
      state.totals.bytesSent +=
        after.headBytes + after.bodyBytes - before.headBytes
        - before.bodyBytes
      state.totals.bodyBytesSent += after.bodyBytes - before.bodyBytes
      state.totals.aborted += after.isAborted - before.isAborted
      state.totals.open += after.isOpen - before.isOpen
      guard state.totals.open == 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for tell in settled { tell() }
  }
}

/// What is known of one exchange.
package struct ExchangeEntry: Sendable {
  package enum Outcome: Equatable, Sendable {
    /// The request is being read, or its answer is not sent yet.
    case open
    /// All of the response was sent.
    case completed
    /// The server closed or reset the connection, as it was to.
    case closed, reset
    /// The client left before it had been sent everything.
    case clientLeft
    /// The server stopped.
    case stopped
  }

  /// From 1, in the order of the log.
  package let number: Int
  /// From 1, in the order in which connections were accepted.
  package let connection: Int
  package let request: RequestHead
  /// When the request head was read.
  package let received: ContinuousClock.Instant
  /// The request's content, without framing.
  package var content: [UInt8] = []
  /// Of the final response; nil while there is none, or when what was sent is no response.
  package var status: Int?
  /// The recording that was played; nil when none was.
  package var interaction: Int64?
  /// The rules that had a part in the answer, from 1.
  package var rules: [Int] = []
  /// Whether nothing was recorded for it.
  package var isMiss = false
  /// Bytes of heads, interim ones included, and all that followed, framing included.
  package var headBytesSent: Int64 = 0
  package var bodyBytesSent: Int64 = 0
  package var outcome = Outcome.open
  /// Nothing more happens to it. `outcome` and counts tell its end a moment before.
  var isSettled = false

  fileprivate var counted: (headBytes: Int64, bodyBytes: Int64, isAborted: Int, isOpen: Int) {
    (headBytesSent, bodyBytesSent, outcome == .clientLeft ? 1 : 0, isSettled ? 0 : 1)
  }
}
