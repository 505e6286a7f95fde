import CFixtureSQLite
import FixtureCassette
import FixtureHTTP
import Testing

@testable import FixtureStore

/// What becomes of a cassette when a SQLite call fails.
@Suite struct FailureTests {
  let folder = Folder(inMemory: true)

  /// One recording in which calls may fail.
  private struct Recording {
    var stored: [Int64] = []
    var errors: [StoreError] = []
    var isCreated = false
    var isClosed = false
  }

  private func recording(
    _ path: String, _ conditions: TestConditions, inPlace: Bool
  ) -> Recording {
    var result = Recording()
    let writer: CassetteWriter
    do {
      writer = try CassetteWriter.create(
        path: path, description: .init(), durability: .process, conditions: conditions)
    } catch {
      result.errors.append(error)
      return result
    }
    result.isCreated = true
    for _ in 0..<3 { writer.append(pattern(1000), to: BodyToken(1)) }
    for id: Int64 in 1...3 {
      let draft =
        id == 2
        ? draft(id: 2, body: .streamed(BodyToken(1)), size: 3000)
        : draft(id: id, content: [UInt8(id)])
      if let error = inPlace ? writer.commitSoon(draft) : writer.commitNow(draft) {
        result.errors.append(error)
      } else {
        result.stored.append(id)
      }
    }
    writer.updateDescription(.init(redactedCount: 2))
    writer.append(pattern(10), to: BodyToken(2))
    do {
      try writer.close()
      result.isClosed = true
    } catch {
      result.errors.append(error)
    }
    return result
  }

  @Test(arguments: [false, true], [false, true])
  func `whichever call fails, what was acknowledged is there and the error is told`(
    lasting: Bool, inPlace: Bool
  ) throws {
    for number in 1... {
      let path = folder.file("\(number).db")
      let conditions = TestConditions(first: number, lasting: lasting, openBodyBytesMax: 1000)
      let recording = recording(path, conditions, inPlace: inPlace)
      if conditions.count < number {
        #expect(recording.stored == [1, 2, 3])
        #expect(recording.errors == [])
        #expect(number > 150, "\(number) calls")
        return
      }
      try check(recording, path, "call \(number)")
    }
  }

  private func check(_ recording: Recording, _ path: String, _ comment: Comment) throws {
    #expect(!recording.errors.isEmpty, comment)
    for error in recording.errors {
      guard case .sqlite(let failure) = error else {
        Issue.record("\(comment): \(error)")
        continue
      }
      #expect(failure.code == SQLITE_IOERR, comment)
    }
    guard recording.isCreated else {
      #expect(folder.names == [], comment)
      return
    }
    #expect(!recording.isClosed, comment)
    _ = try CassetteVerifier.repair(path: path)
    let report = try CassetteVerifier.verify(path: path)
    #expect(report.findings == [], comment)
    #expect(try CassetteReader(path: path).interactionIDs() == recording.stored, comment)
    #expect(folder.names == [String(path.split(separator: "/").last ?? "")], comment)
    FileSystem.remove(path: path)
  }

  @Test func `a full disk stops the recording and keeps what was stored`() throws {
    let path = folder.file("x.db")
    let writer = try CassetteWriter.create(
      path: path, description: .init(), durability: .process,
      conditions: TestConditions(pagesMax: 60))
    var stored: [Int64] = []
    var failure: StoreError?
    for id: Int64 in 1...100 where failure == nil {
      failure = writer.commitNow(draft(id: id, content: pattern(20_000, salt: Int(id))))
      if failure == nil { stored.append(id) }
    }
    #expect(failure?.description.hasSuffix("free some space on the disk") == true)
    #expect(stored.count > 5 && stored.count < 60)
    #expect(throws: try #require(failure)) { try writer.close() }
    #expect(folder.names == ["x.db"])
    #expect(try CassetteVerifier.verify(path: path).isSound)
    #expect(try CassetteReader(path: path).interactionIDs() == stored)
  }

  @Test func `whichever call fails, a reader tells and the next call works`() throws {
    let path = folder.file("x.db")
    try record([draft(id: 1, content: pattern(5000))], to: path)
    for number in 1... {
      let conditions = TestConditions(first: number)
      var told = 0
      do {
        let reader = try CassetteReader(path: path, conditions: conditions)
        for _ in 0..<2 {
          do {
            #expect(try reader.interaction(id: 1).id == 1)
            #expect(try reader.content(1, by: 1000) == pattern(5000))
          } catch {
            told += 1
          }
        }
      } catch {
        told += 1
      }
      #expect(told == (conditions.count < number ? 0 : 1), "call \(number)")
      if conditions.count < number { return }
    }
  }
}
