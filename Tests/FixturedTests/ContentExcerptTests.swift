import FixtureCassette
import FixtureCoding
import FixtureHTTP
import FixtureStore
import Testing

@testable import fixtured

/// What is read from a cassette to be shown.
@Suite struct ContentExcerptTests {
  private func excerpt(
    _ body: [UInt8], _ coding: String?, bytesMax: Int = 100, decodedSizeMax: Int = 1 << 20
  ) throws -> ContentExcerpt? {
    let folder = ScratchFolder()
    var interaction = Sample.interaction()
    var head = FieldSection()
    if let coding { head.append("content-encoding", coding) }
    interaction.response?.head.fields = head
    let reader = try CassetteReader(
      path: try folder.cassette([
        InteractionDraft(
          interaction: interaction, requestBody: .absent, responseBody: .bytes(body))
      ]))
    let stored = try reader.interaction(id: 1)
    #expect(try reader.excerpt(stored.requestBody, of: stored.request.fields) == nil)
    return try reader.excerpt(
      stored.response?.body, of: stored.response?.head.fields, bytesMax: bytesMax,
      decodedSizeMax: decodedSizeMax)
  }

  /// `{"ok":true,"n":1}` and a newline, by gzip.
  private let gzip: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56, 0xCA, 0xCF, 0x56, 0xB2,
    0x2A, 0x29, 0x2A, 0x4D, 0xD5, 0x51, 0xCA, 0x53, 0xB2, 0x32, 0xAC, 0xE5, 0x02, 0x00, 0x21, 0x5B,
    0x9F, 0xAB, 0x12, 0x00, 0x00, 0x00,
  ]
  private let content = Array("{\"ok\":true,\"n\":1}\n".utf8)

  @Test func `coded content is read as it is and decoded`() throws {
    let found = try excerpt(gzip, "gzip")
    #expect(found?.stored == Excerpt(size: 38, beginning: gzip))
    #expect(
      found?.decoded
        == DecodedExcerpt(
          codings: [.gzip], content: Excerpt(size: 18, beginning: content), trailingBytes: 0,
          flaw: nil, digest: SHA256.digest(of: content)))
    #expect(found?.readable == Excerpt(size: 18, beginning: content))
  }

  @Test func `content without a coding is only read`() throws {
    for coding in [nil, "identity"] {
      let found = try excerpt(content, coding)
      #expect(found?.decoded == nil)
      #expect(found?.readable == Excerpt(size: 18, beginning: content))
    }
  }

  @Test func `an empty body has nothing to decode`() throws {
    let found = try excerpt([], "gzip")
    #expect(found?.stored == Excerpt(size: 0, beginning: []))
    #expect(found?.decoded == nil)
  }

  @Test func `only the beginning is kept, the size is the whole`() throws {
    let large = [UInt8](repeating: 0x61, count: 300_000)
    let body = try ContentEncoder.encoded(large, [.zstd, .gzip])
    let found = try excerpt(body, "zstd, gzip", bytesMax: 10)
    #expect(found?.decoded?.content == Excerpt(size: 300_000, beginning: Array(large.prefix(10))))
    let limited = try excerpt(body, "zstd, gzip", decodedSizeMax: 1000)
    #expect(limited?.decoded?.content == Excerpt(size: 1000, beginning: Array(large.prefix(100))))
    #expect(limited?.decoded?.flaw == .outputLimitReached(bytesMax: 1000))
  }

  @Test func `a body larger than what is read at once is decoded to its end`() throws {
    var state: UInt64 = 42
    let content = (0..<100_000).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(state >> 56)
    }
    let body = try ContentEncoder.encoded(content, [.deflate]) + [1, 2]
    #expect(body.count > 2 * Excerpt.pieceBytes)
    let found = try excerpt(body, "deflate", bytesMax: 200_000)
    #expect(
      found?.decoded
        == DecodedExcerpt(
          codings: [.deflate], content: Excerpt(size: 100_000, beginning: content),
          trailingBytes: 2, flaw: nil, digest: SHA256.digest(of: content)))
  }

  @Test func `what says that it is coded and is not is shown as it is`() throws {
    let found = try excerpt(content, "gzip")
    #expect(found?.decoded?.isUseless == true)
    #expect(found?.readable == Excerpt(size: 18, beginning: content))
  }
}
