import FixtureHTTP
import Synchronization

/// The exchanges of a server in the order in which their request heads were read, also those that
/// are open, failed or were left by their client.
///
/// Written by the connections, on their loops; read by anybody. What it says of an exchange is
/// final before its client can have the last byte.
package final class ExchangeLog: Sendable {
  /// Beyond this many a tenth of them is dropped, the oldest.
  package static let entriesMax = 100_000
  /// The same for the contents of requests, all together.
  package static let contentBytesMax = 256 << 20

  /// What all exchanges amount to, the dropped ones too.
  package struct Totals: Equatable, Sendable {
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
    var entries: [ExchangeEntry] = []
    /// How many there were before the first of `entries`.
    var dropped = 0
    /// Of the contents of `entries`.
    var contentBytes = 0
    var totals = Totals()
    var connections = 0
    var waiting: [@Sendable () -> Void] = []

    mutating func dropTenth() {
      let count = max(1, entries.count / 10)
      for entry in entries[..<count] {
        contentBytes -= entry.content.count
        if !entry.isSettled { totals.open -= 1 }
      }
      entries.removeFirst(count)
      dropped += count
    }
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
      if state.entries.count == Self.entriesMax { state.dropTenth() }
      let number = state.dropped + state.entries.count
      state.entries.append(
        ExchangeEntry(
          number: number + 1, connection: connection, request: request, received: instant))
      state.totals.open += 1
      return number
    }
  }

  /// What is known of an exchange; nil when it was dropped.
  func entry(_ number: Int) -> ExchangeEntry? {
    state.withLock { state in
      number < state.dropped ? nil : state.entries[number - state.dropped]
    }
  }

  /// Content of the request has come.
  func append(_ bytes: UnsafeRawBufferPointer, to number: Int) {
    state.withLock { state in
      guard number >= state.dropped else { return }
      state.entries[number - state.dropped].content.append(contentsOf: bytes)
      state.contentBytes += bytes.count
      while state.contentBytes > Self.contentBytesMax { state.dropTenth() }
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
        after.headBytes + after.bodyBytes - before.headBytes - before.bodyBytes
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
