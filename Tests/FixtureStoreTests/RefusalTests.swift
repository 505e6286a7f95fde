import CFixtureSQLite
import FixtureCassette
import FixtureHTTP
import Testing

@testable import FixtureStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a reader does not open, and that it leaves it alone.
@Suite struct RefusalTests {
  let folder = Folder()
  var path: String { folder.file("x.db") }

  /// Opens `path`, which fails, and checks that nothing changed.
  private func refusal(sourceLocation: SourceLocation = #_sourceLocation) -> StoreError? {
    let before = (contents(path), folder.names)
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
      try CassetteReader(path: path)
    }
    #expect(contents(path) == before.0, sourceLocation: sourceLocation)
    #expect(folder.names == before.1, sourceLocation: sourceLocation)
    return error
  }

  @Test func `no file`() {
    #expect(refusal() == .notFound(path: path))
    #expect(
      refusal()?.description == "\(path): no such cassette; check the path or record it first")
  }

  @Test func `a folder`() {
    mkdir(path, 0o755)
    #expect(refusal() == .notRegularFile(path: path))
    rmdir(path)
  }

  @Test func `an empty file`() {
    write([], to: path)
    #expect(refusal() == .emptyFile(path: path))
  }

  @Test func `text`() {
    write("GET / HTTP/1.1\r\n".utf8, to: path)
    #expect(refusal() == .notCassette(path: path))
  }

  @Test func `another application's database`() throws {
    write([], to: path)
    try tamper(path, "CREATE TABLE interaction(id); PRAGMA user_version = 1")
    #expect(refusal() == .notCassette(path: path))
  }

  @Test func `a newer format`() throws {
    try record([], to: path)
    try tamper(path, "PRAGMA user_version = 2")
    #expect(refusal() == .formatNewer(path: path, version: 2))
  }

  @Test(arguments: [0, -1]) func `a version that nobody wrote`(version: Int64) throws {
    try record([], to: path)
    try tamper(path, "PRAGMA user_version = \(version)")
    let stored = version < 0 ? Int64(UInt32.max) : 0
    let expected: StoreError =
      version < 0
      ? .formatNewer(path: path, version: stored) : .formatUnknown(path: path, version: 0)
    #expect(refusal() == expected)
  }

  @Test func `a cassette that has lost its end`() throws {
    try record([draft(id: 1, content: pattern(100_000))], to: path)
    let whole = contents(path)
    for size in [100, 8191, 8192, 20_000, whole.count - 8192, whole.count - 1] {
      write(whole[..<size], to: path)
      let expected = StoreError.cutShort(
        path: path, size: Int64(size), expected: Int64(whole.count))
      #expect(refusal() == expected)
    }
  }

  @Test func `a log beside it`() throws {
    try record([draft(id: 1)], to: path)
    write([1, 2, 3], to: path + "-wal")
    let error = refusal()
    #expect(error == .sideFile(path: path, sideFile: path + "-wal"))
    #expect(error?.description.hasSuffix("run fixtured verify --repair \(path)") == true)
  }

  @Test func `a log beside the file that a link leads to`() throws {
    let target = folder.file("real.db")
    try record([draft(id: 1)], to: target)
    write([1], to: target + "-wal")
    symlink(target, path)
    #expect(refusal() == .sideFile(path: path, sideFile: path + "-wal"))
  }

  @Test(arguments: [
    ("CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END", "trigger t"),
    ("CREATE VIEW v AS SELECT 1", "view v"),
    ("CREATE TABLE extra(a)", "table extra"),
    ("CREATE INDEX i ON body(size)", "index i"),
    ("CREATE VIRTUAL TABLE f USING fts5(a)", "table f"),
    ("ALTER TABLE body ADD COLUMN more TEXT", "table body"),
    ("DROP VIEW interactions; CREATE VIEW interactions AS SELECT 1", "view interactions"),
    ("DROP INDEX interaction_by_request", "index interaction_by_request"),
  ])
  func `a schema that is not the format's, by name`(sql: String, object: String) throws {
    try record([draft(id: 1)], to: path)
    try tamper(path, sql)
    #expect(refusal() == .schemaForeign(path: path, object: object))
  }

  @Test(arguments: [
    ("UPDATE meta SET value = 'maybe' WHERE key = 'redaction'", "redaction"),
    ("UPDATE meta SET value = '-1' WHERE key = 'redacted_count'", "redacted_count"),
    (
      "UPDATE meta SET value = '9223372036854775807' WHERE key = 'redacted_count'", "redacted_count"
    ),
    ("DELETE FROM meta", "redaction"),
  ])
  func `a description that makes no sense`(sql: String, column: String) throws {
    try record([draft(id: 1)], to: path)
    try tamper(path, sql)
    #expect(refusal() == .valueInvalid(path: path, table: "meta", id: nil, column: column))
  }

  @Test(arguments: [
    ("scheme = 'file'", "scheme"), ("authority = 'a' || char(13, 10)", "authority"),
    ("upstream = char(0)", "upstream"),
    ("method = 'GE T'", "method"), ("method = ''", "method"),
    ("target = x'2F0D0A'", "target"), ("target = x''", "target"),
    ("http_version = 'HTTP/11'", "http_version"),
    ("request_fields = x'410D0A'", "request_fields"),
    ("response_fields = CAST('A: b' || char(13, 10, 13, 10) AS BLOB)", "response_fields"),
    ("response_trailers = x'00'", "response_trailers"),
    ("status = 99", "status"), ("status = 101", "status"), ("status = 1000", "status"),
    ("reason = x'0A'", "reason"), ("response_version = NULL", "response_version"),
    ("framing = 'both'", "framing"), ("outcome = 'fine'", "outcome"),
    ("notes = 'redacted odd'", "notes"), ("arrivals = x'0501'", "arrivals"),
    ("arrivals = x'05'", "arrivals"), ("response_body = 99", "response_body"),
    ("end_us = -1", "end_us"), ("first_byte_us = -1", "first_byte_us"),
  ])
  func `a value that must not be replayed, by column`(assignment: String, column: String) throws {
    try record([draft(id: 1, content: [1, 2])], to: path)
    try tamper(path, "UPDATE interaction SET \(assignment)")
    let reader = try CassetteReader(path: path)
    #expect(
      throws: StoreError.valueInvalid(path: path, table: "interaction", id: 1, column: column)
    ) { try reader.interaction(id: 1) }
  }

  /// Ids count up: beyond this one there may be none left.
  @Test func `an id after which none can follow`() throws {
    let id: Int64 = 9_007_199_254_740_993
    let tampering = [
      ("interaction", "id", "UPDATE interaction SET id = \(id)"),
      (
        "interaction", "response_body",
        "UPDATE body SET id = \(id); UPDATE interaction SET response_body = \(id); "
          + "UPDATE body_piece SET body_id = \(id)"
      ),
    ]
    for (table, column, sql) in tampering {
      unlink(path)
      try record([draft(id: 1, content: [1, 2])], to: path)
      try tamper(path, sql)
      let reader = try CassetteReader(path: path)
      let interaction = try reader.interactionIDs()[0]
      #expect(
        throws: StoreError.valueInvalid(path: path, table: table, id: interaction, column: column)
      ) { try reader.interaction(id: interaction) }
    }
  }

  @Test(arguments: [
    ("UPDATE interaction SET id = 9223372036854775807", "interaction"),
    ("UPDATE body SET id = 9223372036854775807", "body"),
    ("UPDATE body_piece SET body_id = 9223372036854775807", "body_piece"),
  ])
  func `nothing is added after the last id`(sql: String, table: String) throws {
    try record([draft(id: 1, content: [1, 2])], to: path)
    try tamper(path, sql)
    let before = contents(path)
    #expect(
      throws: StoreError.valueInvalid(
        path: path, table: table, id: .max, column: table == "body_piece" ? "body_id" : "id")
    ) { try CassetteWriter.open(existing: path, durability: .process) }
    #expect(contents(path) == before)
    #expect(folder.names == ["x.db"])
  }

  @Test func `pieces that do not add up`() throws {
    try record([draft(id: 1, content: [1, 2])], to: path)
    try tamper(path, "UPDATE body SET size = 3")
    let reader = try CassetteReader(path: path)
    #expect(throws: StoreError.bodyDamaged(path: path, id: 1)) { try reader.bodySize(1) }
  }

  /// Whatever parts it is read in, the last byte is not given.
  @Test(arguments: [1, 2, 3, 1000])
  func `content that is not what was recorded`(step: Int) throws {
    try record([draft(id: 1, content: [1, 2, 3, 4, 5])], to: path)
    try tamper(path, "UPDATE body_piece SET bytes = x'0102FF0405'")
    let reader = try CassetteReader(path: path)
    for _ in 0..<2 {
      #expect(throws: StoreError.bodyAltered(path: path, id: 1)) {
        try reader.content(1, by: step)
      }
    }
  }

  @Test func `content that is read with gaps can't be judged`() throws {
    try record([draft(id: 1, content: [1, 2, 3, 4, 5])], to: path)
    try tamper(path, "UPDATE body_piece SET bytes = x'0102FF0405'")
    let reader = try CassetteReader(path: path)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2, alignment: 1)
    defer { buffer.deallocate() }
    #expect(try reader.read(body: 1, offset: 0, into: buffer) == 2)
    #expect(try reader.read(body: 1, offset: 3, into: buffer) == 2)
    // With what was missed, it can.
    #expect(try reader.read(body: 1, offset: 1, into: buffer) == 2)
    #expect(throws: StoreError.bodyAltered(path: path, id: 1)) {
      try reader.read(body: 1, offset: 3, into: buffer)
    }
  }

  @Test func `empty content that was not empty`() throws {
    try record([draft(id: 1, content: [])], to: path)
    try tamper(path, "UPDATE body SET sha256 = zeroblob(32)")
    let reader = try CassetteReader(path: path)
    #expect(throws: StoreError.bodyAltered(path: path, id: 1)) { try reader.bodySize(1) }
  }

  @Test func `names that mean something else to SQLite are plain files`() throws {
    for name in [":memory:", "file:x.db?mode=memory", ""] {
      #expect(throws: StoreError.notFound(path: name)) { try CassetteReader(path: name) }
    }
  }
}

