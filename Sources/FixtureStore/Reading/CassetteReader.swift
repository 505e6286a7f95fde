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
  /// Which file this is, so that another one that takes its place is noticed.
  let identity: FileSystem.Identity?
  var bodies = BodyPositions()
  var openPiece: SQLiteBlob?
  let sizeStatement: SQLiteStatement
  let pieceStatement: SQLiteStatement
  private var requests: RequestRows
  private let contents: ContentRows
  private let interactionStatement: SQLiteStatement
  private let answerStatement: SQLiteStatement
  private let interimStatement: SQLiteStatement
  /// Whether any interaction may have some.
  private let mayHaveInterims: Bool

  /// Opens a cassette.
  /// - Throws: one of the refusals of `StoreError`, which name the file and what to do; nothing
  ///   was changed.
  package init(
    path: String, access: Access = .finished, conditions: TestConditions? = nil
  ) throws(StoreError) {
    self.path = path
    self.access = access
    try CassetteOpening.checkFile(path: path)
    identity = try FileSystem.identity(path: path)
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
    answerStatement = try SQLiteStatement(connection, InteractionRow.answerQuery)
    interimStatement = try SQLiteStatement(connection, InterimRow.query)
    let interim = try connection.integer("SELECT 1 FROM interim LIMIT 1")
    mayHaveInterims = access == .besideWriter || interim != nil
    sizeStatement = try SQLiteStatement(connection, "SELECT size, sha256 FROM body WHERE id = ?1")
    pieceStatement = try SQLiteStatement(
      connection,
      "SELECT id, seq, length(bytes) FROM body_piece WHERE body_id = ?1 ORDER BY seq")
  }

  /// All ids, ascending.
  package func interactionIDs() throws(StoreError) -> [Int64] {
    let statement = try SQLiteStatement(connection, "SELECT id FROM interaction ORDER BY id")
    var ids: [Int64] = []
    while try statement.step() { ids.append(statement.integer(0)) }
    return ids
  }
}

extension CassetteReader {
  /// Hands out what the match index needs of every interaction, and makes something of it, in
  /// several parts at the same time where that is faster.
  /// - Parameter idsPerPart: a thread opens the file for itself first, which so many outweigh.
  /// - Returns: the parts, each of which began as `initial`, in the order of their interactions.
  package func foldRequests<Part: Sendable>(
    from initial: Part, idsPerPart: UInt64,
    _ add: @escaping @Sendable (inout Part, RequestOutline) -> Void
  ) throws(StoreError) -> [Part] {
    guard let first = try connection.integer("SELECT min(id) FROM interaction"),
      let last = try connection.integer("SELECT max(id) FROM interaction")
    else { return [initial] }
    // The rows of a damaged file need not lie in the order of their ids.
    guard first <= last else {
      throw .valueInvalid(path: path, table: "interaction", id: nil, column: "id")
    }
    let partsMax = access == .finished ? Workers.countMax : 1
    let ranges = Self.ranges(of: first...last, idsPerPart: idsPerPart, partsMax: partsMax)
    if ranges.count == 1 { return [try requests(ranges[0], from: initial, add)] }
    return try inParts(ranges.count) { (reader, number) throws(StoreError) in
      try reader.requests(ranges[number], from: initial, add)
    }
  }

  /// Divides ids into ranges of about the same length. Those of a foreign file can lie as far apart
  /// as numbers do.
  static func ranges(
    of ids: ClosedRange<Int64>, idsPerPart: UInt64, partsMax: Int
  ) -> [ClosedRange<Int64>] {
    let distance = UInt64(bitPattern: ids.upperBound) &- UInt64(bitPattern: ids.lowerBound)
    let count = Int(max(1, min(UInt64(partsMax), distance / idsPerPart)))
    let step = distance / UInt64(count)
    let starts = (0..<count).map { ids.lowerBound &+ Int64(bitPattern: step &* UInt64($0)) }
    return zip(starts, starts.dropFirst().map { $0 - 1 } + [ids.upperBound]).map { $0...$1 }
  }

