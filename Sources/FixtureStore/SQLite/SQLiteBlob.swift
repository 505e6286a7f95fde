import CFixtureSQLite

/// One BLOB opened for incremental reading; moves from row to row of the same column.
final class SQLiteBlob {
  private let connection: SQLiteConnection
  private let handle: OpaquePointer
  /// The row the handle is at; nil after moving failed, when SQLite has aborted the handle.
  private(set) var row: Int64?

  init(
    _ connection: SQLiteConnection, table: String, column: String, row: Int64
  ) throws(StoreError) {
    self.connection = connection
    var handle: OpaquePointer?
    do {
      try connection.call("sqlite3_blob_open") {
        sqlite3_blob_open(connection.handle, "main", table, column, row, 0, &handle)
      }
    } catch {
      sqlite3_blob_close(handle)
      throw error
    }
    guard let handle else { preconditionFailure("sqlite3_blob_open gave no handle") }
    self.handle = handle
    self.row = row
  }

  deinit { sqlite3_blob_close(handle) }

  var count: Int { Int(sqlite3_blob_bytes(handle)) }

  func move(to row: Int64) throws(StoreError) {
    self.row = nil
    try connection.call("sqlite3_blob_reopen") { sqlite3_blob_reopen(handle, row) }
    self.row = row
  }

  /// Fills `buffer` from `offset`. The range has to lie inside the BLOB.
  func read(into buffer: UnsafeMutableRawBufferPointer, offset: Int) throws(StoreError) {
    try connection.call("sqlite3_blob_read") {
      sqlite3_blob_read(handle, buffer.baseAddress, Int32(buffer.count), Int32(offset))
    }
  }
}
