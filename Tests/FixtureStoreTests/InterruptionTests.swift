import FixtureCassette
import FixtureHTTP
import Testing

@testable import FixtureStore

/// A kill leaves what is in the file and its log at that moment; a copy of both is the same.
@Suite struct InterruptionTests {
  let folder = Folder()
  var path: String { folder.file("x.db") }
  var killed: String { folder.file("killed.db") }

  @Test func `every committed interaction survives, and repair makes one file of it`() throws {
    let writer = try CassetteWriter.create(path: path, description: .init(), durability: .process)
    for id: Int64 in 1...20 {
      #expect(writer.commitNow(draft(id: id, content: pattern(300, salt: Int(id)))) == nil)
    }
    copyUnfinished(path, to: killed)
    try writer.close()
    #expect(throws: StoreError.sideFile(path: killed, sideFile: killed + "-wal")) {
      try CassetteReader(path: killed)
    }
    let actions = try CassetteVerifier.repair(path: killed)
    guard case .movedLog(let pages)? = actions.first else {
      Issue.record("\(actions)")
      return
    }
    #expect(pages > 20)
    #expect(Array(actions.dropFirst()) == [.leftLogMode])
    #expect(folder.names == ["killed.db", "x.db"])
    let report = try CassetteVerifier.verify(path: killed)
    #expect(report.isSound)
    #expect(report.interactions == 20)
    #expect(try CassetteReader(path: killed).content(20) == pattern(300, salt: 20))
  }

  @Test func `the file alone has its schema from the start`() throws {
    let writer = try CassetteWriter.create(path: path, description: .init(), durability: .process)
    #expect(writer.commitNow(draft(id: 1)) == nil)
    write(contents(path), to: killed)
    try writer.close()
    #expect(throws: StoreError.unfinished(path: killed)) { try CassetteReader(path: killed) }
    #expect(try CassetteVerifier.repair(path: killed) == [.leftLogMode])
    #expect(try CassetteVerifier.verify(path: killed) == VerificationReport())
    #expect(folder.names == ["killed.db", "x.db"])
  }

  @Test func `a body that was being streamed is removed by repair`() throws {
    let writer = try CassetteWriter.create(path: path, description: .init(), durability: .process)
    writer.append(pattern(2_200_000), to: BodyToken(1))
    #expect(writer.commitNow(draft(id: 1, content: [1])) == nil)
    copyUnfinished(path, to: killed)
    try writer.close()
    let actions = try CassetteVerifier.repair(path: killed)
    #expect(actions.count == 3)
    #expect(actions[1] == .removed(bodies: 0, pieces: 2, interims: 0))
    #expect(try CassetteVerifier.verify(path: killed).isSound)
    #expect(size(killed) < 200_000)
  }

  @Test func `an interrupted change is undone by repair`() throws {
    try record([draft(id: 1, content: [1])], to: path)
    let connection = try SQLiteConnection(path: path, mode: .readWrite)
    // A cache of a few pages makes the transaction spill into the file before it ends.
    try connection.execute(
      """
      PRAGMA cache_size = 1; BEGIN;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO body(size, sha256) SELECT 0, zeroblob(32) FROM n
      """)
    write(contents(path), to: killed)
    write(contents(path + "-journal"), to: killed + "-journal")
    try connection.execute("ROLLBACK")
    #expect(throws: StoreError.sideFile(path: killed, sideFile: killed + "-journal")) {
      try CassetteReader(path: killed)
    }
    #expect(try CassetteVerifier.repair(path: killed) == [.rolledBack])
    let report = try CassetteVerifier.verify(path: killed)
    #expect(report.isSound)
    #expect(report.bodies == 1)
  }

  @Test func `repair leaves a sound cassette as it is`() throws {
    try record([draft(id: 1, content: [1])], to: path)
    let before = contents(path)
    #expect(try CassetteVerifier.repair(path: path) == [])
    #expect(contents(path) == before)
    #expect(folder.names == ["x.db"])
  }

  @Test func `repair removes a log that has nothing for the file`() throws {
    try record([draft(id: 1)], to: path)
    write([], to: path + "-wal")
    #expect(throws: StoreError.sideFile(path: path, sideFile: path + "-wal")) {
      try CassetteReader(path: path)
    }
    #expect(try CassetteVerifier.repair(path: path) == [.leftLogMode])
    #expect(folder.names == ["x.db"])
    #expect(try CassetteReader(path: path).interactionIDs() == [1])
  }

  @Test func `repair refuses while the recording runs`() throws {
    let writer = try CassetteWriter.create(path: path, description: .init(), durability: .process)
    writer.append(pattern(1_200_000), to: BodyToken(1))
    #expect(writer.commitNow(draft(id: 1)) == nil)
    let error = #expect(throws: StoreError.self) { try CassetteVerifier.repair(path: path) }
    #expect(error?.description.contains("another process uses the file") == true)
    #expect(
      writer.commitNow(draft(id: 2, body: .streamed(BodyToken(1)), size: 1_200_000)) == nil)
    try writer.close()
    #expect(try CassetteVerifier.verify(path: path).isSound)
  }

  @Test func `repair refuses what is not a cassette`() throws {
    write("hello, this is text\n".utf8, to: path)
    #expect(throws: StoreError.notCassette(path: path)) { try CassetteVerifier.repair(path: path) }
    #expect(contents(path) == Array("hello, this is text\n".utf8))
  }
}