  private func requests<Part>(
    _ ids: ClosedRange<Int64>, from initial: Part, _ add: (inout Part, RequestOutline) -> Void
  ) throws(StoreError) -> Part {
    let statement = try SQLiteStatement(
      connection,
      """
      SELECT id, upstream, authority, method, target, status, response_fields,
        started_at + coalesce(first_byte_us, 0)
      FROM interaction WHERE id BETWEEN ?1 AND ?2
      """)
    try statement.bind(1, ids.lowerBound)
    try statement.bind(2, ids.upperBound)
    var part = initial
    // Nearly all rows name the upstream of the row before.
    var upstream: String?
    while try statement.step() {
      if statement.isNull(1) {
        upstream = nil
      } else if upstream.map({ !statement.equals(1, $0) }) ?? true {
        upstream = statement.text(1)
      }
      add(
        &part,
        RequestOutline(
          id: statement.integer(0), upstream: upstream, authority: statement.columnBytes(2),
          method: statement.withBytes(3) { Method($0) }, target: statement.columnBytes(4),
          answer: statement.isNull(5)
            ? nil
            : .init(
              fields: StoredFields(statement.columnBytes(6)), came_us: statement.integer(7))))
    }
    return part
  }

  /// Does parts of a piece of work at the same time, each with a reader of its own of the file,
  /// which must not change.
  private func inParts<Part: Sendable>(
    _ count: Int,
    _ work: @escaping @Sendable (CassetteReader, _ number: Int) throws(StoreError) -> Part
  ) throws(StoreError) -> [Part] {
    let results = Mutex([Result<Part, StoreError>?](repeating: nil, count: count))
    let path = path
    Workers.perform(count) { number in
      let result = Result { () throws(StoreError) in
        try work(CassetteReader(path: path), number)
      }
      results.withLock { $0[number] = result }
    }
    var parts: [Part] = []
    for result in results.withLock({ $0 }) { if let result { parts.append(try result.get()) } }
    return parts
  }
}

extension CassetteReader: InteractionSource {
  /// One whole interaction.
  /// - Throws: `.interactionMissing`; `.valueInvalid` when the row holds what may not be replayed.
  package func interaction(id: Int64) throws(StoreError) -> Interaction {
    try interaction(id, interactionStatement, requestBody: nil)
  }

  /// The row of the request's body, most often on a page of its own, is not looked for.
  package func interaction(
    id: Int64, requestBody: BodyReference
  ) throws(StoreError) -> Interaction {
    try interaction(id, answerStatement, requestBody: requestBody)
  }

  private func interaction(
    _ id: Int64, _ statement: SQLiteStatement, requestBody: BodyReference?
  ) throws(StoreError) -> Interaction {
    defer { statement.reset() }
    try statement.bind(1, id)
    guard try statement.step() else { throw .interactionMissing(path: path, id: id) }
    var interaction = try InteractionRow(statement, path: path, requestBody: requestBody)
      .interaction()
    interaction.interims = try interims(of: id)
    return interaction
  }

  package func foldRequests<Part: Sendable>(
    from initial: Part, _ add: @escaping @Sendable (inout Part, RequestOutline) -> Void
  ) throws(StoreError) -> [Part] {
    try foldRequests(from: initial, idsPerPart: Self.idsPerPart, add)
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
    return try inParts(workers) { (reader, number) throws(StoreError) in
      let range = (bodies.count * number / workers)..<(bodies.count * (number + 1) / workers)
      return try reader.folded(bodies[range], from: initial, add)
    }
  }

  private func folded<Part>(
    _ bodies: ArraySlice<StoredContent>, from initial: Part,
    _ add: (inout Part, Int, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) -> Part {
    var part = initial
    try contents.forEach(bodies) { add(&part, $0, $1) }
    return part
  }

  /// See `foldRequests`.
  private static var idsPerPart: UInt64 { 5000 }

  /// Fewer are read sooner than a thread has started and opened the file.
  private static var contentsPerWorker: Int { 2000 }

  private func interims(of id: Int64) throws(StoreError) -> [RecordedInterim] {
    guard mayHaveInterims else { return [] }
    defer { interimStatement.reset() }
    try interimStatement.bind(1, id)
    var interims: [RecordedInterim] = []
    while try interimStatement.step() {
      interims.append(try InterimRow.interim(interimStatement, of: id, path: path))
    }
    return interims
  }
}
