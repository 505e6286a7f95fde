import CFixtureSQLite

/// A prepared statement. Columns count from 0, parameters from 1, as in SQLite.
final class SQLiteStatement {
  private let connection: SQLiteConnection
  private let handle: OpaquePointer
  private let sql: String

  init(_ connection: SQLiteConnection, _ sql: String) throws(StoreError) {
    self.connection = connection
    self.sql = sql
    var handle: OpaquePointer?
    try connection.call("sqlite3_prepare_v3", sql: sql) {
      sqlite3_prepare_v3(
        connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    }
    guard let handle else { preconditionFailure("no statement in \(sql)") }
    self.handle = handle
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ index: Int32, _ value: Int64?) throws(StoreError) {
    try connection.call("sqlite3_bind_int64", sql: sql) {
      value.map { sqlite3_bind_int64(handle, index, $0) } ?? sqlite3_bind_null(handle, index)
    }
  }

  /// Binds a BLOB; the bytes are copied.
  func bind(_ index: Int32, _ bytes: [UInt8]?) throws(StoreError) {
    guard let bytes else { return try bind(index, nil as Int64?) }
    try connection.call("sqlite3_bind_blob", sql: sql) {
      // A nil pointer would bind NULL, and an empty value is not an absent one.
      bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, index, 0)
        : fixture_sqlite_bind_blob(handle, index, bytes, Int32(bytes.count))
    }
  }

  func bind(_ index: Int32, _ text: String?) throws(StoreError) {
    guard let text else { return try bind(index, nil as Int64?) }
    try bind(index, text: Array(text.utf8))
  }

  /// Binds TEXT given as UTF-8; the bytes are copied.
  func bind(_ index: Int32, text: [UInt8]) throws(StoreError) {
    try connection.call("sqlite3_bind_text", sql: sql) {
      text.withUnsafeBytes {
        // A nil pointer would bind NULL, and empty text is not an absent one.
        $0.isEmpty
          ? fixture_sqlite_bind_text(handle, index, "", 0)
          : fixture_sqlite_bind_text(
            handle, index, $0.assumingMemoryBound(to: CChar.self).baseAddress, Int32($0.count))
      }
    }
  }

  /// Goes to the next row.
  /// - Returns: whether there is one. Call `reset` before the statement is used again.
  func step() throws(StoreError) -> Bool {
    try connection.call("sqlite3_step", sql: sql) { sqlite3_step(handle) } == SQLITE_ROW
  }

  /// Runs a statement that gives no rows, and makes it ready for the next time.
  func run() throws(StoreError) {
    defer { reset() }
    _ = try step()
  }

  /// Makes the statement ready for the next time. Its code only repeats what `step` reported.
  func reset() { sqlite3_reset(handle) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { Array($0) } }

  /// UTF-8 that is damaged is replaced by U+FFFD.
  func text(_ column: Int32) -> String {
    withBytes(column) { String(decoding: $0, as: UTF8.self) }
  }

  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// Whether the column holds just this text.
  func equals(_ column: Int32, _ text: String) -> Bool {
    withBytes(column) { $0.elementsEqual(text.utf8) }
  }

  /// The column's bytes where SQLite holds them, valid until the statement steps or is reset, and
  /// as long as no other type is asked of the column. TEXT must be UTF-8 in the file.
  func columnBytes(_ column: Int32) -> UnsafeRawBufferPointer {
    // The pointer first: asking for it may convert the value, and the count is that of the result.
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// The column's bytes where SQLite holds them, valid inside `body` only.
  func withBytes<Result>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    body(columnBytes(column))
  }
}
