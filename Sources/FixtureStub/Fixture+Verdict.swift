import FixtureHTTP
import FixtureReplay
import FixtureSetup
import Foundation

extension Fixture {
  /// What its exchanges so far prove about the client. Times are those of `clock`.
  public var verdict: FixtureVerdict { verdict(.init()) }

  /// What its exchanges so far prove about the client. Requests after `finish()` are found, too,
  /// and recordings that nobody asked for.
  ///
  /// - Parameter limits: what connections and attempts are judged by.
  public func verdict(_ limits: FixtureVerdict.Limits) -> FixtureVerdict {
    let misses = Dictionary(list.misses.map { ($0.exchange, $0.text) }) { first, _ in first }
    let entries = list.entries.map { entry in
      JournalEntry(entry, startedAt_us: startedAt_us, miss: misses[entry.number])
    }
    let verdict = FixtureVerdict(
      entries, unused: unusedRecordings.map(\.interaction), dropped: list.dropped, limits: limits)
    return verdict.adding(stragglers.map { .init(.afterEnd, [], $0.description) })
  }
}

extension JournalEntry {
  /// What the checks ask of an exchange. In process there are no connections: each has one.
  fileprivate init(_ entry: ExchangeEntry, startedAt_us: Int64, miss: String?) {
    self.init(
      JournalEntry.Beginning(
        entry.request, connection: entry.number,
        // No check asks for it.
        received: ContinuousClock.now, received_ns: entry.received_ns,
        receivedAt_us: startedAt_us + entry.received_ns / 1000),
      number: entry.number, concurrent: 0)
    entry.content.withUnsafeBytes { append($0) }
    requestEnd_ns = entry.received_ns
    if let interaction = entry.interaction {
      source = .interaction(interaction, ordinal: 1, count: 1)
    } else if let miss {
      source = .miss(String(miss.prefix { $0 != "\n" }))
    } else if !entry.rules.isEmpty {
      source = .rules
    }
    rules = entry.rules
    response = entry.response
    headBytesSent = Int64(entry.headBytes)
    bodyBytesSent = Int64(entry.bodyBytes)
    outcome = entry.outcome
    end_ns = entry.end_ns
    isSettled = entry.end_ns != nil
  }
}
