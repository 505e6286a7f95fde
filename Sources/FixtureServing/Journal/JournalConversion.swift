import FixtureCassette
import FixtureHTTP
import FixtureReplay
import FixtureStore
import Synchronization

/// Makes rows of what waits in a queue. Used by the writer's thread alone.
final class JournalConversion: Sendable {
  private struct State {
    /// By session, what the file says.
    var dropped: [Int64: Int64] = [:]
    var resetAfter: [Int64: Int64] = [:]
    /// By session, the rules that the file has.
    var rules: [Int64: Set<Int>] = [:]
    var requests = KnownHeads<RequestHead>()
    var responses = KnownHeads<ResponseHead>()
    var sources: [JournalRow.Source: Int64] = [:]
    var rows: [JournalRow] = []
    /// By session.
    var blocks: [Int64: [JournalBlock]] = [:]
  }

  private let queue: JournalQueue
  private let state = Mutex(State())

  init(_ queue: JournalQueue) {
    self.queue = queue
  }

  func rows() -> [JournalRow] {
    // Before the items: what blocks name is among those then.
    let changed = queue.takeChanged().map { ($0.row.id, $0.take()) }
    let items = queue.takeItems()
    return state.withLock { state in
      for (session, changes) in changed { state.blocks[session] = changes.blocks }
      for item in items { take(item, &state) }
      for (session, blocks) in state.blocks {
        for block in blocks {
          state.rows.append(.block(session: session, count: block.count, block.text))
        }
      }
      for (session, changes) in changed where changes.dropped != state.dropped[session] ?? 0 {
        state.dropped[session] = changes.dropped
        state.rows.append(.dropped(session: session, count: changes.dropped))
      }
      for (session, changes) in changed
      where changes.resetAfter != state.resetAfter[session] ?? 0 {
        state.resetAfter[session] = changes.resetAfter
        state.rows.append(.reset(session: session, after: changes.resetAfter))
      }
      state.blocks = [:]
      var rows: [JournalRow] = []
      swap(&rows, &state.rows)
      return rows
    }
  }

  private func take(_ item: JournalQueue.Item, _ state: inout State) {
    switch item {
    case .session(let session): state.rows.append(.session(session.row))
    case .rules(let session, let rules): tell(rules, of: session, &state)
    case .asked(let session, let asked):
      add(asked.request, [], as: asked.requestID.load(ordering: .relaxed), session, &state)
      let source = JournalRow.Source(asked.source, session.redaction)
      let id = asked.sourceID.load(ordering: .relaxed)
      state.rows.append(.source(id: id, source))
    case .answered(let session, let answered):
      let id = answered.responseID.load(ordering: .relaxed)
      add(answered.response, as: id, session, &state)
    case .exchange(let session, let entry): add(entry, of: session, &state)
    }
  }

  private func tell(_ rules: RuleSet, of session: JournaledSession, _ state: inout State) {
    guard state.rules[session.row.id, default: []].insert(rules.number).inserted else { return }
    state.rows.append(
      .rules(
        JournalRow.Rules(
          session: session.row.id, number: Int64(rules.number), seed: rules.seed,
          lines: rules.rules.map {
            JournalRow.Rules.Line(text: session.redaction.redacted($0.text), origin: $0.origin)
          })))
  }

  private func add(_ entry: JournalEntry, of session: JournaledSession, _ state: inout State) {
    if let ruling = entry.ruling { tell(ruling.set, of: session, &state) }
    let shared = JournalBlock.Shared(
      request: id(of: entry.request, entry.content, session, &state),
      source: id(of: JournalRow.Source(entry.source, session.redaction), &state),
      response: entry.response.map { id(of: $0, session, &state) })
    let isWhole = entry.contentCount > 0 && Int64(entry.content.count) == entry.contentCount
    var block = state.blocks[session.row.id]?.popLast() ?? JournalBlock()
    if block.isFull {
      state.blocks[session.row.id, default: []].append(block)
      block = JournalBlock()
    }
    block.append(
      entry, shared, began_ns: session.began_ns,
      digest: isWhole ? SHA256.digest(of: entry.content).hexadecimal : nil,
      redacted: session.redaction.redacted)
    state.blocks[session.row.id, default: []].append(block)
  }

  // MARK: What exchanges share

  private func id(
    of request: RequestHead, _ content: [UInt8], _ session: JournaledSession, _ state: inout State
  ) -> Int64 {
    if let id = state.requests.id(of: request, by: session.redaction) { return id }
    let id = queue.requests.add(1, ordering: .relaxed).newValue
    add(request, content, as: id, session, &state)
    return id
  }

  private func add(
    _ request: RequestHead, _ content: [UInt8], as id: Int64, _ session: JournaledSession,
    _ state: inout State
  ) {
    state.requests.insert(request, by: session.redaction, as: id)
    let redacted = session.redaction.redacted(request, content: content)
    state.rows.append(.request(id: id, redacted))
  }

  private func id(
    of response: ResponseHead, _ session: JournaledSession, _ state: inout State
  ) -> Int64 {
    if let id = state.responses.id(of: response, by: session.redaction) { return id }
    let id = queue.responses.add(1, ordering: .relaxed).newValue
    add(response, as: id, session, &state)
    return id
  }

  private func add(
    _ response: ResponseHead, as id: Int64, _ session: JournaledSession, _ state: inout State
  ) {
    state.responses.insert(response, by: session.redaction, as: id)
    state.rows.append(.response(id: id, session.redaction.redacted(response)))
  }

  private func id(of source: JournalRow.Source, _ state: inout State) -> Int64 {
    if let id = state.sources[source] { return id }
    // As for heads; a line about a miss is some hundred bytes.
    if state.sources.count > 10_000 { state.sources = [:] }
    let id = queue.sources.add(1, ordering: .relaxed).newValue
    state.sources[source] = id
    state.rows.append(.source(id: id, source))
    return id
  }
}

extension [UInt8] {
  fileprivate var hexadecimal: String {
    var text: [UInt8] = []
    for byte in self {
      for digit in [byte >> 4, byte & 15] { text.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
    }
    return String(decoding: text, as: UTF8.self)
  }
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
  private var bytes = 0

  /// nil for one that is not known.
  func id(of head: Head, by redaction: JournalRedaction) -> Int64? {
    guard let entry = known[head.journalHash], entry.redaction === redaction, entry.head == head
    else { return nil }
    return entry.id
  }

  mutating func insert(_ head: Head, by redaction: JournalRedaction, as id: Int64) {
    // When full, all of it goes: what is in use returns.
    if bytes > Self.bytesMax { (known, bytes) = ([:], 0) }
    known[head.journalHash] = (head, redaction, id)
    bytes += head.fields.bytes.count + 200
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
