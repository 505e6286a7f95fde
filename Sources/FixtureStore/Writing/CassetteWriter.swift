import FixtureCassette

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a committed interaction outlives.
package enum Durability: Sendable {
  /// The end of this process, however it comes.
  case process
  /// Loss of power too: one fsync for each group of commits.
  case power
}

/// Writes a cassette from any thread, through one thread of its own.
///
/// The thread takes all work that is queued, makes one transaction of it and calls the completions
/// of its interactions: it never waits for more to come, so a single commit is not delayed and
/// many at once share the cost of one. Work is done in the order it was given.
///
///     append, abandon, commit ─▶ queue ─▶ thread: BEGIN … COMMIT ─▶ completions
///
/// While the thread has nothing to do, `commitInPlace` stores an interaction without it: waking it
/// and being woken by it costs more than the transaction.
///
/// The first failure stops the recording: what was committed stays, every later completion gets
/// that failure, and so does `close`.
package final class CassetteWriter: Sendable {
  package let path: String
  /// The id for the next interaction: one more than the file's highest, 1 for a new one.
  package let nextID: Int64
  private let queue: WriterQueue
  private let thread: WriterThread
  private let durability: Durability

  /// Makes a new cassette.
  /// - Parameters:
  ///   - original: the cassette it will replace, whose permissions it gets; nil for a new one.
  ///   - createdBy: name and version of the program, for people.
  ///   - createdAt_us: µs since 1970; nil for now.
  /// - Throws: `.exists` when there is such a file; any other failure leaves no file behind.
  package static func create(
    path: String, replacing original: String? = nil, description: CassetteDescription,
    durability: Durability, createdBy: String = "fixtured", createdAt_us: Int64? = nil,
    conditions: TestConditions? = nil
  ) throws(StoreError) -> CassetteWriter {
    try FileSystem.createExclusively(path: path, permissionsOf: original)
    do {
      let connection = try SQLiteConnection(path: path, mode: .readWrite, conditions: conditions)
      try CassetteCreation.write(
        connection, description, createdBy: createdBy, createdAt_us: createdAt_us)
      return try CassetteWriter(connection, durability, writesAtOnce: true)
    } catch {
      for suffix in [""] + CassetteOpening.sideFileSuffixes + ["-shm"] {
        FileSystem.remove(path: path + suffix)
      }
      throw error
    }
  }

  /// Opens a finished cassette to add to it. It stays as it is, to the byte and its date, until
  /// there is something to add; nobody else may open it from now on.
  /// - Throws: the refusals of `CassetteReader`, which leave the file unchanged; SQLITE_BUSY when
  ///   somebody reads it, SQLITE_READONLY when it or its folder may not be written.
  package static func open(
    existing path: String, durability: Durability, conditions: TestConditions? = nil
  ) throws(StoreError) -> CassetteWriter {
    try CassetteOpening.checkFile(path: path)
    let connection = try SQLiteConnection(path: path, mode: .readWrite, conditions: conditions)
    let asksForLog = try CassetteOpening.checkHeader(connection)
    try CassetteOpening.checkNoRecording(connection)
    if asksForLog { throw .unfinished(path: path) }
    try CassetteOpening.checkWhole(connection)
    try CassetteOpening.harden(connection)
    try CassetteOpening.checkSchema(connection)
    try CassetteOpening.checkRoom(connection)
    return try CassetteWriter(connection, durability, writesAtOnce: false)
  }

  private init(
    _ file: SQLiteConnection, _ durability: Durability, writesAtOnce: Bool
  ) throws(StoreError) {
    let connection = try WriterConnection(
      file, durability: durability, writesAtOnce: writesAtOnce)
    self.durability = durability
    path = connection.path
    nextID = connection.nextID
    queue = WriterQueue()
    thread = try WriterThread.start(queue, connection)
  }

  /// A writer that is let go without `close` still stores what is queued, unseen.
  deinit { queue.close() }

  /// Bytes given to the writer and not yet stored. Above a bound of their choice, callers stop
  /// reading until `whenDrained`.
  package var queuedBytes: Int { queue.byteCount }

  /// Why recording stopped; nil while it goes on.
  package var failure: StoreError? { queue.failure }

  /// Calls `callback` once when fewer than `bytes` are queued: at once on this thread if that is
  /// so, else on the writer's.
  package func whenDrained(below bytes: Int, _ callback: @escaping @Sendable () -> Void) {
    queue.whenDrained(below: bytes, callback)
  }

  /// Adds bytes to the end of a streamed body; the first ones for a token begin it. Dropped when
  /// recording has stopped: the `commit` that names the token says so.
  package func append(_ bytes: [UInt8], to token: BodyToken) {
    _ = queue.add(.append(bytes, token))
  }

  /// Gives a body whose bytes are too many for one piece to the writer in several.
  /// - Parameter token: used when that is so.
  package func stream(_ body: inout InteractionDraft.Body, as token: BodyToken) {
    guard case .bytes(let bytes) = body, bytes.count > BodyLimits.pieceBytesMax else { return }
    for start in stride(from: 0, to: bytes.count, by: BodyLimits.pieceBytesMax) {
      let end = min(start + BodyLimits.pieceBytesMax, bytes.count)
      append(Array(bytes[start..<end]), to: token)
    }
    body = .streamed(token)
  }

  /// Ends a streamed body that no interaction will name; what was stored of it is removed.
  package func abandon(_ token: BodyToken) {
    _ = queue.add(.abandon(token))
  }

  /// Stores an interaction with its bodies; a streamed body belongs to exactly one.
  ///
  /// The interaction's own body references are not looked at.
  /// - Parameter completion: called once on the writer's thread, with nil when the interaction will
  ///   survive what the durability says. After `close` it is called on this thread.
  package func commit(
    _ draft: InteractionDraft, completion: @escaping @Sendable (StoreError?) -> Void
  ) {
    commit([draft], completion: completion)
  }

  /// Stores several in one transaction, all of them or none.
  package func commit(
    _ drafts: [InteractionDraft], completion: @escaping @Sendable (StoreError?) -> Void
  ) {
    if !queue.add(.commit(drafts, completion)) { completion(.writerClosed(path: path)) }
  }

  /// Stores an interaction on this thread, if the writer's has nothing to do and no disk has to be
  /// waited for. What it names must have been given before, as for `commit`.
  /// - Returns: what `commit` tells its completion; nil when nothing was done.
  package func commitInPlace(_ draft: InteractionDraft) -> Result<Void, StoreError>? {
    durability == .process ? thread.commitInPlace(draft) : nil
  }

  /// Replaces what the cassette says about itself, in order with the commits around it.
  package func updateDescription(_ description: CassetteDescription) {
    _ = queue.add(.describe(description))
  }

  /// Stores what is queued, removes what is left of streamed bodies, and leaves one file without
  /// side files. Blocks; not for the writer's thread. A second call returns what the first did.
  /// - Throws: the failure that stopped the recording, or what kept the file from being finished:
  ///   then side files may stay, and `CassetteVerifier.repair` finishes it.
  package func close() throws(StoreError) {
    queue.close()
    try thread.join()
  }
}
