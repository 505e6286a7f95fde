import FixtureCassette
import FixtureHTTP
import FixtureReplay
import FixtureStore
import Synchronization

/// Makes rows of what was journaled. Used by the writer's thread alone.
final class JournalConversion: Sendable {
  private struct State {
    var sessions: [JournaledSession] = []
    /// By session, what the file says.
    var dropped: [Int64] = []
    /// By session, the rules that the file has.
    var rules: [Int64: Set<Int>] = [:]
    var requests = KnownHeads<RequestHead>()
    var responses = KnownHeads<ResponseHead>()
  }

  private let state = Mutex(State())

  func rows(of items: [JournalItem]) -> [JournalRow] {
    state.withLock { state in
      var rows: [JournalRow] = []
      rows.reserveCapacity(items.count + 8)
      for item in items {
        switch item {
        case .session(let session): Self.begin(session, &state, &rows)
        case .rules(let session, let rules): Self.tell(rules, of: session, &state, &rows)
        case .exchange(let session, let entry):
          let exchange = Self.exchange(session, entry, &state, &rows)
          rows.append(.exchange(exchange))
        }
      }
      for (index, session) in state.sessions.enumerated() {
        let count = session.dropped.load(ordering: .relaxed)
        guard count != state.dropped[index] else { continue }
        state.dropped[index] = count
        rows.append(.dropped(session: session.row.id, count: count))
      }
      return rows
    }
  }

  private static func begin(
    _ session: JournaledSession, _ state: inout State, _ rows: inout [JournalRow]
  ) {
    state.sessions.append(session)
    state.dropped.append(0)
    rows.append(.session(session.row))
  }

  private static func tell(
    _ rules: RuleSet, of session: JournaledSession, _ state: inout State, _ rows: inout [JournalRow]
  ) {
    guard state.rules[session.row.id, default: []].insert(rules.number).inserted else { return }
    rows.append(
      .rules(
        JournalRow.Rules(
          session: session.row.id, number: Int64(rules.number), seed: rules.seed,
          lines: rules.rules.map {
            JournalRow.Rules.Line(text: session.redaction.redacted($0.text), origin: $0.origin)
          })))
  }

  private static func exchange(
    _ session: JournaledSession, _ entry: JournalEntry, _ state: inout State,
    _ rows: inout [JournalRow]
  ) -> JournalRow.Exchange {
    let redaction = session.redaction
    let ruling = entry.ruling
    if let ruling { tell(ruling.set, of: session, &state, &rows) }
    let request = state.requests.id(of: entry.request, by: redaction) { id in
      rows.append(.request(id: id, redaction.redacted(entry.request, content: entry.content)))
    }
    let response = entry.response.map { response in
      state.responses.id(of: response, by: redaction) { id in
        rows.append(.response(id: id, redaction.redacted(response)))
      }
    }
    let began_ns = session.began_ns
    func moment(_ moment: JournalEntry.Moment) -> JournalRow.Moment {
      JournalRow.Moment(
        due_us: (moment.due_ns - began_ns) / 1000, done_us: (moment.done_ns - began_ns) / 1000)
    }
    let isWhole = entry.contentCount > 0 && Int64(entry.content.count) == entry.contentCount
    return JournalRow.Exchange(
      session: session.row.id, number: Int64(entry.number), connection: Int64(entry.connection),
      ordinal: Int64(entry.ordinal), concurrent: Int64(entry.concurrent), request: request,
      contentSize: entry.contentCount,
      contentDigest: isWhole ? SHA256.digest(of: entry.content) : nil, response: response,
      source: JournalRow.Source(entry.source, redaction),
      ruleSet: ruling.map { Int64($0.set.number) },
      rules: ruling.map { $0.rules.map(String.init).joined(separator: " ") } ?? "",
      overruled: ruling.flatMap { ruling in
        ruling.overruled.isEmpty
          ? nil : redaction.redacted(ruling.overruled.joined(separator: ", "))
      }, draws: ruling.flatMap { $0.draws.isEmpty ? nil : json($0.draws) },
      received_us: (entry.received_ns - began_ns) / 1000,
      requestEnd_us: entry.requestEnd_ns.map { ($0 - began_ns) / 1000 },
      head: entry.head.map(moment), last: entry.last.map(moment),
      end_us: entry.end_ns.map { ($0 - began_ns) / 1000 }, headBytes: entry.headBytesSent,
      bodyBytes: entry.bodyBytesSent, outcome: entry.outcome.rawValue)
  }
}

private func json(_ draws: [Draw]) -> String {
  var json = JSONText()
  draws.write(to: &json)
  return json.description
}

extension JournalRow.Source {
  fileprivate init(_ source: JournalEntry.Source, _ redaction: JournalRedaction) {
    self =
      switch source {
      case .none: .none
      case .interaction(let id, let ordinal, let count):
        .interaction(id, play: Int64(ordinal), of: Int64(count))
      case .rules: .rules
      case .miss(let text): .miss(redaction.redacted(text))
      }
  }
}

/// Heads that are in the file, so that equal ones share a row. Of bounded size.
private struct KnownHeads<Head: JournaledHead> {
  private var known: [UInt64: (head: Head, redaction: JournalRedaction, id: Int64)] = [:]
  private var last: Int64 = 0
  private var bytes = 0

  /// - Parameter add: called with the id of a head that is not known.
  mutating func id(
    of head: Head, by redaction: JournalRedaction, add: (Int64) -> Void
  ) -> Int64 {
    let hash = head.journalHash
    if let entry = known[hash], entry.redaction === redaction, entry.head == head {
      return entry.id
    }
    last += 1
    // When full, all of it goes: what is in use returns.
    if bytes > Self.bytesMax { (known, bytes) = ([:], 0) }
    known[hash] = (head, redaction, last)
    bytes += head.fields.bytes.count + 200
    add(last)
    return last
  }

  private static var bytesMax: Int { 8 << 20 }
}

private protocol JournaledHead: Equatable {
  var fields: FieldSection { get }
  var journalHash: UInt64 { get }
}

extension RequestHead: JournaledHead {
  fileprivate var journalHash: UInt64 {
    StableHash.value(of: fields.bytes) ^ StableHash.value(of: target) &* 31
  }
}

extension ResponseHead: JournaledHead {
  fileprivate var journalHash: UInt64 {
    StableHash.value(of: fields.bytes) ^ UInt64(truncatingIfNeeded: status) &* 31
  }
}
