import FixtureCassette

/// Makes a cassette out of interactions of others: written beside its place, and put there in one
/// step when it is whole.
///
/// So a cassette is changed without being touched: whoever is killed on the way leaves it as it
/// was, whoever reads it goes on reading what it was, and the new file holds nothing of what was
/// taken out, not even in free pages.
///
///     let rewrite = try CassetteRewrite(place: path, of: reader, description: …)
///     try rewrite.add(interaction, …)      // in order of ascending ids
///     try rewrite.finish()
package final class CassetteRewrite {
  /// The content of one message.
  package enum Content {
    case absent
    case bytes([UInt8])
    /// As another cassette has it.
    case stored(BodyReference, in: CassetteReader)
  }

  private let place: String
  private let file: String
  /// The file that is replaced, when there is one.
  private let replaced: FileSystem.Identity?
  private var connection: WriterConnection?
  private var token: Int64 = 0
  /// Not written yet: many small interactions share the cost of a transaction.
  private var waiting: [WriterQueue.Work] = []
  private var waitingBytes = 0
  private var isDone = false

  /// - Parameters:
  ///   - path: of the cassette to make or to replace; a link is followed.
  ///   - original: the cassette that is changed, whose permissions and origin the new one gets. It
  ///     must stay open until `finish`: that keeps recorders away. nil for a new file.
  /// - Throws: `.exists` when there is no original and something lies there, `.inUse` when another
  ///   process changes the same cassette; nothing is left behind.
  package init(
    path: String, of original: CassetteReader?, description: CassetteDescription,
    createdBy: String
  ) throws(StoreError) {
    let isThere = try FileSystem.kind(path: path) != nil
    if original == nil, isThere { throw .exists(path: path) }
    place = try FileSystem.linkTarget(path: path) ?? path
    file = place + Self.suffix
    replaced = original?.identity
    try Self.removeLeftover(file, of: path)
    let createdAt_us = try original?.createdAt_us()
    try FileSystem.createExclusively(path: file, permissionsOf: isThere ? place : nil)
    do {
      let connection = try SQLiteConnection(path: file, mode: .readWrite)
      try CassetteCreation.write(
        connection, description, createdBy: original?.createdBy ?? createdBy,
        createdAt_us: createdAt_us)
      self.connection = try WriterConnection(
        connection, durability: .process, writesAtOnce: true)
    } catch {
      removeFile()
      throw error
    }
  }

  deinit {
    if !isDone { abandon() }
  }

  /// Adds an interaction under its id, which nothing added before may have.
  package func add(
    _ interaction: Interaction, request: Content, response: Content
  ) throws(StoreError) {
    let requestBody = try body(request)
    let responseBody = try body(response)
    try perform(
      .commit(
        [
          InteractionDraft(
            interaction: interaction, requestBody: requestBody, responseBody: responseBody)
        ], { _ in }))
  }

  /// Adds an interaction as another cassette has it.
  package func copy(
    _ interaction: Interaction, from reader: CassetteReader
  ) throws(StoreError) {
    try add(
      interaction, request: .init(interaction.requestBody, in: reader),
      response: .init(interaction.response?.body, in: reader))
  }

  /// Replaces what the cassette says of itself.
  package func describe(_ description: CassetteDescription) throws(StoreError) {
    try perform(.describe(description))
  }

  /// Makes the file whole and puts it in its place.
  /// - Throws: what keeps it from being so, `.changedMeanwhile` when another file has come to its
  ///   place; that file is then as it was.
  package func finish() throws(StoreError) {
    try write()
    try connection?.finish(hasFailed: false)
    // Closes the file.
    connection = nil
    guard try FileSystem.identity(path: place) == replaced else {
      throw .changedMeanwhile(path: place)
    }
    try FileSystem.rename(path: file, to: place)
    isDone = true
  }

  /// Leaves everything as it was.
  package func abandon() {
    isDone = true
    waiting = []
    connection = nil
    removeFile()
  }

  private func perform(_ work: WriterQueue.Work) throws(StoreError) {
    waiting.append(work)
    waitingBytes += work.byteCount
    if waitingBytes >= Self.waitingBytesMax || waiting.count >= Self.waitingMax { try write() }
  }

  private func write() throws(StoreError) {
    guard let connection else { throw .writerClosed(path: place) }
    let batch = waiting
    (waiting, waitingBytes) = ([], 0)
    guard !batch.isEmpty else { return }
    try connection.perform(batch)
    if connection.isLogFull { try connection.moveLog() }
  }

  private func body(_ content: Content) throws(StoreError) -> InteractionDraft.Body {
    switch content {
    case .absent: return .absent
    case .bytes(let bytes) where bytes.count <= BodyLimits.pieceBytesMax: return .bytes(bytes)
    case .bytes(let bytes):
      token += 1
      try perform(.append(bytes, BodyToken(token)))
      return .streamed(BodyToken(token))
    case .stored(let body, let reader):
      let first = try reader.bytes(of: body, from: 0)
      if Int64(first.count) == body.size { return .bytes(first) }
      token += 1
      var offset: Int64 = 0
      while offset < body.size {
        let piece = offset == 0 ? first : try reader.bytes(of: body, from: offset)
        try perform(.append(piece, BodyToken(token)))
        offset += Int64(piece.count)
      }
      return .streamed(BodyToken(token))
    }
  }

  private func removeFile() {
    for suffix in [""] + CassetteOpening.sideFileSuffixes + ["-shm"] {
      FileSystem.remove(path: file + suffix)
    }
  }

  /// Removes what a change that was killed has left; one that still runs is left alone.
  private static func removeLeftover(_ file: String, of path: String) throws(StoreError) {
    guard try FileSystem.kind(path: file) != nil else { return }
    do {
      let connection = try SQLiteConnection(path: file, mode: .readWrite)
      // Nobody else may have it open.
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
      try connection.execute("BEGIN EXCLUSIVE")
      try connection.execute("ROLLBACK")
    } catch .sqlite(let failure) where failure.isBusy {
      throw .changing(path: path)
    } catch {
      // It is no whole database: what is left of one.
    }
    for suffix in [""] + CassetteOpening.sideFileSuffixes + ["-shm"] {
      FileSystem.remove(path: file + suffix)
    }
  }

  /// What is added to the name of a cassette for the file that is to replace it.
  package static let suffix = ".changing"

  /// Work of one transaction: enough to make its cost small, and little memory.
  private static let waitingBytesMax = 8 << 20
  private static let waitingMax = 500
}

extension CassetteRewrite.Content {
  package init(_ body: BodyReference?, in reader: CassetteReader) {
    self = body.map { .stored($0, in: reader) } ?? .absent
  }
}

extension CassetteReader {
  /// The next bytes of a body, at most a piece's worth.
  package func bytes(
    of body: BodyReference, from offset: Int64, bytesMax: Int = BodyLimits.pieceBytesMax
  ) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(min(body.size - offset, Int64(bytesMax))))
    let result = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(StoreError) in
        try read(body: body.id, offset: offset, into: buffer)
      }
    }
    _ = try result.get()
    return bytes
  }

  /// When it was made, in µs since 1970; nil when it does not say so in the words of the format.
  func createdAt_us() throws(StoreError) -> Int64? {
    let statement = try SQLiteStatement(connection, "SELECT strftime('%s', ?1)")
    try statement.bind(1, createdAt)
    guard try statement.step() else { return nil }
    return Int64(statement.text(0)).map { $0 * 1_000_000 }
  }
}
