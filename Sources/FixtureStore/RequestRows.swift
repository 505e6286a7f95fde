import FixtureCassette
import FixtureHTTP

/// Reads what matching needs of interactions, one by one or in a sweep.
struct RequestRows {
  private static let columns = """
    SELECT interaction.id, upstream, method, target, request_fields, request_body, size, sha256,
      status IS NOT NULL, outcome, notes, authority, response_fields
    FROM interaction LEFT JOIN body ON body.id = request_body
    """

  private let one: SQLiteStatement
  private let sweep: SQLiteStatement
  /// Nearly all rows name the upstream of the row before, and have its outcome and notes.
  private var upstream: String?
  private var outcome = Outcome.complete
  private var notes: Set<Interaction.Note> = []
  private var notesText: [UInt8] = []

  init(_ connection: SQLiteConnection) throws(StoreError) {
    one = try SQLiteStatement(connection, Self.columns + " WHERE interaction.id = ?1")
    sweep = try SQLiteStatement(
      connection, Self.columns + " WHERE interaction.id BETWEEN ?1 AND ?2 ORDER BY interaction.id")
  }

  /// - Parameter ids: ascending.
  /// - Throws: `.interactionMissing` when there is no such row.
  mutating func forEach(
    of ids: [Int64], path: String, _ body: (RequestRow) -> Void
  ) throws(StoreError) {
    guard let first = ids.first, let last = ids.last else { return }
    // A row that is swept over costs a tenth of one that is looked for.
    if last - first < Int64(ids.count) * 8, ids.count > 1 {
      return try sweep(ids, from: first, to: last, path: path, body)
    }
    for id in ids {
      defer { one.reset() }
      try one.bind(1, id)
      guard try one.step() else { throw .interactionMissing(path: path, id: id) }
      hand(out: one, body)
    }
  }

  private mutating func sweep(
    _ ids: [Int64], from first: Int64, to last: Int64, path: String, _ body: (RequestRow) -> Void
  ) throws(StoreError) {
    defer { sweep.reset() }
    try sweep.bind(1, first)
    try sweep.bind(2, last)
    for id in ids {
      repeat {
        guard try sweep.step() else { throw .interactionMissing(path: path, id: id) }
      } while sweep.integer(0) < id
      guard sweep.integer(0) == id else { throw .interactionMissing(path: path, id: id) }
      hand(out: sweep, body)
    }
  }

  private mutating func hand(out row: SQLiteStatement, _ body: (RequestRow) -> Void) {
    if row.isNull(1) {
      upstream = nil
    } else if upstream.map({ !row.equals(1, $0) }) ?? true {
      upstream = row.text(1)
    }
    takeEnding(row)
    // SQLite keeps them all until the next step.
    let digest = row.columnBytes(7)
    // A body that is not there, or whose digest is none, is reported when it is played.
    let hasBody = !row.isNull(5) && digest.count == 32
    body(
      RequestRow(
        id: row.integer(0), upstream: upstream, authority: row.columnBytes(11),
        method: row.withBytes(2) { Method($0) }, target: row.columnBytes(3),
        fields: StoredFields(row.columnBytes(4)),
        body: hasBody
          ? RequestRow.Body(id: row.integer(5), size: row.integer(6), digest: digest) : nil,
        notes: notes,
        isPlayable: Interaction.isPlayable(
          notes: notes, hasResponse: row.integer(8) != 0, outcome: outcome),
        responseFields: StoredFields(row.columnBytes(12))))
  }

  /// Words that are unknown are reported when the interaction is played.
  private mutating func takeEnding(_ row: SQLiteStatement) {
    if !row.equals(9, outcome.rawValue) {
      outcome = Outcome(rawValue: row.text(9)) ?? .complete
    }
    let isSame = row.withBytes(10) { $0.elementsEqual(notesText) }
    guard !isSame else { return }
    notesText = row.bytes(10)
    notes = Set(
      row.text(10).split(separator: " ").compactMap { Interaction.Note(rawValue: String($0)) })
  }
}

/// Reads whole bodies in a sweep over the index of their pieces.
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

  /// - Parameter ids: ascending, without repeats. One without pieces is left out.
  func forEach(
    of ids: [Int64], _ body: (Int64, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) {
    guard let first = ids.first, let last = ids.last else { return }
    if last - first < Int64(ids.count) * 8, ids.count > 1 {
      return try sweep(ids, from: first, to: last, body)
    }
    for id in ids {
      defer { one.reset() }
      try one.bind(1, id)
      guard try one.step() else { continue }
      _ = try hand(out: one, id, body)
    }
  }

  private func sweep(
    _ ids: [Int64], from first: Int64, to last: Int64,
    _ body: (Int64, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) {
    defer { sweep.reset() }
    try sweep.bind(1, first)
    try sweep.bind(2, last)
    var isAtRow = try sweep.step()
    for id in ids {
      while isAtRow, sweep.integer(0) < id { isAtRow = try sweep.step() }
      guard isAtRow else { return }
      if sweep.integer(0) == id { isAtRow = try hand(out: sweep, id, body) }
    }
  }

  /// - Parameter rows: at the body's first piece, and afterwards at the row behind its last one.
  /// - Returns: whether there is such a row.
  private func hand(
    out rows: SQLiteStatement, _ id: Int64, _ body: (Int64, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) -> Bool {
    // Most bodies have one piece, which is handed out where it lies if nothing follows; that is
    // known only after another step, which would move it.
    var bytes = rows.bytes(1)
    var isAtRow = try rows.step()
    while isAtRow, rows.integer(0) == id {
      rows.withBytes(1) { bytes.append(contentsOf: $0) }
      isAtRow = try rows.step()
    }
    bytes.withUnsafeBytes { body(id, $0) }
    return isAtRow
  }
}
