import FixtureCassette
import FixtureHTTP
import Testing

@testable import FixtureStore

/// Cassettes made of others.
@Suite struct RewriteTests {
  private let folder = Folder()

  private func cassette(_ name: String = "a.db") throws -> String {
    let path = folder.file(name)
    let writer = try CassetteWriter.create(
      path: path, description: CassetteDescription(redactedCount: 3), durability: .process,
      createdBy: "somebody", createdAt_us: 1_700_000_000_000_000)
    for id in 1...3 {
      let body = [UInt8](repeating: UInt8(id), count: 3)
      writer.commit(draft(id: Int64(id), body: .bytes(body), size: 3)) { _ in }
    }
    let token = BodyToken(9)
    for _ in 0..<5 { writer.append([UInt8](repeating: 9, count: 700_000), to: token) }
    writer.commit(draft(id: 4, body: .streamed(token), size: 3_500_000)) { _ in }
    try writer.close()
    return path
  }

  private func copyAll(_ reader: CassetteReader, to rewrite: CassetteRewrite) throws {
    for id in try reader.interactionIDs() {
      try rewrite.copy(try reader.interaction(id: id), from: reader)
    }
  }

  private func interactions(_ reader: CassetteReader) throws -> [Interaction] {
    try reader.interactionIDs().map { id in
      var interaction = try reader.interaction(id: id)
      // Rows have other numbers in another file.
      let body = interaction.response?.body
      interaction.response?.body = body.map {
        BodyReference(id: 0, size: $0.size, digest: $0.digest)
      }
      return interaction
    }
  }

  @Test func `a copy holds the same`() throws {
    let path = try cassette()
    let before = try CassetteReader(path: path)
    let rewrite = try CassetteRewrite(
      path: path, of: before, description: before.description, createdBy: "us")
    try copyAll(before, to: rewrite)
    try rewrite.finish()
    let after = try CassetteReader(path: path)
    #expect(try interactions(after) == interactions(before))
    #expect(after.description == before.description)
    #expect(after.createdAt == before.createdAt && after.createdBy == "somebody")
    #expect(try CassetteVerifier.verify(path: path).isSound)
    #expect(folder.names == ["a.db"])
  }

  @Test func `what is abandoned or let go leaves everything as it was`() throws {
    let path = try cassette()
    let bytes = contents(path)
    let reader = try CassetteReader(path: path)
    for finish in [{ $0.abandon() }, { _ in }] as [(CassetteRewrite) -> Void] {
      let rewrite = try CassetteRewrite(
        path: path, of: reader, description: reader.description, createdBy: "us")
      try copyAll(reader, to: rewrite)
      finish(rewrite)
    }
    #expect(contents(path) == bytes)
    #expect(folder.names == ["a.db"])
  }

  @Test func `a file that came meanwhile is not replaced`() throws {
    let path = try cassette()
    let other = try cassette("b.db")
    let reader = try CassetteReader(path: path)
    let rewrite = try CassetteRewrite(
      path: path, of: reader, description: reader.description, createdBy: "us")
    try FileSystem.rename(path: other, to: path)
    let bytes = contents(path)
    #expect(throws: StoreError.changedMeanwhile(path: path)) { try rewrite.finish() }
    rewrite.abandon()
    #expect(contents(path) == bytes)
    #expect(folder.names == ["a.db"])
  }

  @Test func `only one changes a cassette at a time`() throws {
    let path = try cassette()
    let reader = try CassetteReader(path: path)
    let first = try CassetteRewrite(
      path: path, of: reader, description: reader.description, createdBy: "us")
    #expect(throws: StoreError.changing(path: path)) {
      try CassetteRewrite(
        path: path, of: reader, description: reader.description, createdBy: "us")
    }
    first.abandon()
  }

  @Test func `a new one never takes the place of a file`() throws {
    let path = try cassette()
    #expect(throws: StoreError.exists(path: path)) {
      try CassetteRewrite(
        path: path, of: nil, description: CassetteDescription(), createdBy: "us")
    }
  }

  @Test func `a cassette that is being changed can't be recorded to`() throws {
    let path = try cassette()
    let reader = try CassetteReader(path: path)
    #expect(throws: StoreError.self) {
      try CassetteWriter.open(existing: path, durability: .process)
    }
    withExtendedLifetime(reader) {}
  }
}
