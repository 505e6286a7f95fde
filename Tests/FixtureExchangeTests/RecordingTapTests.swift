import FixtureCassette
import FixtureExchange
import FixtureHTTP
import Testing

@Suite struct `The recording tap` {
  private static let ms: Int64 = 1_000_000

  private func tap(
    _ method: Method = .get, hasContent: Bool = false, _ lines: String...
  ) throws -> RecordingTap {
    RecordingTap(
      id: 3, startedAt_us: 1_700_000_000_000_000, upstream: "api",
      origin: try BaseURL(parsing: "https://api.test:8443/v1"),
      request: RequestHead(method: method, target: [0x2F], fields: try section(lines)),
      hasContent: hasContent)
  }

  private func bytes(_ text: String, _ body: (UnsafeRawBufferPointer) -> [UInt8]?) {
    let part = Array(text.utf8).withUnsafeBytes { body($0) }
    #expect(part == nil)
  }

  private func arrivals(_ pieces: (Int64, Int64)...) -> Arrivals {
    var arrivals = Arrivals()
    for (offset_us, count) in pieces { arrivals.append(offset_us: offset_us, count: count) }
    return arrivals
  }

  @Test func `an exchange is kept as it came, offsets from the end of the request`() throws {
    var tap = try tap(.post, hasContent: true, "Host: localhost", "Content-Length: 3")
    tap.sent(on: 5)
    bytes("abc") { tap.requestContent($0) }
    tap.requestEnded(trailers: try section("T: 1"), at: 100 * Self.ms)
    tap.interim(try head(100, "Continue"), at: 101 * Self.ms)
    tap.interim(try head(103, "Early Hints", "Link: </a>"), at: 102 * Self.ms)
    let response = try head(200, "OK", "Transfer-Encoding: chunked")
    tap.responseHead(response, framing: .chunked, bothFramings: false, at: 110 * Self.ms)
    bytes("hel") { tap.responseContent($0, at: 111 * Self.ms) }
    bytes("lo") { tap.responseContent($0, at: 131 * Self.ms) }
    tap.responseEnded(trailers: try section("Digest: x"))
    let (draft, requestRest, responseRest) = tap.finish(
      outcome: .complete, detail: nil, at: 140 * Self.ms)
    let request = try request(.post, "/", .http11, "Host: localhost", "Content-Length: 3")
    let recorded = RecordedResponse(
      head: response, framing: .chunked, trailers: try section("Digest: x"),
      arrivals: arrivals((1000, 3), (21_000, 2)))
    #expect(
      draft
        == InteractionDraft(
          interaction: Interaction(
            id: 3, startedAt_us: 1_700_000_000_000_000, upstream: "api", scheme: "https",
            authority: "api.test:8443", request: request, requestTrailers: try section("T: 1"),
            response: recorded,
            interims: [
              RecordedInterim(offset_us: 2000, head: try head(103, "Early Hints", "Link: </a>"))
            ], connection: 5, firstByte_us: 10_000, end_us: 40_000),
          requestBody: .bytes(Array("abc".utf8)), responseBody: .bytes(Array("hello".utf8))))
    #expect(requestRest == nil)
    #expect(responseRest == nil)
  }

  @Test func `every interim response but 100 is kept`() throws {
    var tap = try tap()
    for status in 100..<200 {
      tap.interim(try head(status, ""), at: 0)
    }
    let (draft, _, _) = tap.finish(outcome: .complete, detail: nil, at: 0)
    #expect(draft.interaction.interims.map(\.head.status) == Array(101..<200))
  }

  @Test func `an answer that comes before the request's end has offsets of 0`() throws {
    var tap = try tap(.put, hasContent: true)
    tap.interim(try head(103, ""), at: 50 * Self.ms)
    tap.responseHead(
      try head(413, ""), framing: .length(2), bothFramings: false, at: 60 * Self.ms)
    bytes("no") { tap.responseContent($0, at: 70 * Self.ms) }
    tap.requestEnded(trailers: FieldSection(), at: 100 * Self.ms)
    tap.responseEnded(trailers: FieldSection())
    let (draft, _, _) = tap.finish(outcome: .complete, detail: nil, at: 105 * Self.ms)
    #expect(draft.interaction.interims.map(\.offset_us) == [0])
    #expect(draft.interaction.firstByte_us == 0)
    #expect(draft.interaction.end_us == 5000)
    #expect(draft.interaction.response?.arrivals == arrivals((10_000, 2)))
    #expect(draft.requestBody == .bytes([]))
  }

  @Test func `a request that never ended has no body unless some of it came`() throws {
    var tap = try tap(.put, hasContent: true)
    #expect(tap.finish(outcome: .cancelled, detail: "x", at: 0).draft.requestBody == .absent)
    bytes("ab") { tap.requestContent($0) }
    let (draft, _, _) = tap.finish(outcome: .cancelled, detail: "x", at: 200 * Self.ms)
    #expect(draft.requestBody == .bytes(Array("ab".utf8)))
    #expect(draft.interaction.end_us == 0)
  }

  @Test func `a failure before the head leaves no response`() throws {
    var tap = try tap()
    tap.requestEnded(trailers: FieldSection(), at: 0)
    let (draft, _, _) = tap.finish(outcome: .refused, detail: "no connection", at: 30 * Self.ms)
    #expect(draft.interaction.response == nil)
    #expect(draft.interaction.firstByte_us == nil)
    #expect(draft.interaction.outcome == .refused)
    #expect(draft.interaction.outcomeDetail == "no connection")
    #expect(draft.interaction.end_us == 30_000)
    #expect(draft.interaction.connection == 0)
    #expect(draft.responseBody == .absent)
    #expect(draft.requestBody == .absent)
  }

  @Test func `a response that ends badly keeps what came`() throws {
    var tap = try tap()
    tap.requestEnded(trailers: FieldSection(), at: 0)
    tap.responseHead(try head(200, ""), framing: .length(9), bothFramings: false, at: 0)
    bytes("hel") { tap.responseContent($0, at: 0) }
    let (draft, _, _) = tap.finish(outcome: .truncated, detail: "x", at: 0)
    #expect(draft.responseBody == .bytes(Array("hel".utf8)))
    #expect(draft.interaction.response?.framing == .length)
  }

  @Test(arguments: [
    (BodyFraming.none, InteractionDraft.Body.absent), (.length(0), .bytes([])),
    (.chunked, .bytes([])), (.untilClose, .bytes([])),
  ])
  func `an empty body is not the same as none`(
    framing: BodyFraming, body: InteractionDraft.Body
  ) throws {
    var tap = try tap()
    tap.responseHead(try head(200, ""), framing: framing, bothFramings: false, at: 0)
    #expect(tap.finish(outcome: .complete, detail: nil, at: 0).draft.responseBody == body)
  }

  @Test func `both framings are noted`() throws {
    var tap = try tap()
    tap.responseHead(try head(200, ""), framing: .chunked, bothFramings: true, at: 0)
    #expect(
      tap.finish(outcome: .complete, detail: nil, at: 0).draft.interaction.notes == [.bothFramings])
  }

  @Test func `a large body is handed on under its own token`() throws {
    var tap = try tap(.put, hasContent: true)
    let large = [UInt8](repeating: 0x61, count: RecordedContent.heldBytesMax)
    #expect(large.withUnsafeBytes { tap.requestContent($0) } == nil)
    #expect(large.withUnsafeBytes { tap.requestContent($0) }?.count == 2 * large.count)
    tap.requestEnded(trailers: FieldSection(), at: 0)
    tap.responseHead(try head(200, ""), framing: .untilClose, bothFramings: false, at: 0)
    #expect(large.withUnsafeBytes { tap.responseContent($0, at: 0) } == nil)
    #expect([UInt8(1)].withUnsafeBytes { tap.responseContent($0, at: 0) }?.count == large.count + 1)
    #expect([UInt8(1)].withUnsafeBytes { tap.responseContent($0, at: 0) } == nil)
    let (draft, requestRest, responseRest) = tap.finish(outcome: .complete, detail: nil, at: 0)
    #expect(draft.requestBody == .streamed(tap.requestToken))
    #expect(draft.responseBody == .streamed(tap.responseToken))
    #expect(tap.requestToken != tap.responseToken)
    #expect(requestRest == nil)
    #expect(responseRest == [1])
  }

  @Test func `beyond a million arrivals the last one stands for the rest`() throws {
    var tap = try tap()
    tap.responseHead(try head(200, ""), framing: .chunked, bothFramings: false, at: 0)
    let byte: [UInt8] = [1]
    byte.withUnsafeBytes { byte in
      for index in Int64(0)..<1_000_003 { _ = tap.responseContent(byte, at: index * 1000) }
    }
    let interaction = tap.finish(outcome: .complete, detail: nil, at: 0).draft.interaction
    let pieces = try #require(interaction.response?.arrivals.pieces)
    #expect(pieces.count == 1_000_001)
    #expect(pieces[999_999] == Arrivals.Piece(offset_us: 999_999, count: 1))
    #expect(pieces[1_000_000] == Arrivals.Piece(offset_us: 1_000_000, count: 3))
    #expect(interaction.notes == [.arrivalsMerged])
  }
}
