import CFixtureSQLite
import FixtureCassette

/// The writing side of a cassette file: transactions, the log, and what is written where.
/// Used by one thread at a time, the one that has the turn of the writer's queue.
final class WriterConnection {
  let path: String
  /// One more than the highest interaction id.
  let nextID: Int64
  private let connection: SQLiteConnection
  private let bodies: BodyRows
  private let interactions: InteractionRows
  private let begin: SQLiteStatement
  private let commit: SQLiteStatement
  private var stage: Stage
  /// Pages in the log after the last commit, kept up to date by SQLite's hook.
  private let logPages: UnsafeMutablePointer<Int32>
  /// In the log, where a header goes before each page.
  private let pageBytes: Int64
  private var writeback: LogWriteback?

  private enum Stage {
    /// The right to write is taken, by a transaction that changes nothing.
    case reserved
    /// The write-ahead log is in use.
    case writing
  }

  /// - Parameters:
  ///   - connection: open for writing, with the schema, no transaction.
  ///   - writesAtOnce: false to leave the file as it is until there is work.
  init(
    _ connection: SQLiteConnection, durability: Durability, writesAtOnce: Bool
  ) throws(StoreError) {
    self.connection = connection
    path = connection.path
    try Self.configure(connection, durability: durability)
    if writesAtOnce { try Self.enterLogMode(connection) } else { try Self.reserve(connection) }
    stage = writesAtOnce ? .writing : .reserved
    pageBytes = (try connection.integer("PRAGMA page_size") ?? 0) + 24
    nextID = (try connection.integer("SELECT max(id) FROM interaction") ?? 0) + 1
    bodies = try BodyRows(connection)
    interactions = try InteractionRows(connection)
    begin = try SQLiteStatement(connection, "BEGIN IMMEDIATE")
    commit = try SQLiteStatement(connection, "COMMIT")
    logPages = .allocate(capacity: 1)
    logPages.initialize(to: 0)
    sqlite3_wal_hook(
      connection.handle,
      { context, _, _, pages in
        context?.assumingMemoryBound(to: Int32.self).pointee = pages
        return SQLITE_OK
      }, logPages)
  }

  deinit {
    sqlite3_wal_hook(connection.handle, nil, nil)
    logPages.deallocate()
  }

  /// Whether so much is in the log that it has to be moved into the file.
  var isLogFull: Bool { Int(logPages.pointee) >= StoreLimits.logPagesMax }

  /// Performs work in one transaction: after a throw nothing of it is in the file.
  func perform(_ batch: [WriterQueue.Work]) throws(StoreError) {
    do {
      if stage == .reserved {
        try connection.execute("ROLLBACK")
        try Self.enterLogMode(connection)
        stage = .writing
      }
      try begin.run()
      for work in batch { try perform(work) }
      try commit.run()
    } catch {
      rollBack()
      throw error
    }
    if writeback == nil { writeback = LogWriteback(path: connection.resolvedPath + "-wal") }
    writeback?.logIsLong(Int64(logPages.pointee) * pageBytes)
  }

  private func perform(_ work: WriterQueue.Work) throws(StoreError) {
    switch work {
    case .append(let bytes, let token): try bodies.append(bytes, to: token)
    case .abandon(let token): try bodies.abandon(token)
    case .describe(let description): try describe(description)
    case .commit(let drafts, _):
      for draft in drafts {
        try interactions.insert(
          draft.interaction, requestBody: try bodies.store(draft.requestBody),
          responseBody: try bodies.store(draft.responseBody))
      }
    }
  }

  private func describe(_ description: CassetteDescription) throws(StoreError) {
    try CassetteMeta.write(description, connection)
  }

  /// Moves the log into the file as far as no reader is in the way. The log's space is then used
  /// again from its start.
  func moveLog() throws(StoreError) {
    try connection.call("sqlite3_wal_checkpoint_v2") {
      let code = sqlite3_wal_checkpoint_v2(
        connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
      // Somebody else is just moving it.
      return code == SQLITE_BUSY ? SQLITE_OK : code
    }
    logPages.pointee = 0
  }

  /// Removes what is left of streamed bodies, then leaves one file that any reader may open.
  /// - Parameter hasFailed: work was rolled back, whose bodies may have been streamed before it.
  func finish(hasFailed: Bool) throws(StoreError) {
    guard stage == .writing else { return rollBack() }
    do {
      try begin.run()
      try bodies.abandonAll()
      if hasFailed { _ = try UnusedRows.pieces.remove(connection) }
      try commit.run()
    } catch {
      rollBack()
      throw error
    }
    try connection.giveBackFreePages()
    try connection.leaveLogMode()
  }

  private static func configure(
    _ connection: SQLiteConnection, durability: Durability
  ) throws(StoreError) {
    let level = durability == .power ? "FULL" : "NORMAL"
    try connection.execute("PRAGMA synchronous = \(level)")
    // What was deleted is zeroed in pages that stay; whole free pages are given back at the end.
    try connection.execute("PRAGMA secure_delete = FAST")
  }

  /// Takes the right to write, for which nobody else may have the file open at this moment, and
  /// keeps it. Nothing is written; the journal of a transaction begins with its first change.
  private static func reserve(_ connection: SQLiteConnection) throws(StoreError) {
    try FileSystem.checkFolderIsWritable(of: connection.resolvedPath)
    try connection.execute("BEGIN EXCLUSIVE")
    try connection.execute("ROLLBACK")
    try connection.execute("BEGIN IMMEDIATE")
  }

  /// Switches to the write-ahead log. The file has its whole schema before, without the log.
  private static func enterLogMode(_ connection: SQLiteConnection) throws(StoreError) {
    guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
      throw connection.busy("PRAGMA journal_mode = WAL")
    }
    // The writer's thread decides when the log is moved, after it has told what is committed.
    try connection.call("sqlite3_wal_autocheckpoint") {
      sqlite3_wal_autocheckpoint(connection.handle, 0)
    }
  }

  /// Ends a transaction that failed, unless SQLite has ended it. If even that fails, closing the
  /// connection does it.
  private func rollBack() {
    guard connection.isInTransaction else { return }
    // The failure that led here is the one to report.
    try? connection.execute("ROLLBACK")
  }
}

extension SQLiteConnection {
  /// Moves the whole log into the file and removes the side files.
  func leaveLogMode() throws(StoreError) {
    let sql = "PRAGMA journal_mode = DELETE"
    guard try text(sql) == "delete" else { throw busy(sql) }
  }

  /// Makes the file as small as what it holds; costs as much as there is to give back.
  func giveBackFreePages() throws(StoreError) {
    guard try integer("PRAGMA freelist_count") ?? 0 > 0 else { return }
    try execute("PRAGMA incremental_vacuum")
  }

  /// SQLite answers with the mode it stays in when another connection is in the way.
  fileprivate func busy(_ sql: String) -> StoreError {
    .sqlite(
      SQLiteFailure(
        path: path, function: "sqlite3_step", code: SQLITE_BUSY,
        message: String(cString: sqlite3_errstr(SQLITE_BUSY)), sql: sql))
  }
}
