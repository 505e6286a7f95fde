import FixtureCassette
import FixtureHTTP
import Testing

@testable import FixtureStore

/// What matching reads by the hundred thousand, against what one interaction says.
@Suite struct MatchingRowsTests {
  private let folder = Folder()

  /// 60 interactions, every third id left out, bodies of different kinds.
  private func cassette() throws -> CassetteReader {
    let path = folder.file("x.db")
    let drafts = (Int64(1)...90).filter { $0 % 3 != 0 }.map { id in
      var draft = draft(id: id, target: "/\(id % 5)")
      draft.interaction.upstream = id % 7 == 0 ? nil : "u\(id % 2)"
      draft.interaction.authority = "a\(id % 4).test"
      if id % 5 == 0 { draft.interaction.notes = [.redacted, .requestCut] }
      if id % 11 == 0 {
        draft.interaction.response = nil
        draft.interaction.outcome = id % 2 == 0 ? .cancelled : .refused
      }
      switch id % 4 {
      case 0: draft.requestBody = .bytes(pattern(Int(id) * 100))
      case 1: draft.requestBody = .bytes([])
      case 2 where id == 50: draft.requestBody = .bytes(pattern((2 << 20) + 7))
      default: break
      }
      return draft
    }
    try record(drafts, to: path)
    return try CassetteReader(path: path)
  }

  @Test(arguments: [1, 2, 3, 5, 11, 60])
  func `rows say what interactions say, looked for or swept`(_ step: Int) throws {
    let reader = try cassette()
    let all = try reader.interactionIDs()
    let ids = stride(from: 0, to: all.count, by: step).map { all[$0] }
    var rows: [Row] = []
    try reader.forEachRequest(of: ids) { rows.append(Row($0)) }
    #expect(
      try rows
        == ids.map { id in
          var row: Row?
          try reader.interaction(id: id).withRequestRow { row = Row($0) }
          return try #require(row)
        })
  }

  @Test func `rows of no ids are none, a missing one is named`() throws {
    let reader = try cassette()
    try reader.forEachRequest(of: []) { _ in Issue.record("a row") }
    for ids: [Int64] in [[3], [1, 2, 3, 4], [1, 900], [89, 91]] {
      #expect(throws: StoreError.self) { try reader.forEachRequest(of: ids) { _ in } }
    }
  }

  @Test(arguments: [1, 2, 7, 40])
  func `bodies come whole and in order, looked for or swept`(_ step: Int) throws {
    let reader = try cassette()
    let all = try reader.interactionIDs().compactMap {
      try reader.interaction(id: $0).requestBody
    }.sorted { $0.id < $1.id }
    let bodies = stride(from: 0, to: all.count, by: step).map { all[$0] }
    var unique: [BodyReference] = []
    for body in bodies where unique.last?.id != body.id { unique.append(body) }
    var found: [Int64: [UInt8]] = [:]
    var order: [Int64] = []
    try reader.forEachContent(of: unique.map(\.id)) { id, bytes in
      order.append(id)
      found[id] = Array(bytes)
    }
    let expected = unique.filter { $0.size > 0 }
    #expect(order == expected.map(\.id))
    for body in expected { #expect(found[body.id].map(sha256) == body.digest) }
  }

  @Test func `bodies that are not there are left out`() throws {
    let reader = try cassette()
    var found: [Int64] = []
    try reader.forEachContent(of: [-5, 0, 100_000]) { id, _ in found.append(id) }
    try reader.forEachContent(of: []) { id, _ in found.append(id) }
    #expect(found == [])
  }

  private struct Row: Equatable {
    let id: Int64
    let upstream: String?
    let authority: [UInt8]
    let method: Method
    let target: [UInt8]
    let fields: [UInt8]
    let body: BodyReference?
    let notes: Set<Interaction.Note>
    let isPlayable: Bool
    let responseFields: [UInt8]

    init(_ row: RequestRow) {
      id = row.id
      upstream = row.upstream
      authority = Array(row.authority)
      method = row.method
      target = Array(row.target)
      fields = Array(row.fields.bytes)
      body = row.body.map {
        BodyReference(id: $0.id, size: $0.size, digest: Array($0.digest))
      }
      notes = row.notes
      isPlayable = row.isPlayable
      responseFields = Array(row.responseFields.bytes)
    }
  }
}
