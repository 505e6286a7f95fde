import FixtureCassette
import FixtureHTTP
import Synchronization
import Testing

@testable import FixtureStore

@Suite struct CassetteWriterTests {
  let folder = Folder()
  var path: String { folder.file("x.db") }

  private func create() throws -> CassetteWriter {
    try CassetteWriter.create(path: path, description: .init(), durability: .process)
  }

  @Test func `threads commit at once and nothing is lost`() async throws {
    let writer = try create()
    let completions = Completions()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for number in 0..<50 {
            let id = Int64(thread * 50 + number + 1)
            writer.commit(
              draft(id: id, content: pattern(200, salt: Int(id))),
              completion: completions.callback(id))
          }
        }
      }
    }
    try writer.close()
    #expect(completions.stored == Array(1...200))
    let reader = try CassetteReader(path: path)
    #expect(try reader.interactionIDs() == Array(1...200))
    let body = try #require(try reader.interaction(id: 77).response?.body)
    #expect(try reader.content(body.id) == pattern(200, salt: 77))
  }

  @Test func `equal bodies share a row, others do not`() throws {
    try record(
      [
        draft(id: 1, content: [1, 2]), draft(id: 2, content: [1, 2]),
        draft(id: 3, content: [2, 1]),
        draft(id: 4, content: []), draft(id: 5, content: []),
      ], to: path)
    let reader = try CassetteReader(path: path)
    let bodies = try (1...5).map { try reader.interaction(id: $0).response?.body?.id }
    #expect(bodies == [1, 1, 3, 4, 4])
  }

  @Test func `a small streamed body is shared like a whole one`() throws {
    let writer = try create()
    #expect(writer.commitNow(draft(id: 1, content: [1, 2, 3])) == nil)
    writer.append([1], to: BodyToken(9))
    writer.append([2, 3], to: BodyToken(9))
    #expect(writer.commitNow(draft(id: 2, body: .streamed(BodyToken(9)), size: 3)) == nil)
    try writer.close()
    let reader = try CassetteReader(path: path)
    #expect(try reader.interaction(id: 2).response?.body?.id == 1)
  }

  @Test func `the oldest shared bodies are forgotten first`() {
    var shared = SharedBodies(capacity: 2)
    for id: Int64 in 1...3 { shared.insert(id: id, size: id, digest: sha256([])) }
    let found = (1...3).map { shared[size: $0, digest: sha256([])] }
    #expect(found == [nil, 2, 3])
    shared.insert(id: 4, size: 4, digest: sha256([]))
    #expect(shared[size: 2, digest: sha256([])] == nil)
    #expect(shared[size: 3, digest: sha256([])] == 3)
  }

  @Test func `a large body is streamed into pieces and read across them`() throws {
    let writer = try create()
    let content = pattern(2_500_001)
    let token = BodyToken(1)
    for start in stride(from: 0, to: content.count, by: 300_000) {
      writer.append(Array(content[start..<min(start + 300_000, content.count)]), to: token)
    }
    #expect(
      writer.commitNow(draft(id: 1, body: .streamed(token), size: content.count)) == nil)
    try writer.close()
    let reader = try CassetteReader(path: path)
    let body = try #require(try reader.interaction(id: 1).response?.body)
    #expect(body.size == 2_500_001)
    #expect(body.digest == sha256(content))
    #expect(try reader.content(body.id, by: 777_777) == content)
    let pieces = try SQLiteStatement(
      reader.connection, "SELECT seq, length(bytes) FROM body_piece ORDER BY seq")
    var found: [[Int64]] = []
    while try pieces.step() { found.append([pieces.integer(0), pieces.integer(1)]) }
    #expect(found == [[0, 1_048_576], [1, 1_048_576], [2, 402_849]])
  }

  @Test func `an abandoned body leaves no row and no space behind`() throws {
    let writer = try create()
    writer.append(pattern(1_200_000), to: BodyToken(1))
    #expect(writer.commitNow(draft(id: 1, content: [1])) == nil)
    writer.abandon(BodyToken(1))
    writer.abandon(BodyToken(2))
    try writer.close()
    #expect(try CassetteVerifier.verify(path: path).isSound)
    #expect(size(path) < 200_000)
  }

  @Test func `a body that is still streamed at the end is removed`() throws {
    let writer = try create()
    writer.append(pattern(1_200_000), to: BodyToken(1))
    try writer.close()
    #expect(try CassetteVerifier.verify(path: path) == VerificationReport())
    #expect(size(path) < 200_000)
  }

  @Test func `an unknown token stops the recording with its number`() throws {
    let writer = try create()
    let failure = StoreError.bodyTokenUnknown(path: path, token: 5)
    #expect(writer.commitNow(draft(id: 1, body: .streamed(BodyToken(5)))) == failure)
    #expect(writer.failure == failure)
    #expect(writer.commitNow(draft(id: 2)) == failure)
    #expect(throws: failure) { try writer.close() }
    #expect(try CassetteReader(path: path).interactionIDs() == [])
  }

  @Test func `one id twice is refused and the first stays`() throws {
    let writer = try create()
    #expect(writer.commitNow(draft(id: 1, target: "/first")) == nil)
    let failure = writer.commitNow(draft(id: 1, target: "/second"))
    #expect(failure?.description.contains("UNIQUE constraint failed: interaction.id") == true)
    #expect(throws: StoreError.self) { try writer.close() }
    let reader = try CassetteReader(path: path)
    #expect(try reader.interaction(id: 1).request.target == Array("/first".utf8))
  }

  @Test func `a closed writer refuses and closes again alike`() throws {
    let writer = try create()
    try writer.close()
    try writer.close()
    #expect(writer.commitNow(draft(id: 1)) == .writerClosed(path: path))
  }

  @Test func `a writer that is let go still stores what was queued`() throws {
    let completions = Completions()
    do {
      let writer = try create()
      writer.commit(draft(id: 1), completion: completions.callback(1))
    }
    #expect(completions.wait(1) == nil)
  }

  @Test func `what is stored in place is there with what the thread stored`() throws {
    let writer = try create()
    writer.append(pattern(70_000), to: BodyToken(1))
    #expect(writer.commitNow(draft(id: 1, content: [1])) == nil)
    #expect(writer.commitSoon(draft(id: 2, content: [2])) == nil)
    #expect(writer.commitSoon(draft(id: 3, body: .streamed(BodyToken(1)), size: 70_000)) == nil)
    #expect(writer.commitNow(draft(id: 4, content: [2])) == nil)
    try writer.close()
    let reader = try CassetteReader(path: path)
    #expect(try reader.interactionIDs() == [1, 2, 3, 4])
    let streamed = try #require(try reader.interaction(id: 3).response?.body)
    #expect(try reader.content(streamed.id) == pattern(70_000))
    let shared = try [2, 4].map { try reader.interaction(id: $0).response?.body?.id }
    #expect(shared[0] == shared[1])
  }

  @Test func `threads store in place and through the queue, and nothing is lost`() async throws {
    let writer = try create()
    let completions = Completions()
    let inPlace = Completions()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for number in 0..<100 {
            let id = Int64(thread * 100 + number + 1)
            let draft = draft(id: id, content: pattern(200, salt: Int(id)))
            if case .success? = writer.commitInPlace(draft) {
              inPlace.callback(id)(nil)
              completions.callback(id)(nil)
            } else {
              writer.commit(draft, completion: completions.callback(id))
            }
          }
        }
      }
    }
    try writer.close()
    #expect(completions.stored == Array(1...400))
    #expect(inPlace.count > 0)
    #expect(try CassetteVerifier.verify(path: path).isSound)
    #expect(try CassetteReader(path: path).interactionIDs() == Array(1...400))
  }

  @Test func `nothing is stored in place of a closed writer, or where a disk is waited for`() throws
  {
    let writer = try create()
    try writer.close()
    #expect(writer.commitInPlace(draft(id: 1)) == nil)
    let safe = try CassetteWriter.create(
      path: folder.file("y.db"), description: .init(), durability: .power)
    #expect(safe.commitInPlace(draft(id: 1)) == nil)
    try safe.close()
  }

  @Test func `several are stored together, or none of them`() throws {
    let writer = try create()
    let completions = Completions()
    writer.commit([draft(id: 1), draft(id: 2)], completion: completions.callback(1))
    #expect(completions.wait(1) == nil)
    writer.commit([draft(id: 3), draft(id: 2)], completion: completions.callback(2))
    #expect(completions.wait(2) != nil)
    #expect(writer.commitInPlace(draft(id: 4)) == nil)
    #expect(throws: StoreError.self) { try writer.close() }
    #expect(try CassetteReader(path: path).interactionIDs() == [1, 2])
  }

  @Test func `queued bytes are counted until they are stored`() throws {
    let writer = try create()
    #expect(writer.queuedBytes == 0)
    let drained = Atomic<Int>(0)
    let completions = Completions()
    for id: Int64 in 1...20 {
      writer.commit(draft(id: id, content: pattern(100_000, salt: Int(id)))) { error in
        completions.callback(id)(error)
      }
    }
    writer.whenDrained(below: 1) { drained.add(1, ordering: .relaxed) }
    try writer.close()
    #expect(drained.load(ordering: .relaxed) == 1)
    #expect(writer.queuedBytes == 0)
    writer.whenDrained(below: 1) { drained.add(1, ordering: .relaxed) }
    #expect(drained.load(ordering: .relaxed) == 2)
  }

  @Test(arguments: [false, true])
  func `the log stays bounded while recording goes on`(inPlace: Bool) throws {
    let writer = try create()
    var largest: Int64 = 0
    for id: Int64 in 1...900 {
      let draft = draft(id: id, content: pattern(2000, salt: Int(id)))
      #expect((inPlace ? writer.commitSoon(draft) : writer.commitNow(draft)) == nil)
      largest = max(largest, size(path + "-wal"))
    }
    // One page over the bound is when it is moved; a commit is a handful of pages.
    #expect(largest > 8 << 20 && largest < 18 << 20, "\(largest)")
    try writer.close()
  }

  /// As somebody does who looks what has come so far.
  @Test func `what is committed can be read by others while recording goes on`() throws {
    let writer = try create()
    for id: Int64 in 1...3 {
      #expect(writer.commitNow(draft(id: id, content: pattern(9000, salt: Int(id)))) == nil)
      let reader = try SQLiteConnection(path: path, mode: .readOnly)
      #expect(try reader.integer("SELECT count(*) FROM interactions") == id)
    }
    try writer.close()
  }

  @Test func `a closed writer has no file open`() throws {
    let writer = try create()
    for id: Int64 in 1...200 {
      #expect(writer.commitNow(draft(id: id, content: pattern(9000, salt: Int(id)))) == nil)
    }
    #expect(folder.openNames == ["x.db", "x.db-shm", "x.db-wal", "x.db-wal"])
    try writer.close()
    #expect(folder.openNames == [])
  }

  @Test func `a file that is there is not touched`() throws {
    write("keep".utf8, to: path)
    #expect(throws: StoreError.exists(path: path)) { try create() }
    #expect(contents(path) == Array("keep".utf8))
  }

  @Test func `a folder that is not there is named`() {
    let path = folder.file("none/x.db")
    let error = #expect(throws: StoreError.self) {
      try CassetteWriter.create(path: path, description: .init(), durability: .process)
    }
    #expect(error?.description == "\(path): open: No such file or directory")
  }
}

