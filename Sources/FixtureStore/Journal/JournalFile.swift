import CFixtureSQLite
import FixtureHTTP

/// The writing side of a journal file. Used by one thread at a time.
///
/// Each batch is one transaction in a write-ahead log, so that a process that is killed loses no
/// more than what it had not written yet, and others may read meanwhile.
final class JournalFile {
  private let connection: SQLiteConnection
  private let insertSession: SQLiteStatement
  private let insertRuleSet: SQLiteStatement
  private let insertRule: SQLiteStatement
  private let insertRequest: SQLiteStatement
  private let insertResponse: SQLiteStatement
  private let insertSource: SQLiteStatement
  private let insertBlock: SQLiteStatement
  private let updateDropped: SQLiteStatement
  private let updateReset: SQLiteStatement
  private let begin: SQLiteStatement
  private let commit: SQLiteStatement

  /// Makes a new file, in the place of a journal if one is there.
  /// - Parameter createdBy: the program and its version.
  /// - Throws: `.notJournal` when something else lies there, `.journalInUse` when another process
  ///   writes to it.
  init(creating path: String, createdBy: String) throws(StoreError) {
    try Self.removeJournal(path: path)
    try FileSystem.createExclusively(path: path, permissionsOf: nil)
    connection = try SQLiteConnection(path: path, mode: .readWrite)
    try CassetteOpening.harden(connection)
    try connection.execute("PRAGMA page_size = 8192")
    try connection.execute("BEGIN IMMEDIATE")
    try connection.execute("PRAGMA application_id = \(JournalFormat.applicationID)")
    try connection.execute("PRAGMA user_version = \(JournalFormat.version)")
    for sql in JournalFormat.objects { try connection.execute(sql) }
    try connection.execute("COMMIT")
    try connection.execute("PRAGMA synchronous = NORMAL")
    guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
      throw .journalInUse(path: path)
    }
    // Through the log: from then on others see that the file is in use.
    let meta = try SQLiteStatement(
      connection, "INSERT INTO meta(key, value) VALUES ('created_by', ?1)")
    try meta.bind(1, createdBy)
    try meta.run()
    insertSession = try SQLiteStatement(
      connection,
      """
      INSERT INTO session(id, name, cassette, began_at, seed, dropped, reset_after)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    insertRuleSet = try SQLiteStatement(
      connection, "INSERT INTO rule_set(session, number, seed) VALUES (?1, ?2, ?3)")
    insertRule = try SQLiteStatement(
      connection,
      "INSERT INTO rule(session, rule_set, number, text, origin) VALUES (?1, ?2, ?3, ?4, ?5)")
    insertRequest = try SQLiteStatement(
      connection,
      "INSERT INTO request(id, method, target, http_version, fields) VALUES (?1, ?2, ?3, ?4, ?5)")
    insertResponse = try SQLiteStatement(
      connection, "INSERT INTO response(id, status, reason, fields) VALUES (?1, ?2, ?3, ?4)")
    insertSource = try SQLiteStatement(
      connection,
      """
      INSERT INTO source(id, source, interaction, play, plays, miss)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    insertBlock = try SQLiteStatement(
      connection, "INSERT INTO block(session, count, exchanges) VALUES (?1, ?2, ?3)")
    updateDropped = try SQLiteStatement(
      connection, "UPDATE session SET dropped = ?2 WHERE id = ?1")
    updateReset = try SQLiteStatement(
      connection, "UPDATE session SET reset_after = ?2 WHERE id = ?1")
    begin = try SQLiteStatement(connection, "BEGIN IMMEDIATE")
    commit = try SQLiteStatement(connection, "COMMIT")
  }

