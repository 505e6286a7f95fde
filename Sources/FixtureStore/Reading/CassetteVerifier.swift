import FixtureCassette

/// Checks everything in a cassette, and finishes what an interrupted recording left unfinished.
package enum CassetteVerifier {
  /// Checks a cassette without changing it: SQLite's structure, the schema, every interaction,
  /// every body's pieces, size and SHA-256, and that everything belongs to something.
  ///
  /// Reads the whole file once; memory doesn't follow its size but for a few bytes an interaction.
  /// - Throws: what `CassetteReader` refuses; failures to read. Damage is a finding.
  package static func verify(path: String) throws(StoreError) -> VerificationReport {
    let reader = try CassetteReader(path: path)
    var report = VerificationReport()
    try checkIntegrity(reader, &report)
    try checkInteractions(reader, &report)
    try checkBodies(reader, &report)
    try checkUse(reader, &report)
    return report
  }

  /// Makes a cassette out of what an interrupted recording left: moves its log into the file,
  /// removes what belongs to no interaction, and removes the side files. A file that needs none of
  /// it is not changed.
  /// - Returns: what was done, in order.
  /// - Throws: refusals that leave the file unchanged, SQLITE_BUSY when the recording still runs;
  ///   after any other failure it can be repeated.
  package static func repair(path: String) throws(StoreError) -> [RepairAction] {
    try CassetteOpening.checkFile(path: path)
    let connection = try SQLiteConnection(path: path, mode: .readWrite)
    let asksForLog = try CassetteOpening.checkHeader(connection)
    let hasJournal = try FileSystem.kind(path: connection.resolvedPath + "-journal") != nil
    let hasLog = try FileSystem.kind(path: connection.resolvedPath + "-wal") != nil
    try CassetteOpening.harden(connection)
    // Nobody else may have the file open: what a running recorder streams belongs to no
    // interaction yet.
    try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    try connection.execute("BEGIN EXCLUSIVE")
    try CassetteOpening.checkSchema(connection)
    try connection.execute("COMMIT")
    var actions: [RepairAction] = hasJournal ? [.rolledBack] : []
    if asksForLog || hasLog, let pages = try moveLog(connection), pages > 0 {
      actions.append(.movedLog(pages: pages))
    }
    if let removal = try UnusedRows.removeAll(connection) {
      actions.append(removal)
      try connection.giveBackFreePages()
    }
    if asksForLog || hasLog {
      if !asksForLog { try takeOverLog(connection) }
      try connection.leaveLogMode()
      // A killed process leaves its index of the log too. Nobody else has the file open, so nobody
      // uses it, and this connection never did.
      FileSystem.remove(path: connection.resolvedPath + "-shm")
      actions.append(.leftLogMode)
    }
    return actions
  }
}

extension CassetteVerifier {
  private static func checkIntegrity(
    _ reader: CassetteReader, _ report: inout VerificationReport
  ) throws(StoreError) {
    let check = try SQLiteStatement(
      reader.connection, "PRAGMA integrity_check(\(StoreLimits.findingsMax))")
    while try check.step() {
      let message = check.text(0)
      if message != "ok" { report.add(.integrity(message)) }
    }
  }

  private static func checkInteractions(
    _ reader: CassetteReader, _ report: inout VerificationReport
  ) throws(StoreError) {
    for id in try reader.interactionIDs() {
      report.interactions += 1
      do {
        _ = try reader.interaction(id: id)
      } catch .valueInvalid(_, "interim", _, _) {
        report.add(.interimInvalid(interaction: id))
      } catch .valueInvalid(_, _, _, let column) {
        report.add(.interactionInvalid(id: id, column: column))
      }
    }
  }

  private static func checkBodies(
    _ reader: CassetteReader, _ report: inout VerificationReport
  ) throws(StoreError) {
    let pieces = try SQLiteStatement(
      reader.connection,
      """
      SELECT body_id, seq FROM body_piece
      WHERE length(bytes) NOT BETWEEN 1 AND \(BodyLimits.pieceBytesMax) ORDER BY body_id, seq
      """)
    while try pieces.step() {
      report.add(.pieceSize(body: pieces.integer(0), seq: pieces.integer(1)))
    }
    let bodies = try SQLiteStatement(reader.connection, "SELECT id FROM body ORDER BY id")
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: BodyLimits.pieceBytesMax, alignment: 8)
    defer { buffer.deallocate() }
    while try bodies.step() {
      let id = bodies.integer(0)
      report.bodies += 1
      do {
        // Only what was read: a damaged row can claim any size.
        report.bodyBytes += try readWhole(id, reader, through: buffer)
      } catch .bodyAltered {
        report.add(.bodyAltered(id: id))
      } catch .bodyDamaged {
        report.add(.bodyIncomplete(id: id))
      }
    }
  }

  /// Reads a body from its beginning to its end, which makes the reader check it.
  /// - Returns: its size.
  private static func readWhole(
    _ body: Int64, _ reader: CassetteReader, through buffer: UnsafeMutableRawBufferPointer
  ) throws(StoreError) -> Int64 {
    var offset: Int64 = 0
    while true {
      let count = try reader.read(body: body, offset: offset, into: buffer)
      if count == 0 { return offset }
      offset += Int64(count)
    }
  }

  private static func checkUse(
    _ reader: CassetteReader, _ report: inout VerificationReport
  ) throws(StoreError) {
    func rows(_ unused: UnusedRows, _ finding: (Int64) -> Finding) throws(StoreError) {
      let statement = try SQLiteStatement(reader.connection, unused.select)
      while try statement.step() { report.add(finding(statement.integer(0))) }
    }
    try rows(.bodies) { .unusedBody(id: $0) }
    try rows(.pieces) { .unusedPieces(body: $0) }
    try rows(.interims) { .unusedInterims(interaction: $0) }
  }

  /// A log beside a file that does not ask for one is opened by the first read in log mode, and
  /// removed when that mode is left.
  private static func takeOverLog(_ connection: SQLiteConnection) throws(StoreError) {
    _ = try connection.text("PRAGMA journal_mode = WAL")
    _ = try connection.integer("SELECT count(*) FROM meta")
  }

  /// - Returns: how many pages the log held.
  private static func moveLog(_ connection: SQLiteConnection) throws(StoreError) -> Int64? {
    let statement = try SQLiteStatement(connection, "PRAGMA wal_checkpoint(FULL)")
    return try statement.step() ? statement.integer(1) : nil
  }
}
