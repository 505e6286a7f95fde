import FixtureHTTP
import Synchronization
import Testing

@testable import FixtureStore

/// Journal files, written and read.
@Suite struct JournalTests {
  private func written(_ rows: [JournalRow], in folder: Folder) throws -> JournalReader {
    let file = try JournalFile(creating: folder.file("j.db"), createdBy: "test")
    try file.write(rows)
    try file.finish()
    return try JournalReader(path: folder.file("j.db"))
  }

  private let session = JournalRow.session(
    .init(id: 1, name: "default", cassette: "c.db", beganAt_us: 5, seed: 7))

  @Test func `what a block leaves out is read as it is for a plain exchange`() throws {
    let folder = Folder()
    let reader = try written(
      [
        session, .source(id: 3, .interaction(9, play: 1, of: 2)),
        .block(session: 1, count: 1, Array("[[1,2,3,4,5,3,6,700,80,90]]".utf8)),
      ], in: folder)
    var found: [JournalRow.Exchange] = []
    try reader.exchanges(of: 1) { found.append($0) }
    let moment = JournalRow.Moment(due_us: 700, done_us: 700)
    #expect(
      found == [
        .init(
          session: 1, number: 1, connection: 2, ordinal: 3, concurrent: 4, request: 5, response: 6,
          source: .interaction(9, play: 1, of: 2), received_us: 700, requestEnd_us: 700,
          head: moment, last: moment, end_us: 700, headBytes: 80, bodyBytes: 90,
          outcome: "completed")
      ])
  }

  @Test func `all that a block says is read`() throws {
    let folder = Folder()
    let text = #"""
      [[8,1,1,0,1,1,"",700,0,0,"","","",-50,10,30,
        "aborted",4,"ab12","closed",2,3,"1 2","x",[{"a":1}]],
      [7,1,1,0,1,1,null,600,0,0]]
      """#
    let reader = try written(
      [session, .source(id: 1, .miss("none")), .block(session: 1, count: 2, Array(text.utf8))],
      in: folder)
    var found: [JournalRow.Exchange] = []
    try reader.exchanges(of: 1) { found.append($0) }
    #expect(found.map(\.number) == [7, 8])
    #expect(found[0].response == nil)
    #expect(
      found[1]
        == .init(
          session: 1, number: 8, connection: 1, ordinal: 1, concurrent: 0, request: 1,
          contentSize: 4, contentDigest: "ab12", source: .miss("none"), ruleSet: 3, rules: "1 2",
          overruled: "x", draws: #"[{"a":1}]"#, received_us: 700,
          last: .init(due_us: 650, done_us: 710), end_us: 730, outcome: "aborted",
          departure: "closed", rebases: 2))
  }

  @Test func `the last exchanges are those of the last blocks`() throws {
    let folder = Folder()
    var rows = [session, .source(id: 1, .rules)]
    for block: Int64 in 0..<5 {
      let numbers = (1...10).map { (number: Int64) in "[\(block * 10 + number),1,1,0,1,1,1,0,0,0]" }
      rows.append(
        .block(session: 1, count: 10, Array("[\(numbers.joined(separator: ","))]".utf8)))
    }
    let reader = try written(rows, in: folder)
    #expect(try reader.exchangeCount(of: 1) == 50)
    #expect(try reader.lastExchanges(of: 1, limit: 12).map(\.number) == Array(Int64(39)...50))
    #expect(try reader.lastExchanges(of: 1, limit: 100).count == 50)
    #expect(try reader.lastExchanges(of: 2, limit: 100).isEmpty)
  }

  @Test func `what there is when the writer is closed is written`() throws {
    let folder = Folder()
    let waiting = Mutex([session])
    let writer = try JournalWriter(
      creating: folder.file("j.db"), createdBy: "test",
      rows: {
        waiting.withLock { rows in
          defer { rows = [] }
          return rows
        }
      }, onFailure: { Issue.record("\($0)") })
    try writer.close()
    #expect(try JournalReader(path: folder.file("j.db")).sessions().map(\.name) == ["default"])
    #expect(folder.names == ["j.db"])
  }
}
