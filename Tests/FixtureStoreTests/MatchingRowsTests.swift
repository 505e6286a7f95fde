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

  @Test func `an interaction is the same when its request's body is known`() throws {
    let reader = try cassette()
    for id in try reader.interactionIDs() {
      let interaction = try reader.interaction(id: id)
      guard let body = interaction.requestBody else { continue }
      #expect(try reader.interaction(id: id, requestBody: body) == interaction)
    }
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
    let stored = unique.map { StoredContent(id: $0.id, size: $0.size) }
    let parts = try reader.foldContents(stored, from: [Found]()) { part, place, bytes in
      part.append(Found(place: place, digest: sha256(Array(bytes))))
    }
    #expect(
      parts
        == [
          unique.enumerated().filter { $0.element.size > 0 }.map { place, body in
            Found(place: place, digest: body.digest)
          }
        ])
  }

  private struct Found: Equatable, Sendable {
    let place: Int
    let digest: [UInt8]
  }

  @Test func `many bodies are read in parts, each once`() throws {
    let path = folder.file("many.db")
    try record(
      (Int64(1)...9000).map { id in
        var draft = draft(id: id)
        draft.requestBody = .bytes(Array("body \(id)".utf8))
        return draft
      }, to: path)
    let reader = try CassetteReader(path: path)
    var stored: [StoredContent] = []
    try reader.forEachRequest(of: reader.interactionIDs()) { row in
      if let body = row.body { stored.append(StoredContent(id: body.id, size: body.size)) }
    }
    let parts = try reader.foldContents(stored, from: [Found]()) { part, place, bytes in
      part.append(Found(place: place, digest: Array(bytes)))
    }
    #expect(
      parts.flatMap { $0 }
        == (0..<9000).map { Found(place: $0, digest: Array("body \($0 + 1)".utf8)) })
  }

  @Test func `bodies that are not there are left out`() throws {
    let reader = try cassette()
    let missing = [-5, 0, 2, 100_000].map { StoredContent(id: $0, size: 7) }
    for stored in [missing, []] {
      let parts = try reader.foldContents(stored, from: 0) { part, _, _ in part += 1 }
      #expect(parts == [0])
    }
    #expect(try reader.content(StoredContent(id: 100_000, size: 1)) == nil)
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
