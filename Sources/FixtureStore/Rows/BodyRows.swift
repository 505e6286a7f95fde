import FixtureCassette

/// Writes bodies: pieces of streamed ones as they come, whole ones at once, equal ones once.
/// Confined to the writer's thread.
final class BodyRows {
  /// A body that is being streamed.
  private struct Open {
    let id: Int64
    var hash = SHA256()
    var size: Int64 = 0
    var pieceCount: Int64 = 0
    /// The end of the body that is not written yet.
    var rest: [UInt8] = []
  }

  private let connection: SQLiteConnection
  private let insertBody: SQLiteStatement
  private let insertPiece: SQLiteStatement
  private let deletePieces: SQLiteStatement
  private var nextID: Int64
  private var open: [BodyToken: Open] = [:]
  /// Bytes of `open` bodies that are not written yet.
  private(set) var openByteCount = 0
  private let openBytesMax: Int
  private var shared = SharedBodies()

  init(_ connection: SQLiteConnection) throws(StoreError) {
    self.connection = connection
    openBytesMax = connection.conditions?.openBodyBytesMax ?? StoreLimits.openBodyBytesMax
    insertBody = try SQLiteStatement(
      connection, "INSERT INTO body(id, size, sha256) VALUES (?1, ?2, ?3)")
    insertPiece = try SQLiteStatement(
      connection, "INSERT INTO body_piece(body_id, seq, bytes) VALUES (?1, ?2, ?3)")
    deletePieces = try SQLiteStatement(connection, "DELETE FROM body_piece WHERE body_id = ?1")
    // Pieces without a body are left of a body whose interaction was never committed.
    let last = try connection.integer(
      """
      SELECT max(coalesce((SELECT max(id) FROM body), 0),
        coalesce((SELECT max(body_id) FROM body_piece), 0))
      """)
    nextID = (last ?? 0) + 1
  }

  /// Adds to the end of a body that is being streamed; a new token begins one.
  func append(_ bytes: [UInt8], to token: BodyToken) throws(StoreError) {
    var body = open.removeValue(forKey: token) ?? Open(id: takeID())
    bytes.withUnsafeBytes { body.hash.update($0) }
    body.size += Int64(bytes.count)
    openByteCount += bytes.count
    body.rest.append(contentsOf: bytes)
    while body.rest.count > BodyLimits.pieceBytesMax {
      try writePiece(of: &body, count: BodyLimits.pieceBytesMax)
    }
    open[token] = body
    if openByteCount > openBytesMax { try writeFullest() }
  }

  /// Forgets a body that is being streamed and removes what was written of it.
  func abandon(_ token: BodyToken) throws(StoreError) {
    guard let body = open.removeValue(forKey: token) else { return }
    openByteCount -= body.rest.count
    guard body.pieceCount > 0 else { return }
    try deletePieces.bind(1, body.id)
    try deletePieces.run()
  }

  /// Removes what was written of all bodies that are still being streamed.
  func abandonAll() throws(StoreError) {
    for token in open.keys.sorted(by: { $0.value < $1.value }) { try abandon(token) }
  }

  /// Stores a draft's body.
  /// - Returns: its id; nil for an absent one.
  func store(_ body: InteractionDraft.Body) throws(StoreError) -> Int64? {
    switch body {
    case .absent: return nil
    case .bytes(let bytes): return try storeWhole(bytes)
    case .streamed(let token):
      guard let body = open.removeValue(forKey: token) else {
        throw .bodyTokenUnknown(path: connection.path, token: token.value)
      }
      openByteCount -= body.rest.count
      return try finish(body)
    }
  }

  private func storeWhole(_ bytes: [UInt8]) throws(StoreError) -> Int64 {
    var body = Open(id: takeID())
    bytes.withUnsafeBytes { body.hash.update($0) }
    body.size = Int64(bytes.count)
    body.rest = bytes
    // Its bytes were never counted as held back.
    openByteCount += bytes.count
    while body.rest.count > BodyLimits.pieceBytesMax {
      try writePiece(of: &body, count: BodyLimits.pieceBytesMax)
    }
    openByteCount -= body.rest.count
    return try finish(body)
  }

  /// Writes the end of a body and its row, unless an equal one is there.
  private func finish(_ body: Open) throws(StoreError) -> Int64 {
    var body = body
    let digest = body.hash.finalize()
    let isShareable = body.pieceCount == 0
    if isShareable, let id = shared[size: body.size, digest: digest] { return id }
    if !body.rest.isEmpty { try insert(body.rest, of: &body) }
    try insertBody.bind(1, body.id)
    try insertBody.bind(2, body.size)
    try insertBody.bind(3, digest)
    try insertBody.run()
    if isShareable { shared.insert(id: body.id, size: body.size, digest: digest) }
    return body.id
  }

  private func writeFullest() throws(StoreError) {
    guard let token = open.max(by: { $0.value.rest.count < $1.value.rest.count })?.key,
      var body = open.removeValue(forKey: token)
    else { return }
    try writePiece(of: &body, count: body.rest.count)
    open[token] = body
  }

  private func writePiece(of body: inout Open, count: Int) throws(StoreError) {
    try insert(Array(body.rest.prefix(count)), of: &body)
    body.rest.removeFirst(count)
    openByteCount -= count
  }

  private func insert(_ piece: [UInt8], of body: inout Open) throws(StoreError) {
    try insertPiece.bind(1, body.id)
    try insertPiece.bind(2, body.pieceCount)
    try insertPiece.bind(3, piece)
    try insertPiece.run()
    body.pieceCount += 1
  }

  private func takeID() -> Int64 {
    defer { nextID += 1 }
    return nextID
  }
}

/// Bodies stored lately, by content; the oldest are forgotten first.
struct SharedBodies {
  private struct Content: Hashable {
    let size: Int64
    let digest: Digest
  }

  /// A SHA-256 without an allocation of its own.
  private struct Digest: Hashable {
    let first, second, third, fourth: UInt64

    init(_ digest: [UInt8]) {
      precondition(digest.count == SHA256.digestCount, "a digest of \(digest.count) bytes")
      (first, second, third, fourth) = digest.withUnsafeBytes {
        (
          $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
          $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
          $0.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
          $0.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
      }
    }
  }

  private let capacity: Int
  private var ids: [Content: Int64] = [:]
  /// The contents in the order they came, as a ring.
  private var order: [Content] = []
  private var oldest = 0

  init(capacity: Int = StoreLimits.sharedBodiesMax) {
    self.capacity = capacity
  }

  subscript(size size: Int64, digest digest: [UInt8]) -> Int64? {
    ids[Content(size: size, digest: Digest(digest))]
  }

  mutating func insert(id: Int64, size: Int64, digest: [UInt8]) {
    let content = Content(size: size, digest: Digest(digest))
    guard ids.updateValue(id, forKey: content) == nil else { return }
    guard order.count == capacity else { return order.append(content) }
    ids[order[oldest]] = nil
    order[oldest] = content
    oldest = (oldest + 1) % capacity
  }
}