  /// Nothing but a journal is ever removed.
  private static func removeJournal(path: String) throws(StoreError) {
    switch try FileSystem.kind(path: path) {
    case nil: return
    case .regular(size: 0), .other: throw .notJournal(path: path)
    case .regular: break
    }
    let old = try SQLiteConnection(path: path, mode: .readWrite)
    guard let version = try JournalReader.version(old) else { throw .notJournal(path: path) }
    // It may hold what we can't read; whoever wrote it can.
    guard version <= JournalFormat.version else {
      throw .journalFormat(path: path, version: version)
    }
    do throws(StoreError) {
      // Refused while another connection has it open. What a kill left beside it goes with it.
      try old.leaveLogMode()
    } catch {
      if case .sqlite(let failure) = error, failure.isBusy { throw .journalInUse(path: path) }
      throw error
    }
    FileSystem.remove(path: path)
  }

  /// Writes rows in one transaction: after a throw none of them is in the file.
  func write(_ rows: [JournalRow]) throws(StoreError) {
    do {
      try begin.run()
      for row in rows { try write(row) }
      try commit.run()
    } catch {
      // The failure that led here is the one to report.
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      throw error
    }
  }

  private func write(_ row: JournalRow) throws(StoreError) {
    switch row {
    case .session(let session):
      try insertSession.bind(1, session.id)
      try insertSession.bind(2, session.name)
      try insertSession.bind(3, session.cassette)
      try insertSession.bind(4, session.beganAt_us)
      try insertSession.bind(5, session.seed.map { String($0) })
      try insertSession.bind(6, session.dropped)
      try insertSession.bind(7, session.resetAfter)
      try insertSession.run()
    case .rules(let rules): try write(rules)
    case .request(let id, let head):
      try insertRequest.bind(1, id)
      try insertRequest.bind(2, text: head.method.bytes)
      try insertRequest.bind(3, head.target)
      try insertRequest.bind(4, head.version.description)
      try insertRequest.bind(5, head.fields.bytes)
      try insertRequest.run()
    case .response(let id, let head):
      try insertResponse.bind(1, id)
      try insertResponse.bind(2, Int64(head.status))
      try insertResponse.bind(3, head.reason)
      try insertResponse.bind(4, head.fields.bytes)
      try insertResponse.run()
    case .source(let id, let source): try write(source, as: id)
    case .block(let session, let count, let text):
      try insertBlock.bind(1, session)
      try insertBlock.bind(2, count)
      try insertBlock.bind(3, text: text)
      try insertBlock.run()
    case .dropped(let session, let count):
      try updateDropped.bind(1, session)
      try updateDropped.bind(2, count)
      try updateDropped.run()
    case .reset(let session, let number):
      try updateReset.bind(1, session)
      try updateReset.bind(2, number)
      try updateReset.run()
    }
  }

  private func write(_ rules: JournalRow.Rules) throws(StoreError) {
    try insertRuleSet.bind(1, rules.session)
    try insertRuleSet.bind(2, rules.number)
    try insertRuleSet.bind(3, String(rules.seed))
    try insertRuleSet.run()
    for (index, line) in rules.lines.enumerated() {
      try insertRule.bind(1, rules.session)
      try insertRule.bind(2, rules.number)
      try insertRule.bind(3, Int64(index + 1))
      try insertRule.bind(4, line.text)
      try insertRule.bind(5, line.origin)
      try insertRule.run()
    }
  }

  private func write(_ source: JournalRow.Source, as id: Int64) throws(StoreError) {
    var numbers: (Int64, Int64, Int64)?
    var miss: String?
    let word: String
    switch source {
    case .none: word = "none"
    case .interaction(let id, let play, let plays):
      word = "interaction"
      numbers = (id, play, plays)
    case .rules: word = "rules"
    case .miss(let text):
      word = "miss"
      miss = text
    }
    try insertSource.bind(1, id)
    try insertSource.bind(2, word)
    try insertSource.bind(3, numbers?.0)
    try insertSource.bind(4, numbers?.1)
    try insertSource.bind(5, numbers?.2)
    try insertSource.bind(6, miss)
    try insertSource.run()
  }

  /// Leaves one file without side files, unless somebody reads it: then the log stays beside it,
  /// and nothing is missing either.
  func finish() throws(StoreError) {
    do {
      try connection.leaveLogMode()
    } catch .sqlite(let failure) where failure.isBusy {
      return
    }
  }
}
