import FixtureCassette

/// Reads whole bodies, one by one or in a sweep over the index of their pieces.
struct ContentRows {
  private let one: SQLiteStatement
  private let sweep: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(StoreError) {
    one = try SQLiteStatement(
      connection, "SELECT body_id, bytes FROM body_piece WHERE body_id = ?1 ORDER BY seq")
    sweep = try SQLiteStatement(
      connection,
      "SELECT body_id, bytes FROM body_piece WHERE body_id BETWEEN ?1 AND ?2 ORDER BY body_id, seq"
    )
  }

  /// Hands out the bytes of bodies with their places in `bodies`. One whose pieces don't add up to
  /// its size is left out.
  /// - Parameter bodies: with ascending ids, without repeats.
  func forEach(
    _ bodies: ArraySlice<StoredContent>, _ body: (Int, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) {
    guard let first = bodies.first, let last = bodies.last else { return }
    // A row that is swept over costs a tenth of one that is looked for.
    if last.id - first.id < Int64(bodies.count) * 8, bodies.count > 1 {
      return try sweep(bodies, from: first.id, to: last.id, body)
    }
    for place in bodies.indices {
      defer { one.reset() }
      try one.bind(1, bodies[place].id)
      guard try one.step() else { continue }
      _ = try hand(out: one, bodies[place]) { body(place, $0) }
    }
  }

  private func sweep(
    _ bodies: ArraySlice<StoredContent>, from first: Int64, to last: Int64,
    _ body: (Int, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) {
    defer { sweep.reset() }
    try sweep.bind(1, first)
    try sweep.bind(2, last)
    var isAtRow = try sweep.step()
    for place in bodies.indices {
      while isAtRow, sweep.integer(0) < bodies[place].id { isAtRow = try sweep.step() }
      guard isAtRow else { return }
      if sweep.integer(0) == bodies[place].id {
        isAtRow = try hand(out: sweep, bodies[place]) { body(place, $0) }
      }
    }
  }

  /// - Parameter rows: at the body's first piece, and afterwards at a row behind it.
  /// - Returns: whether there is such a row.
  private func hand(
    out rows: SQLiteStatement, _ stored: StoredContent, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) -> Bool {
    let first = rows.columnBytes(1)
    if Int64(first.count) == stored.size {
      // Nearly every body: where SQLite has it.
      body(first)
      return try rows.step()
    }
    var bytes = Array(first)
    var isAtRow = try rows.step()
    while isAtRow, rows.integer(0) == stored.id, Int64(bytes.count) <= stored.size {
      rows.withBytes(1) { bytes.append(contentsOf: $0) }
      isAtRow = try rows.step()
    }
    if Int64(bytes.count) == stored.size { bytes.withUnsafeBytes { body($0) } }
    return isAtRow
  }
}
