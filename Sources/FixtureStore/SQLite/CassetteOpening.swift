import CFixtureSQLite

/// How cassette files are opened: what is refused, in which order, before the first query runs.
enum CassetteOpening {
  /// Where SQLite's file header keeps what we look at (the SQLite manual, "Database File Format").
  private enum Header {
    static let count = 100
    static let magic = Array("SQLite format 3\0".utf8)
    static let pageSize = 16..<18
    /// Write and read version: 2 where the journal is a write-ahead log.
    static let versions = 18...19
    static let writeAheadLog: UInt8 = 2
    static let changeCounter = 24..<28
    static let pageCount = 28..<32
    static let userVersion = 60
    static let applicationID = 68
    /// The change counter at which the page count was right.
    static let pageCountValidFor = 92..<96
  }

  /// Suffixes of the files SQLite keeps beside a database while it is being written. A `-shm` alone
  /// holds no data.
  static let sideFileSuffixes = ["-wal", "-journal"]

  /// Refuses what is not a file with something in it.
  static func checkFile(path: String) throws(StoreError) {
    switch try FileSystem.kind(path: path) {
    case nil: throw .notFound(path: path)
    case .other: throw .notRegularFile(path: path)
    case .regular(size: 0): throw .emptyFile(path: path)
    case .regular: break
    }
  }

  /// Refuses a file that is being recorded, and one with a side file beside it: SQLite would take
  /// that one into account, and could only do so by writing.
  static func checkNoRecording(_ connection: SQLiteConnection) throws(StoreError) {
    for suffix in sideFileSuffixes
    where try FileSystem.kind(path: connection.resolvedPath + suffix) != nil {
      throw .sideFile(path: connection.path, sideFile: connection.path + suffix)
    }
    if try connection.isReserved() { throw .inUse(path: connection.path) }
  }

  /// Refuses what is not a cassette of a version we know, by its file header alone.
  /// - Returns: whether the header asks for a write-ahead log.
  static func checkHeader(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
    let header = try connection.fileHeader(count: Header.count)
    guard header.starts(with: Header.magic),
      bigEndian(header, at: Header.applicationID) == CassetteFormat.applicationID
    else { throw .notCassette(path: connection.path) }
    let version = bigEndian(header, at: Header.userVersion)
    if version > CassetteFormat.version {
      throw .formatNewer(path: connection.path, version: version)
    }
    if version < 1 { throw .formatUnknown(path: connection.path, version: version) }
    return header[Header.versions].contains(Header.writeAheadLog)
  }

  /// Refuses a finished file that has lost its end: SQLite takes what is missing of its last page
  /// for zeros.
  static func checkWhole(_ connection: SQLiteConnection) throws(StoreError) {
    let header = try connection.fileHeader(count: Header.count)
    let pageSize = header[Header.pageSize].reduce(0) { $0 << 8 | Int64($1) }
    let pageCount = bigEndian(header, at: Header.pageCount.lowerBound)
    guard header[Header.changeCounter] == header[Header.pageCountValidFor],
      case .regular(let size) = try FileSystem.kind(path: connection.path)
    else { return }
    let expected = pageCount * (pageSize == 1 ? 65_536 : pageSize)
    if size < expected { throw .cutShort(path: connection.path, size: size, expected: expected) }
  }

  /// Makes SQLite distrust the file: nothing in its schema may run with our rights or change the
  /// file behind our back, and damaged pages are noticed early.
  static func harden(_ connection: SQLiteConnection) throws(StoreError) {
    try connection.setFlag(SQLITE_DBCONFIG_DEFENSIVE, true)
    try connection.setFlag(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    try connection.setFlag(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    try connection.setFlag(SQLITE_DBCONFIG_ENABLE_VIEW, false)
    sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, Int32(StoreLimits.valueBytesMax))
    try connection.execute("PRAGMA cell_size_check = ON")
    sqlite3_busy_timeout(connection.handle, StoreLimits.busyTimeout_ms)
    // Another process that truncates a mapped file would kill us (SIGBUS).
    try connection.execute("PRAGMA mmap_size = 0")
    // No temporary file beside or away from the cassette, which may hold what it holds.
    try connection.execute("PRAGMA temp_store = MEMORY")
  }

  /// Compares the schema with the format's, word for word. Anything more is refused too: a table,
  /// view, index or trigger of somebody else is no business of a cassette.
  static func checkSchema(_ connection: SQLiteConnection) throws(StoreError) {
    let statement = try SQLiteStatement(
      connection, "SELECT type, name, tbl_name, sql FROM sqlite_schema")
    var missing = CassetteFormat.objects
    while try statement.step() {
      let found = CassetteFormat.Object(
        type: statement.text(0), name: statement.text(1), table: statement.text(2),
        sql: statement.text(3))
      guard let index = missing.firstIndex(of: found) else {
        throw .schemaForeign(path: connection.path, object: "\(found.type) \(found.name)")
      }
      missing.remove(at: index)
    }
    if let object = missing.first {
      throw .schemaForeign(path: connection.path, object: "\(object.type) \(object.name)")
    }
  }

  /// Refuses a file to which nothing can be added, because ids count up from the highest.
  static func checkRoom(_ connection: SQLiteConnection) throws(StoreError) {
    // Pieces without a body are left of a body whose interaction was never committed.
    for (table, column) in [("interaction", "id"), ("body", "id"), ("body_piece", "body_id")] {
      let last = try connection.integer("SELECT max(\(column)) FROM \(table)") ?? 0
      if last > StoreLimits.idMax {
        throw .valueInvalid(path: connection.path, table: table, id: last, column: column)
      }
    }
  }

  private static func bigEndian(_ bytes: [UInt8], at offset: Int) -> Int64 {
    bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int64($1) }
  }
}
