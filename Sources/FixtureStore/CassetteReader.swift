import FixtureCassette
import FixtureHTTP
import Synchronization

/// Reads a cassette without ever writing: neither the file nor its folder changes, so read-only
/// disks and folders are fine and any number of readers may share a file.
///
/// Not Sendable: one for each thread. Memory follows what is asked for, not the cassette.
package final class CassetteReader {
  /// Whether somebody may write to the file meanwhile.
  package enum Access: Sendable {
    /// A finished cassette. A read transaction is held as long as the reader lives, so the file
    /// stays as it was when it was opened.
    case finished
    /// A cassette that a `CassetteWriter` of this process has open (`new-episodes`). Each call sees
    /// what is committed then, and holds no lock afterwards, so that the log can be emptied.
    /// Release the reader before the writer is closed.
    case besideWriter
  }

  package let path: String
  package let description: CassetteDescription
  /// `2025-01-31T12:00:00Z`
  package let createdAt: String
  /// Name and version of the program that made it.
  package let createdBy: String
  package let formatVersion = CassetteFormat.version

  let connection: SQLiteConnection
  let access: Access
  var bodies = BodyPositions()
  var openPiece: SQLiteBlob?
  let sizeStatement: SQLiteStatement
  let pieceStatement: SQLiteStatement
  private var requests: RequestRows
  private let contents: ContentRows
  private let interactionStatement: SQLiteStatement
  private let interimStatement: SQLiteStatement

  /// Opens a cassette.
  /// - Throws: one of the refusals of `StoreError`, which name the file and what to do; nothing
  ///   was changed.
  package init(
    path: String, access: Access = .finished, conditions: TestConditions? = nil
  ) throws(StoreError) {
    self.path = path
    self.access = access
    try CassetteOpening.checkFile(path: path)
    connection = try SQLiteConnection(path: path, mode: .readOnly, conditions: conditions)
    let asksForLog = try CassetteOpening.checkHeader(connection)
    if access == .finished {
      try CassetteOpening.checkNoRecording(connection)
      if asksForLog { throw .unfinished(path: path) }
      try CassetteOpening.checkWhole(connection)
    }
    try CassetteOpening.harden(connection)
    try connection.execute("PRAGMA query_only = ON")
    if access == .finished { try connection.execute("BEGIN") }
    try CassetteOpening.checkSchema(connection)
    let meta = try CassetteMeta.read(connection)
    description = meta.description
    createdAt = meta.createdAt
    createdBy = meta.createdBy
    requests = try RequestRows(connection)
    contents = try ContentRows(connection)
    interactionStatement = try SQLiteStatement(connection, InteractionRow.query)
    interimStatement = try SQLiteStatement(connection, InterimRow.query)
    sizeStatement = try SQLiteStatement(connection, "SELECT size, sha256 FROM body WHERE id = ?1")
    pieceStatement = try SQLiteStatement(
      connection,
      "SELECT id, seq, length(bytes) FROM body_piece WHERE body_id = ?1 ORDER BY seq")
  }

  /// Gives every interaction's summary, in id order.
  package func forEachSummary(_ body: (InteractionSummary) -> Void) throws(StoreError) {
    let statement = try SQLiteStatement(
      connection, "SELECT id, upstream, method, target, authority FROM interaction ORDER BY id")
    // Nearly all rows name the upstream of the row before, and its authority.
    var upstream: String?
    var authority = ""
    while try statement.step() {
      if statement.isNull(1) {
        upstream = nil
      } else if upstream.map({ !statement.equals(1, $0) }) ?? true {
        upstream = statement.text(1)
      }
      if !statement.equals(4, authority) { authority = statement.text(4) }
      body(
        InteractionSummary(
          id: statement.integer(0), upstream: upstream, authority: authority,
          method: statement.withBytes(2) { Method($0) }, target: statement.bytes(3)))
    }
  }

  /// All ids, ascending.
  package func interactionIDs() throws(StoreError) -> [Int64] {
    let statement = try SQLiteStatement(connection, "SELECT id FROM interaction ORDER BY id")
    var ids: [Int64] = []
    while try statement.step() { ids.append(statement.integer(0)) }
    return ids
  }
}

extension CassetteReader: InteractionSource {
  /// One whole interaction.
  /// - Throws: `.interactionMissing`; `.valueInvalid` when the row holds what may not be replayed.
  package func interaction(id: Int64) throws(StoreError) -> Interaction {
    defer { interactionStatement.reset() }
    try interactionStatement.bind(1, id)
    guard try interactionStatement.step() else { throw .interactionMissing(path: path, id: id) }
    var interaction = try InteractionRow(interactionStatement, path: path).interaction()
    interaction.interims = try interims(of: id)
    return interaction
  }

  package func forEachRequest(
    of ids: [Int64], _ body: (RequestRow) -> Void
  ) throws(StoreError) {
    try requests.forEach(of: ids, path: path, body)
  }

  /// A file that does not change is read by several threads when there is much to read, each with
  /// a reader of its own.
  package func foldContents<Part: Sendable>(
    _ bodies: [StoredContent], from initial: Part,
    _ add: @escaping @Sendable (inout Part, _ place: Int, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) -> [Part] {
    let workers = min(Workers.countMax, bodies.count / Self.contentsPerWorker)
    guard access == .finished, workers > 1 else {
      return [try folded(bodies[...], from: initial, add)]
    }
    let results = Mutex([Result<Part, StoreError>?](repeating: nil, count: workers))
    let path = path
    Workers.perform(workers) { number in
      let range = (bodies.count * number / workers)..<(bodies.count * (number + 1) / workers)
      let result = Result { () throws(StoreError) in
        try CassetteReader(path: path).folded(bodies[range], from: initial, add)
      }
      results.withLock { $0[number] = result }
    }
    var parts: [Part] = []
    for result in results.withLock({ $0 }) { if let result { parts.append(try result.get()) } }
    return parts
  }

  private func folded<Part>(
    _ bodies: ArraySlice<StoredContent>, from initial: Part,
    _ add: (inout Part, Int, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) -> Part {
    var part = initial
    try contents.forEach(bodies) { add(&part, $0, $1) }
    return part
  }

  /// Fewer are read sooner than a thread has started and opened the file.
  private static var contentsPerWorker: Int { 2000 }

  private func interims(of id: Int64) throws(StoreError) -> [RecordedInterim] {
    defer { interimStatement.reset() }
    try interimStatement.bind(1, id)
    var interims: [RecordedInterim] = []
    while try interimStatement.step() {
      interims.append(try InterimRow.interim(interimStatement, of: id, path: path))
    }
    return interims
  }
}
