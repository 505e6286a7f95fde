import CFixtureSQLite

/// One SQLite connection, and the only place where SQLite calls that can fail are made: each one
/// passes through `call`, which checks its code and lets tests fail it.
///
/// Not Sendable, opened without SQLite's own mutex: it is used by one thread at a time. SQLite
/// repeats system calls interrupted by a signal itself, so no EINTR comes out of it.
final class SQLiteConnection {
  enum Mode {
    case readOnly, readWrite
  }

  /// As the user gave it, for messages.
  let path: String
  let handle: OpaquePointer
  let conditions: TestConditions?

  /// Opens an existing file; runs no query and reads no page. Never creates one.
  init(path: String, mode: Mode, conditions: TestConditions? = nil) throws(StoreError) {
    self.path = path
    self.conditions = conditions
    var handle: OpaquePointer?
    let flags =
      (mode == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE)
      | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let injected = conditions?.next()
    let code = injected ?? sqlite3_open_v2(Self.plain(path), &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      let message = String(cString: handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
      // SQLite gives a handle for a failed open too, and it has to be closed.
      sqlite3_close_v2(handle)
      throw .sqlite(
        SQLiteFailure(
          path: path, function: "sqlite3_open_v2", code: code, message: message, sql: nil))
    }
    self.handle = handle
  }

  deinit {
    // A close that fails has nothing left to tell: whoever needs the file to be in order asked
    // for the checkpoint and the journal mode before, and those report.
    sqlite3_close_v2(handle)
  }

  /// Makes one call and checks its code.
  /// - Returns: SQLITE_OK, SQLITE_ROW or SQLITE_DONE.
  /// - Throws: `.sqlite` for any other code.
  @discardableResult
  func call(
    _ function: StaticString, sql: String? = nil, _ perform: () -> Int32
  ) throws(StoreError) -> Int32 {
    let injected = conditions?.next()
    let code = injected ?? perform()
    switch code {
    case SQLITE_OK, SQLITE_ROW, SQLITE_DONE: return code
    default:
      let message = injected == nil ? sqlite3_errmsg(handle) : sqlite3_errstr(code)
      throw .sqlite(
        SQLiteFailure(
          path: path, function: "\(function)", code: code,
          message: String(cString: message ?? sqlite3_errstr(code)), sql: sql))
    }
  }

  /// Runs statements that give no rows.
  func execute(_ sql: String) throws(StoreError) {
    try call("sqlite3_exec", sql: sql) { sqlite3_exec(handle, sql, nil, nil, nil) }
  }

  /// The first column of the first row; nil when there is no row or it is NULL.
  func text(_ sql: String) throws(StoreError) -> String? {
    let statement = try SQLiteStatement(self, sql)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.text(0)
  }

  /// The first column of the first row; nil when there is no row or it is NULL.
  func integer(_ sql: String) throws(StoreError) -> Int64? {
    let statement = try SQLiteStatement(self, sql)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.integer(0)
  }

  /// Sets one of the flags of sqlite3_db_config.
  func setFlag(_ option: Int32, _ value: Bool) throws(StoreError) {
    try call("sqlite3_db_config") { fixture_sqlite_set_flag(handle, option, value ? 1 : 0) }
  }

  /// The first bytes of the main file, read without a query; zeros where the file is shorter.
  func fileHeader(count: Int) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try call("sqlite3_file xRead") {
      fixture_sqlite_read_file(handle, &bytes, Int32(count), 0)
    }
    return bytes
  }

  /// Whether some connection, in any process, has begun to write to the main file.
  func isReserved() throws(StoreError) -> Bool {
    var result: Int32 = 0
    try call("sqlite3_file xCheckReservedLock") { fixture_sqlite_is_reserved(handle, &result) }
    return result != 0
  }

  /// The main file's absolute path with symbolic links followed: side files lie beside that one.
  var resolvedPath: String {
    sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? path
  }

  /// Whether a transaction begun with BEGIN is still open; some errors end it by themselves.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// How many rows the last statement changed.
  var changes: Int64 { sqlite3_changes64(handle) }

  /// The path in a form SQLite takes as a plain file name: `:memory:`, an empty name and `file:`
  /// URIs mean something else to it.
  private static func plain(_ path: String) -> String {
    path.hasPrefix("/") ? path : "./" + path
  }
}