@Suite struct BodyRowsTests {
  let folder = Folder()

  @Test func `many open bodies are held back only up to a bound`() throws {
    let path = folder.file("x.db")
    try record([], to: path)
    let connection = try SQLiteConnection(
      path: path, mode: .readWrite, conditions: TestConditions(openBodyBytesMax: 1000))
    try connection.execute("BEGIN")
    let rows = try BodyRows(connection)
    for round in 0..<4 {
      for token: Int64 in 0..<5 {
        try rows.append(pattern(100, salt: round), to: BodyToken(token))
      }
    }
    let written = try connection.integer("SELECT sum(length(bytes)) FROM body_piece") ?? 0
    #expect(rows.openByteCount <= 1000)
    #expect(Int(written) + rows.openByteCount == 2000)
    let id = try #require(try rows.store(.streamed(BodyToken(3))))
    try connection.execute("COMMIT")
    let reader = try CassetteReader(path: path)
    #expect(try reader.content(id, by: 33) == (0..<4).flatMap { pattern(100, salt: $0) })
  }
}

@Suite struct ExistingCassetteTests {
  let folder = Folder()
  var path: String { folder.file("x.db") }

  @Test func `recording goes on after the last id and body`() throws {
    try record([draft(id: 4, content: [1]), draft(id: 9, content: [2])], to: path)
    let writer = try CassetteWriter.open(existing: path, durability: .process)
    #expect(writer.nextID == 10)
    #expect(writer.commitNow(draft(id: 10, content: [3])) == nil)
    try writer.close()
    let reader = try CassetteReader(path: path)
    #expect(try reader.interactionIDs() == [4, 9, 10])
    #expect(try reader.interaction(id: 10).response?.body?.id == 3)
    #expect(folder.names == ["x.db"])
  }

