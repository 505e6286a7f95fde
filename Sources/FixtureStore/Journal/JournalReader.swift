import CFixtureSQLite
import FixtureHTTP

/// Reads a journal file, also one that is being written or that a kill left.
package final class JournalReader {
  private let connection: SQLiteConnection

  /// - Throws: `.notJournal`, or why it can't be opened.
  package init(path: String) throws(StoreError) {
    switch try FileSystem.kind(path: path) {
    case nil: throw .journalNotFound(path: path)
    case .regular(size: 0), .other: throw .notJournal(path: path)
    case .regular: break
    }
    let connection = try SQLiteConnection(path: path, mode: .readOnly)
    self.connection = connection
    guard let version = try Self.version(connection) else { throw .notJournal(path: path) }
    guard version == JournalFormat.version else {
      throw .journalFormat(path: path, version: version)
    }
    try CassetteOpening.harden(connection)
    // One state of the file for all that is read.
    try connection.execute("BEGIN")
  }

  /// The format version by the file header alone, before any query; nil for what is no journal.
  static func version(_ connection: SQLiteConnection) throws(StoreError) -> Int64? {
    let header = try connection.fileHeader(count: 100)
    func number(at offset: Int) -> Int64 {
      header[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int64($1) }
    }
    guard header.starts(with: Array("SQLite format 3\0".utf8)),
      number(at: 68) == JournalFormat.applicationID
    else { return nil }
    return number(at: 60)
  }

  package func sessions() throws(StoreError) -> [JournalRow.Session] {
    let row = try SQLiteStatement(
      connection,
      "SELECT id, name, cassette, began_at, seed, dropped, reset_after FROM session ORDER BY id")
    var sessions: [JournalRow.Session] = []
    while try row.step() {
      sessions.append(
        JournalRow.Session(
          id: row.integer(0), name: row.text(1), cassette: row.text(2),
          beganAt_us: row.integer(3), seed: row.optionalText(4).flatMap { UInt64($0) },
          dropped: row.integer(5), resetAfter: row.integer(6)))
    }
    return sessions
  }

  /// The rules that a session had, one set after the other.
  package func rules(of session: Int64) throws(StoreError) -> [JournalRow.Rules] {
    let row = try SQLiteStatement(
      connection,
      """
      SELECT rule_set.number, seed, rule.text, rule.origin FROM rule_set
        LEFT JOIN rule ON rule.session = rule_set.session AND rule_set = rule_set.number
      WHERE rule_set.session = ?1 ORDER BY rule_set.number, rule.number
      """)
    try row.bind(1, session)
    var sets: [JournalRow.Rules] = []
    while try row.step() {
      var lines: [JournalRow.Rules.Line] = []
      if sets.last?.number == row.integer(0) { lines = sets.removeLast().lines }
      if !row.isNull(2) {
        lines.append(JournalRow.Rules.Line(text: row.text(2), origin: row.optionalText(3)))
      }
      sets.append(
        JournalRow.Rules(
          session: session, number: row.integer(0), seed: UInt64(row.text(1)) ?? 0, lines: lines))
    }
    return sets
  }

  /// How many exchanges a session has here.
  package func exchangeCount(of session: Int64) throws(StoreError) -> Int64 {
    let row = try SQLiteStatement(
      connection, "SELECT coalesce(sum(count), 0) FROM block WHERE session = ?1")
    try row.bind(1, session)
    return try row.step() ? row.integer(0) : 0
  }

  /// The exchanges of a session that ended last, at most `limit` of them, by their numbers.
  package func lastExchanges(
    of session: Int64, limit: Int
  ) throws(StoreError) -> [JournalRow.Exchange] {
    let row = try SQLiteStatement(
      connection, "SELECT id, count FROM block WHERE session = ?1 ORDER BY id DESC")
    try row.bind(1, session)
    var first: Int64 = 0
    var count: Int64 = 0
    while count < limit, try row.step() {
      first = row.integer(0)
      count += row.integer(1)
    }
    var exchanges: [JournalRow.Exchange] = []
    try self.exchanges(of: session, fromBlock: first) { exchanges.append($0) }
    return Array(exchanges.suffix(limit))
  }

  /// Calls `body` with the exchanges of a session in the order of their numbers.
  package func exchanges(
    of session: Int64, fromBlock first: Int64 = 0, _ body: (JournalRow.Exchange) -> Void
  ) throws(StoreError) {
    let row = try SQLiteStatement(
      connection,
      """
      SELECT session, number, connection, ordinal, concurrent, request, content_size,
        content_sha256, response, source, interaction, play, plays, miss, rule_set, rules,
        overruled, draws, received_us, request_end_us, head_due_us, head_done_us, last_due_us,
        last_done_us, end_us, head_bytes, body_bytes, outcome, departure, rebases
      FROM (\(JournalFormat.exchangeQuery)) WHERE session = ?1 AND block >= ?2 ORDER BY number
      """)
    try row.bind(1, session)
    try row.bind(2, first)
    while try row.step() { body(Self.exchange(row)) }
  }

  private static func exchange(_ row: SQLiteStatement) -> JournalRow.Exchange {
    JournalRow.Exchange(
      session: row.integer(0), number: row.integer(1), connection: row.integer(2),
      ordinal: row.integer(3), concurrent: row.integer(4), request: row.integer(5),
      contentSize: row.integer(6), contentDigest: row.optionalText(7),
      response: row.optionalInteger(8), source: source(row),
      ruleSet: row.optionalInteger(14), rules: row.text(15), overruled: row.optionalText(16),
      draws: row.optionalText(17), received_us: row.integer(18),
      requestEnd_us: row.optionalInteger(19), head: moment(row, 20), last: moment(row, 22),
      end_us: row.optionalInteger(24), headBytes: row.integer(25), bodyBytes: row.integer(26),
      outcome: row.text(27), departure: row.optionalText(28), rebases: row.integer(29))
  }

  private static func source(_ row: SQLiteStatement) -> JournalRow.Source {
    switch row.text(9) {
    case "interaction":
      .interaction(row.integer(10), play: row.integer(11), of: row.integer(12))
    case "rules": .rules
    case "miss": .miss(row.text(13))
    default: .none
    }
  }

  private static func moment(_ row: SQLiteStatement, _ column: Int32) -> JournalRow.Moment? {
    guard !row.isNull(column), !row.isNull(column + 1) else { return nil }
    return JournalRow.Moment(due_us: row.integer(column), done_us: row.integer(column + 1))
  }

  /// nil when there is none. Fields are lines as stored.
  package func request(
    _ id: Int64
  ) throws(StoreError) -> (method: [UInt8], target: [UInt8], fields: [UInt8])? {
    let row = try SQLiteStatement(
      connection, "SELECT method, target, fields FROM request WHERE id = ?1")
    try row.bind(1, id)
    return try row.step() ? (row.bytes(0), row.bytes(1), row.bytes(2)) : nil
  }

  /// nil when there is none. Fields are lines as stored.
  package func response(_ id: Int64) throws(StoreError) -> (status: Int64, fields: [UInt8])? {
    let row = try SQLiteStatement(
      connection, "SELECT status, fields FROM response WHERE id = ?1")
    try row.bind(1, id)
    return try row.step() ? (row.integer(0), row.bytes(1)) : nil
  }
}
