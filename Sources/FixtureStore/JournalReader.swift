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
    guard try Self.isJournal(connection) else { throw .notJournal(path: path) }
    try CassetteOpening.harden(connection)
    // One state of the file for all that is read.
    try connection.execute("BEGIN")
  }

  /// By the file header alone, before any query.
  static func isJournal(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
    let header = try connection.fileHeader(count: 100)
    func number(at offset: Int) -> Int64 {
      header[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int64($1) }
    }
    return header.starts(with: Array("SQLite format 3\0".utf8))
      && number(at: 68) == JournalFormat.applicationID && number(at: 60) == JournalFormat.version
  }

  package func sessions() throws(StoreError) -> [JournalRow.Session] {
    let row = try SQLiteStatement(
      connection,
      "SELECT id, name, cassette, began_at, seed, dropped FROM session ORDER BY id")
    var sessions: [JournalRow.Session] = []
    while try row.step() {
      sessions.append(
        JournalRow.Session(
          id: row.integer(0), name: row.text(1), cassette: row.text(2),
          beganAt_us: row.integer(3), seed: row.optionalText(4).flatMap { UInt64($0) },
          dropped: row.integer(5)))
    }
    return sessions
  }

  /// How many exchanges a session has here.
  package func exchangeCount(of session: Int64) throws(StoreError) -> Int64 {
    let row = try SQLiteStatement(
      connection, "SELECT count(*) FROM exchange WHERE session = ?1")
    try row.bind(1, session)
    return try row.step() ? row.integer(0) : 0
  }

  /// Calls `body` with the last exchanges of a session in order, at most `limit` of them.
  package func lastExchanges(
    of session: Int64, limit: Int64, _ body: (JournalRow.Exchange) -> Void
  ) throws(StoreError) {
    let row = try SQLiteStatement(
      connection,
      "SELECT number FROM exchange WHERE session = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2")
    try row.bind(1, session)
    try row.bind(2, limit - 1)
    try exchanges(of: session, from: try row.step() ? row.integer(0) : 0, body)
  }

  /// Calls `body` with the exchanges of a session in order, from `first` on.
  package func exchanges(
    of session: Int64, from first: Int64 = 0, _ body: (JournalRow.Exchange) -> Void
  ) throws(StoreError) {
    let row = try SQLiteStatement(
      connection,
      """
      SELECT session, number, connection, ordinal, concurrent, request, content_size,
        content_sha256, response, source, interaction, play, plays, miss, rules, overruled,
        received_us, request_end_us, head_due_us, head_done_us, last_due_us, last_done_us, end_us,
        head_bytes, body_bytes, outcome
      FROM exchange WHERE session = ?1 AND number >= ?2 ORDER BY number
      """)
    try row.bind(1, session)
    try row.bind(2, first)
    while try row.step() { body(Self.exchange(row)) }
  }

  private static func exchange(_ row: SQLiteStatement) -> JournalRow.Exchange {
    JournalRow.Exchange(
      session: row.integer(0), number: row.integer(1), connection: row.integer(2),
      ordinal: row.integer(3), concurrent: row.integer(4), request: row.integer(5),
      contentSize: row.integer(6), contentDigest: row.isNull(7) ? nil : row.bytes(7),
      response: row.optionalInteger(8), source: source(row), rules: row.text(14),
      overruled: row.optionalText(15), received_us: row.integer(16),
      requestEnd_us: row.optionalInteger(17), head: moment(row, 18), last: moment(row, 20),
      end_us: row.optionalInteger(22), headBytes: row.integer(23), bodyBytes: row.integer(24),
      outcome: row.text(25))
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
