/// Where the pieces of bodies lie, for the bodies read lately.
struct BodyPositions {
  struct Piece {
    /// The row in `body_piece`.
    let row: Int64
    /// The position of its first byte in the body.
    let start: Int64
  }

  struct Body {
    let size: Int64
    let pieces: [Piece]
    var check: BodyCheck

    /// The piece that holds the byte at `offset`, by binary search.
    func index(at offset: Int64) -> Int {
      var low = 0
      var high = pieces.count
      while high - low > 1 {
        let middle = (low + high) / 2
        if pieces[middle].start <= offset { low = middle } else { high = middle }
      }
      return low
    }

    /// Where the piece after this one starts.
    func end(of index: Int) -> Int64 { index + 1 < pieces.count ? pieces[index + 1].start : size }
  }

  private var bodies: [Int64: Body] = [:]
  private var pieceCount = 0

  subscript(id: Int64) -> Body? { bodies[id] }

  /// Takes note of a part that was read of a body.
  /// - Returns: false when it ends the body and the whole is not what was recorded.
  mutating func read(_ bytes: UnsafeRawBufferPointer, at offset: Int64, of id: Int64) -> Bool {
    bodies[id]?.check.read(bytes, at: offset) ?? true
  }

  /// Forgets everything when `StoreLimits.knownPiecesMax` would be passed: the few bodies that are
  /// being read come back at once.
  mutating func insert(_ body: Body, id: Int64) {
    if pieceCount + body.pieces.count > StoreLimits.knownPiecesMax {
      bodies.removeAll(keepingCapacity: true)
      pieceCount = 0
    }
    bodies[id] = body
    // A body of one piece costs about as much as its entry.
    pieceCount += body.pieces.count + 1
  }
}

extension CassetteReader {
  /// Bytes of the body with this id.
  /// - Throws: `.bodyMissing`; `.bodyDamaged` when its pieces don't add up to that size;
  ///   `.bodyAltered` when it is empty and was not.
  package func bodySize(_ id: Int64) throws(StoreError) -> Int64 { try positions(of: id).size }

  /// Reads from a body, across pieces. When all before it was read too, its last byte is given only
  /// if the whole is what was recorded.
  /// - Returns: the bytes read, as many as the buffer takes; fewer only at the body's end, 0 at and
  ///   beyond it.
  /// - Throws: as `bodySize`, and `.bodyAltered`; the buffer's contents are then undefined.
  package func read(
    body id: Int64, offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StoreError) -> Int {
    precondition(offset >= 0, "offset \(offset)")
    let body = try positions(of: id)
    let count = Int(max(0, min(Int64(buffer.count), body.size - offset)))
    guard count > 0 else { return 0 }
    defer { if access == .besideWriter { openPiece = nil } }
    var done = 0
    var index = body.index(at: offset)
    while done < count {
      let position = offset + Int64(done)
      let part = min(Int(body.end(of: index) - position), count - done)
      try read(
        piece: body.pieces[index].row, offset: Int(position - body.pieces[index].start),
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + part)]))
      done += part
      index += 1
    }
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    guard bodies.read(bytes, at: offset, of: id) else { throw .bodyAltered(path: path, id: id) }
    return count
  }

  /// Reads from one piece through a handle that stays open at it for the next read.
  private func read(
    piece row: Int64, offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StoreError) {
    do {
      if openPiece == nil {
        openPiece = try SQLiteBlob(connection, table: "body_piece", column: "bytes", row: row)
      } else if let openPiece, openPiece.row != row {
        try openPiece.move(to: row)
      }
      try openPiece?.read(into: buffer, offset: offset)
    } catch {
      // A handle that failed is aborted; the next read opens a new one.
      openPiece = nil
      throw error
    }
  }

  private func positions(of id: Int64) throws(StoreError) -> BodyPositions.Body {
    if let known = bodies[id] { return known }
    let body = try loadPositions(of: id)
    bodies.insert(body, id: id)
    return body
  }

  private func loadPositions(of id: Int64) throws(StoreError) -> BodyPositions.Body {
    defer {
      sizeStatement.reset()
      pieceStatement.reset()
    }
    try sizeStatement.bind(1, id)
    guard try sizeStatement.step() else { throw .bodyMissing(path: path, id: id) }
    let size = sizeStatement.integer(0)
    var check = BodyCheck(size: size, digest: sizeStatement.bytes(1))
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    guard size > 0 || check.read(nothing, at: 0) else { throw .bodyAltered(path: path, id: id) }
    var pieces: [BodyPositions.Piece] = []
    var end: Int64 = 0
    try pieceStatement.bind(1, id)
    while try pieceStatement.step() {
      let count = pieceStatement.integer(2)
      guard pieceStatement.integer(1) == Int64(pieces.count), count > 0, end + count <= size else {
        throw .bodyDamaged(path: path, id: id)
      }
      pieces.append(.init(row: pieceStatement.integer(0), start: end))
      end += count
    }
    guard end == size else { throw .bodyDamaged(path: path, id: id) }
    return BodyPositions.Body(size: size, pieces: pieces, check: check)
  }
}