@Suite struct UntouchedTests {
  let folder = Folder()
  var path: String { folder.file("x.db") }

  @Test func `replaying changes neither the file nor its folder`() throws {
    try record([draft(id: 1, content: pattern(3000))], to: path)
    let before = (contents(path), modified(path), modified(folder.path), folder.names)
    do {
      let readers = try (0..<2).map { _ in try CassetteReader(path: path) }
      for reader in readers {
        _ = try reader.foldRequests(from: 0) {
          $0 += 1
          _ = $1
        }
        #expect(try reader.content(1) == pattern(3000))
        #expect(folder.names == ["x.db"])
      }
    }
    _ = try CassetteVerifier.verify(path: path)
    let after = (contents(path), modified(path), modified(folder.path), folder.names)
    #expect(before == after)
  }

  #if os(Linux)
    @Test func `a file that nobody may write in a folder that nobody may write is fine`() throws {
      try record([draft(id: 1, content: pattern(3000))], to: path)
      chmod(path, 0o444)
      chmod(folder.path, 0o555)
      // Only this thread, and only for files; root may write everywhere.
      let identity = setFileSystemUser(65534)
      defer { _ = setFileSystemUser(UInt32(identity)) }
      #expect(open(folder.file("y"), O_WRONLY | O_CREAT, 0o644) == -1)
      let reader = try CassetteReader(path: path)
      #expect(try reader.interactionIDs() == [1])
      #expect(try reader.content(1) == pattern(3000))
    }
  #endif

  /// Nanoseconds of the last change.
  private func modified(_ path: String) -> Int64 {
    var facts = stat()
    stat(path, &facts)
    #if canImport(Glibc)
      return Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec)
    #else
      return Int64(facts.st_mtimespec.tv_sec) * 1_000_000_000
        + Int64(facts.st_mtimespec.tv_nsec)
    #endif
  }
}

#if os(Linux)
  /// Linux's setfsuid, which Swift's Glibc module leaves out.
  @_silgen_name("setfsuid") private func setFileSystemUser(_ user: UInt32) -> Int32
#endif
