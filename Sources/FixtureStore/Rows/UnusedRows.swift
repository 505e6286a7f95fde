/// Rows that belong to nothing: left over where a recording was interrupted or failed.
enum UnusedRows {
  /// Bodies that no interaction names.
  case bodies
  /// Pieces of a body that does not exist.
  case pieces
  /// Interim responses of an interaction that does not exist.
  case interims

  /// Gives the id of what the rows should belong to, or of the body itself, ascending.
  var select: String { "SELECT DISTINCT \(key) FROM \(table) WHERE \(condition) ORDER BY 1" }
  var delete: String { "DELETE FROM \(table) WHERE \(condition)" }

  /// Removes them all in one transaction.
  /// - Returns: nil when there was nothing to remove, and nothing was written.
  static func removeAll(_ connection: SQLiteConnection) throws(StoreError) -> RepairAction? {
    try connection.execute("BEGIN IMMEDIATE")
    // Bodies first: their pieces are unused only then.
    let bodies = try UnusedRows.bodies.remove(connection)
    let pieces = try UnusedRows.pieces.remove(connection)
    let interims = try UnusedRows.interims.remove(connection)
    try connection.execute("COMMIT")
    if bodies == 0, pieces == 0, interims == 0 { return nil }
    return .removed(bodies: bodies, pieces: pieces, interims: interims)
  }

  /// - Returns: how many rows were removed; with none, nothing was written.
  func remove(_ connection: SQLiteConnection) throws(StoreError) -> Int64 {
    guard try connection.integer(select) != nil else { return 0 }
    try connection.execute(delete)
    return connection.changes
  }

  private var table: String {
    switch self {
    case .bodies: "body"
    case .pieces: "body_piece"
    case .interims: "interim"
    }
  }

  private var key: String {
    switch self {
    case .bodies: "id"
    case .pieces: "body_id"
    case .interims: "interaction_id"
    }
  }

  private var condition: String {
    switch self {
    case .bodies:
      """
      id NOT IN (SELECT request_body FROM interaction WHERE request_body IS NOT NULL
        UNION SELECT response_body FROM interaction WHERE response_body IS NOT NULL)
      """
    case .pieces: "body_id NOT IN (SELECT id FROM body)"
    case .interims: "interaction_id NOT IN (SELECT id FROM interaction)"
    }
  }
}
