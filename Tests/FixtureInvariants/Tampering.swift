import CFixtureSQLite

/// Changes a cassette as any program with SQLite could: with no regard for what the format allows.
final class Tampering {
  enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
  }

  private let connection: OpaquePointer

  init(path: String) {
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let connection else { fatalError("open: \(code)") }
    self.connection = connection
    run("PRAGMA ignore_check_constraints = ON")
    run("PRAGMA journal_mode = OFF")
    run("PRAGMA synchronous = OFF")
    run("PRAGMA writable_schema = ON")
  }

  deinit { sqlite3_close_v2(connection) }

  /// Runs one statement with these parameters; whatever SQLite refuses is not done.
  func run(_ sql: String, _ values: Value...) {
    rows(sql, values) { _ in }
  }

  /// The first two columns of every row, as text.
  func pairs(_ sql: String) -> [(String, String)] {
    var pairs: [(String, String)] = []
    rows(sql, []) { statement in
      let columns = (0...1).map { sqlite3_column_text(statement, $0) }
      pairs.append((columns[0].map(text) ?? "", columns[1].map(text) ?? ""))
    }
    return pairs
  }

  private func text(_ start: UnsafePointer<UInt8>) -> String { String(cString: start) }

  private func rows(_ sql: String, _ values: [Value], _ body: (OpaquePointer) -> Void) {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else {
      fatalError("\(sql): \(code) \(String(cString: sqlite3_errmsg(connection)))")
    }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() { bind(value, at: Int32(index + 1), statement) }
    while sqlite3_step(statement) == SQLITE_ROW { body(statement) }
  }

  private func bind(_ value: Value, at index: Int32, _ statement: OpaquePointer) {
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .real(let number): sqlite3_bind_double(statement, index, number)
    case .text(let bytes):
      let characters = bytes.map { CChar(bitPattern: $0) } + [0]
      fixture_sqlite_bind_text(statement, index, characters, Int32(bytes.count))
    case .blob(let bytes):
      fixture_sqlite_bind_blob(statement, index, bytes + [0], Int32(bytes.count))
    }
  }
}
