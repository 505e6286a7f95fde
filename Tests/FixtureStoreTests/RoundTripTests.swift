import FixtureCassette
import FixtureHTTP
import Testing

@testable import FixtureStore

@Suite struct RoundTripTests {
  let folder = Folder()

  @Test func `a cassette says what was said about it, in order`() throws {
    let description = CassetteDescription(
      upstreams: [
        .init(name: "b", url: "https://b.test/v1"), .init(name: "a", url: "http://a.test:81"),
      ],
      redactions: ["header:X-Key", "query:k=v"], redactedCount: 7, preservesHost: true)
    let path = folder.file("x.db")
    try CassetteWriter.create(
      path: path, description: description, durability: .process, createdBy: "fixtured 0.1.0",
      createdAt_us: 1_700_000_000_999_999
    ).close()
    let reader = try CassetteReader(path: path)
    #expect(reader.description == description)
    #expect(reader.createdBy == "fixtured 0.1.0")
    #expect(reader.createdAt == "2023-11-14T22:13:20Z")
    #expect(reader.formatVersion == 1)
    #expect(try reader.interactionIDs() == [])
    #expect(folder.names == ["x.db"])
  }

  @Test func `a description given later replaces the first`() throws {
    let path = folder.file("x.db")
    let writer = try CassetteWriter.create(
      path: path,
      description: .init(upstreams: [.init(name: nil, url: "http://a.test/a=b")], redactions: nil),
      durability: .process)
    let later = CassetteDescription(
      upstreams: [.init(name: nil, url: "http://a.test/a=b")], redactions: [], redactedCount: 3)
    writer.updateDescription(later)
    try writer.close()
    #expect(try CassetteReader(path: path).description == later)
  }

  @Test func `an interaction comes back as it was, every field of it`() throws {
    var given = fullDraft()
    let path = folder.file("x.db")
    let writer = try CassetteWriter.create(path: path, description: .init(), durability: .power)
    #expect(writer.commitNow(given) == nil)
    try writer.close()
    let reader = try CassetteReader(path: path)
    let found = try reader.interaction(id: 7)
    given.interaction.requestBody = BodyReference(id: 1, size: 3, digest: sha256([1, 2, 3]))
    given.interaction.response?.body = BodyReference(
      id: 2, size: 5, digest: sha256([9, 8, 7, 6, 5]))
    #expect(found == given.interaction)
    #expect(try reader.content(1) == [1, 2, 3])
    #expect(try reader.content(2) == [9, 8, 7, 6, 5])
  }

  @Test func `a transport failure has no response`() throws {
    var given = draft(id: 1)
    given.interaction.response = nil
    given.interaction.firstByte_us = nil
    given.interaction.outcome = .refused
    given.interaction.outcomeDetail = "connection refused"
    let path = folder.file("x.db")
    let writer = try CassetteWriter.create(path: path, description: .init(), durability: .process)
    #expect(writer.commitNow(given) == nil)
    try writer.close()
    #expect(try CassetteReader(path: path).interaction(id: 1) == given.interaction)
  }

  @Test func `an empty body is not an absent one`() throws {
    let path = folder.file("x.db")
    let writer = try CassetteWriter.create(path: path, description: .init(), durability: .process)
    #expect(writer.commitNow(draft(id: 1, content: [])) == nil)
    #expect(writer.commitNow(draft(id: 2)) == nil)
    try writer.close()
    let reader = try CassetteReader(path: path)
    let body = BodyReference(id: 1, size: 0, digest: sha256([]))
    #expect(try reader.interaction(id: 1).response?.body == body)
    #expect(try reader.content(1) == [])
    #expect(try reader.interaction(id: 2).response?.body == nil)
  }

