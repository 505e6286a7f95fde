import FixtureHTTP

@testable import FixtureReplay

/// What a client did, an exchange at a time; instants in milliseconds.
struct Story {
  let journal = Journal()

  mutating func exchange(
    _ line: String, _ fields: [(StaticString, String)] = [], content: String = "",
    from start: Int64, to end: Int64?, _ status: Int? = 200,
    _ answer: [(StaticString, String)] = [], on connection: Int = 1,
    ending outcome: JournalEntry.Outcome = .completed, source: JournalEntry.Source = .none,
    as ordinal: Int = 1, head: Int64? = nil, isRead: Bool = true
  ) {
    let words = line.split(separator: " ")
    var request = RequestHead(
      method: Method(Array(words[0].utf8)), target: Array(words[1].utf8), version: .http11)
    for (name, value) in fields { request.fields.append(name, value) }
    if !request.fields.contains(.host) { request.fields.append("Host", "a.test") }
    var entry = journal.begin(
      JournalEntry.Beginning(
        request, connection: connection, ordinal: ordinal, received_ns: start * 1_000_000,
        receivedAt_us: 784_111_777_000_000 + start * 1000))
    Array(content.utf8).withUnsafeBytes { entry.append($0) }
    if isRead { entry.requestEnd_ns = start * 1_000_000 }
    entry.source = source
    if let status {
      var response = ResponseHead(status: status, reason: [], fields: FieldSection())
      for (name, value) in answer { response.fields.append(name, value) }
      entry.response = response
    }
    entry.head = head.map { .init(due_ns: $0 * 1_000_000, done_ns: $0 * 1_000_000) }
    if let end {
      entry.end_ns = end * 1_000_000
      entry.outcome = outcome
      entry.isSettled = true
    }
    journal.note(entry)
  }

  /// The checks that found something.
  var failed: [Verdict.Check] {
    Verdict(journal, limits: .init(connectionsMax: 2, attemptsMax: 2)).failed
  }

  func findings(
    _ check: Verdict.Check, limits: Verdict.Limits = .init(), unused: [Int64] = []
  ) -> [String] {
    Verdict(journal, unused: unused, limits: limits).findings(of: check).map(\.description)
  }
}
