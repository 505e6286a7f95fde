import FixtureCassette
import FixtureHTTP

/// Reads what matching needs of interactions, one by one or in a sweep.
struct RequestRows {
  private static let columns = """
    SELECT interaction.id, upstream, method, target, request_fields, request_body, size, sha256,
      status, outcome, notes, authority, response_fields
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
          notes: notes, hasResponse: !row.isNull(8), outcome: outcome),
        status: row.isNull(8) ? nil : Int(row.integer(8)),
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
