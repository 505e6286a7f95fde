import FixtureHTTP
import FixtureReplay
import FixtureStore

/// What a journal file proves about the client of one of its sessions, by the same checks as a
/// replay's verdict, of as many exchanges as that has.
struct ReportVerdict {
  let verdict: Verdict
  /// What the file does not tell, in a sentence each.
  private(set) var notes: [String] = []
  /// A file may say more, but no replay has written it.
  private static let droppedMax: Int64 = 1 << 60

  /// - Parameters:
  ///   - last: the last exchanges of the session.
  ///   - earlier: how many there were before them.
  /// - Throws: why the file can't be read.
  init(
    _ session: JournalRow.Session, _ last: [JournalRow.Exchange], earlier: Int64,
    _ reader: JournalReader, _ limits: Verdict.Limits
  ) throws(StoreError) {
    let exchanges = last.filter { $0.number > session.resetAfter }
    var heads = Heads(reader: reader)
    var attempts: [Verdict.Attempt] = []
    attempts.reserveCapacity(exchanges.count)
    for exchange in exchanges {
      guard let request = try heads.request(exchange.request) else { continue }
      let response = try exchange.response.flatMap { (id) throws(StoreError) in
        try heads.response(id)
      }
      attempts.append(exchange.attempt(request, response, began_us: session.beganAt_us))
    }
    verdict = Verdict(
      attempts, unused: nil,
      dropped: Int(clamping: session.dropped.clamped(to: 0...Self.droppedMax) + earlier),
      limits: limits)
    if session.resetAfter > 0 {
      notes.append("Exchanges up to \(session.resetAfter) were forgotten by a reset.")
    }
    let unknown = exchanges.count { $0.contentSize > 0 && $0.contentDigest == nil }
    if unknown > 0 {
      notes.append(
        "The file does not tell what \(unknown) of the requests had as content, so repeats of "
          + "them are not seen.")
    }
    if exchanges.contains(where: { $0.contentDigest != nil }) {
      notes.append(
        "Contents are compared byte for byte: of JSON in another order the file does not tell that "
          + "it is the same.")
    }
    notes.append(
      "Exchanges that were open when the file was read or its replay was killed are not in it.")
  }

  /// As the page reads it.
  func write(to json: inout JSONText) {
    json.member("verdict") { verdict.write(to: &$0) }
    json.member("verdict_notes") { json in
      json.array { json in for note in notes { json.string(note.utf8) } }
    }
  }

  /// Many exchanges share a head.
  private struct Heads {
    let reader: JournalReader
    private var requests: [Int64: RequestHead] = [:]
    private var responses: [Int64: ResponseHead] = [:]

    init(reader: JournalReader) { self.reader = reader }

    mutating func request(_ id: Int64) throws(StoreError) -> RequestHead? {
      if let head = requests[id] { return head }
      guard let row = try reader.request(id) else { return nil }
      let head = RequestHead(
        method: Method(row.method), target: row.target, fields: Self.fields(row.fields))
      requests[id] = head
      return head
    }

    mutating func response(_ id: Int64) throws(StoreError) -> ResponseHead? {
      if let head = responses[id] { return head }
      guard let row = try reader.response(id) else { return nil }
      let head = ResponseHead(
        status: Int(clamping: row.status), reason: [], fields: Self.fields(row.fields))
      responses[id] = head
      return head
    }

    /// Lines that are none, in a damaged file, are none of a request's either.
    private static func fields(_ lines: [UInt8]) -> FieldSection {
      do {
        return try FieldSection(stored: lines)
      } catch {
        return FieldSection()
      }
    }
  }
}

extension JournalRow.Exchange {
  fileprivate func attempt(
    _ request: RequestHead, _ response: ResponseHead?, began_us: Int64
  ) -> Verdict.Attempt {
    var missing: String?
    if case .miss(let text) = source { missing = text }
    return Verdict.Attempt(
      number: Int(clamping: number), connection: Int(clamping: connection),
      ordinal: Int(clamping: ordinal), request: request, response: response,
      received_ns: Self.nanoseconds(received_us),
      receivedAt_us: (Self.nanoseconds(began_us) + Self.nanoseconds(received_us)) / 1000,
      head_ns: head.map { Self.nanoseconds($0.done_us) }, end_ns: end_us.map(Self.nanoseconds),
      outcome: JournalEntry.Outcome(rawValue: outcome) ?? .stopped,
      wasRead: requestEnd_us != nil, isSilent: headBytes == 0 && bodyBytes == 0 && response == nil,
      digest: contentSize == 0 ? [] : contentDigest.map { Array($0.utf8) },
      miss: missing)
  }

  /// A file may say anything, and differences of instants must not be too large for their type.
  private static func nanoseconds(_ at_us: Int64) -> Int64 {
    at_us.clamped(to: 0...4_000_000_000_000_000) * 1000
  }
}

extension Int64 {
  fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