  @Test func `requests come in the order of ids, whatever the order of commits`() throws {
    let path = folder.file("x.db")
    let writer = try CassetteWriter.create(path: path, description: .init(), durability: .process)
    for id: Int64 in [3, 1, 2] {
      var given = draft(id: id, target: "/\(id)")
      given.interaction.upstream = ["a", nil, "b"][Int(id - 1)]
      given.interaction.authority = ["a.test", "b.test:1", "b.test:1"][Int(id - 1)]
      #expect(writer.commitNow(given) == nil)
    }
    try writer.close()
    let reader = try CassetteReader(path: path)
    let expected: [InteractionSummary] = [
      .init(id: 1, upstream: "a", authority: "a.test", method: .get, target: Array("/1".utf8)),
      .init(id: 2, upstream: nil, authority: "b.test:1", method: .get, target: Array("/2".utf8)),
      .init(id: 3, upstream: "b", authority: "b.test:1", method: .get, target: Array("/3".utf8)),
    ]
    for idsPerPart: UInt64 in [1, 2, 5000] {
      let parts = try reader.foldRequests(from: [InteractionSummary](), idsPerPart: idsPerPart) {
        $0.append(InteractionSummary($1))
      }
      #expect(parts.flatMap { $0 } == expected)
    }
    #expect(try reader.interactionIDs() == [1, 2, 3])
  }

  @Test(
    arguments: [
      (1...1, 1), (1...100, 1), (1...7, 3), (1...8, 3), (.min ... .max, 4), (.max ... .max, 1),
      (-5...5, 2), (.min ... .min + 5, 2),
    ] as [(ClosedRange<Int64>, Int)])
  func `ids are divided without a gap`(_ ids: ClosedRange<Int64>, _ count: Int) {
    let ranges = CassetteReader.ranges(of: ids, idsPerPart: count == 1 ? 100 : 2, partsMax: count)
    #expect(ranges.count == count)
    #expect(ranges.first?.lowerBound == ids.lowerBound)
    #expect(ranges.last?.upperBound == ids.upperBound)
    for (range, next) in zip(ranges, ranges.dropFirst()) {
      #expect(range.upperBound + 1 == next.lowerBound)
    }
  }

  @Test func `an id that is not there is named`() throws {
    let path = folder.file("x.db")
    try CassetteWriter.create(path: path, description: .init(), durability: .process).close()
    let reader = try CassetteReader(path: path)
    #expect(throws: StoreError.interactionMissing(path: path, id: 5)) {
      try reader.interaction(id: 5)
    }
    #expect(throws: StoreError.bodyMissing(path: path, id: 6)) { try reader.bodySize(6) }
  }

  private func fullDraft() -> InteractionDraft {
    var arrivals = Arrivals()
    arrivals.append(offset_us: 100, count: 2)
    arrivals.append(offset_us: 5_000_000_000, count: 3)
    let interaction = Interaction(
      id: 7, startedAt_us: 1_700_000_000_123_456, upstream: "api", scheme: "https",
      authority: "a.test:8443",
      request: RequestHead(
        method: .other(Array("PROPFIND".utf8)), target: Array("/raw-".utf8) + [0xC3, 0xFF],
        version: .http10,
        fields: fields(["hOST": "a.test", "X-Twice": "1", "x-twice": "2", "X-Empty": ""])),
      requestTrailers: fields(["X-Sum": "r"]),
      response: RecordedResponse(
        head: ResponseHead(
          version: .http10, status: 299, reason: [0xE9, 0x20, 0x21],
          fields: fields(["Set-Cookie": "a=1", "set-cookie": "b=2"])),
        framing: .chunked, trailers: fields(["X-Sum": "s"]), arrivals: arrivals),
      interims: [
        RecordedInterim(
          offset_us: 0,
          head: ResponseHead(status: 103, reason: [], fields: fields(["Link": "</a>"]))),
        RecordedInterim(offset_us: 9, head: ResponseHead(status: 102, reason: Array("P".utf8))),
      ],
      outcome: .truncated, outcomeDetail: "5 of 9 bytes", notes: [.redacted, .bothFramings],
      connection: 4, firstByte_us: 11, end_us: 5_000_000_123)
    return InteractionDraft(
      interaction: interaction, requestBody: .bytes([1, 2, 3]),
      responseBody: .bytes([9, 8, 7, 6, 5]))
  }
}
