import FixtureCassette

/// Fills a new, empty file.
enum CassetteCreation {
  /// Writes schema and meta in one transaction through a rollback journal, so that the file alone
  /// is a valid cassette before the first interaction comes.
  static func write(
    _ connection: SQLiteConnection, _ description: CassetteDescription, createdBy: String,
    createdAt_us: Int64?
  ) throws(StoreError) {
    try CassetteOpening.harden(connection)
    // Three pieces of 2 KiB share a page; one would fill SQLite's usual 4 KiB alone.
    try connection.execute("PRAGMA page_size = 8192")
    // So that the space of abandoned bodies can be given back without rewriting the file.
    try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    if let pagesMax = connection.conditions?.pagesMax {
      try connection.execute("PRAGMA max_page_count = \(pagesMax)")
    }
    try connection.execute("BEGIN IMMEDIATE")
    try connection.execute("PRAGMA application_id = \(CassetteFormat.applicationID)")
    try connection.execute("PRAGMA user_version = \(CassetteFormat.version)")
    for object in CassetteFormat.objects { try connection.execute(object.sql) }
    let origin = try SQLiteStatement(
      connection,
      """
      INSERT INTO meta(key, value) VALUES ('created_by', ?1),
        ('created_at', strftime('%Y-%m-%dT%H:%M:%SZ', ?2, 'unixepoch'))
      """)
    try origin.bind(1, createdBy)
    try origin.bind(2, (createdAt_us ?? currentDate_us()) / 1_000_000)
    try origin.run()
    try CassetteMeta.write(description, connection)
    try connection.execute("COMMIT")
  }
}