  @Test func `a run that adds nothing changes no interaction`() throws {
    try record([draft(id: 1, content: [1])], to: path)
    let before = try CassetteReader(path: path).interaction(id: 1)
    try CassetteWriter.open(existing: path, durability: .process).close()
    #expect(try CassetteReader(path: path).interaction(id: 1) == before)
    #expect(folder.names == ["x.db"])
  }

  @Test func `a file is as it was until something is added, and nobody else opens it`() throws {
    try record([draft(id: 1)], to: path)
    let before = contents(path)
    let writer = try CassetteWriter.open(existing: path, durability: .process)
    #expect(folder.names == ["x.db"])
    #expect(throws: StoreError.inUse(path: path)) { try CassetteReader(path: path) }
    #expect(throws: StoreError.inUse(path: path)) {
      try CassetteWriter.open(existing: path, durability: .process)
    }
    #expect(throws: StoreError.inUse(path: path)) { try CassetteReplacement.place(of: path) }
    try writer.close()
    #expect(contents(path) == before)
    #expect(folder.names == ["x.db"])
  }

  @Test func `what is there can be read while more is recorded`() throws {
    try record([draft(id: 1, content: pattern(100))], to: path)
    let writer = try CassetteWriter.open(existing: path, durability: .process)
    do {
      let reader = try CassetteReader(path: path, access: .besideWriter)
      #expect(try reader.interactionIDs() == [1])
      #expect(try reader.content(1) == pattern(100))
      #expect(writer.commitNow(draft(id: 2, content: pattern(50))) == nil)
      #expect(try reader.interactionIDs() == [1, 2])
      #expect(try reader.content(2) == pattern(50))
    }
    try writer.close()
    #expect(folder.names == ["x.db"])
    #expect(try CassetteReader(path: path).interactionIDs() == [1, 2])
  }

  @Test func `a cassette that somebody replays is not written to`() throws {
    try record([draft(id: 1)], to: path)
    let reader = try CassetteReader(path: path)
    let error = #expect(throws: StoreError.self) {
      try CassetteWriter.open(existing: path, durability: .process)
    }
    #expect(error?.description.contains("another process uses the file") == true)
    #expect(try reader.interactionIDs() == [1])
    #expect(folder.names == ["x.db"])
  }
}
