import FixtureCassette
import FixtureExchange
import FixtureHTTP
import FixtureReplay
import Testing

@Suite struct `The wire sink` {
  /// What the actions send: bytes as text, bodies as `{range}`, and how the exchange ends.
  private func sent(
    _ actions: Action..., framing: RecordedFraming = .chunked, to request: RequestHead? = nil
  ) throws -> (output: String, ending: WireSink.Ending?) {
    var sink = WireSink(
      client: ClientFacts(try request ?? FixtureExchangeTests.request(.get, "/")),
      framing: framing, keepsAlive: true)
    var output = OutputQueue()
    var ending: WireSink.Ending?
    for action in actions {
      #expect(ending == nil)
      ending = sink.perform(action, output: &output)
    }
    var transcript = ""
    while let front = output.front {
      switch front {
      case .bytes(let bytes): transcript += text(bytes)
      case .body(let slice):
        transcript += "{\(slice.range.lowerBound)..<\(slice.range.upperBound)}"
      }
      output.advance(by: front.count)
    }
    return (transcript, ending)
  }

  private func ok(_ lines: String...) throws -> Action {
    .head(ResponseHead(status: 200, reason: Array("OK".utf8), fields: try section(lines)))
  }

  @Test func `a chunked response: each piece is a chunk, trailers go with the last`() throws {
    let (output, ending) = try sent(
      ok("Transfer-Encoding: chunked"), .content(slice(0..<26)), .content(slice(26..<27)),
      .trailers(section("Digest: x")), .end)
    #expect(
      output == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "1a\r\n{0..<26}\r\n1\r\n{26..<27}\r\n0\r\nDigest: x\r\n\r\n")
    #expect(ending == .complete(keepsAlive: true))
  }

  @Test func `a response with a length: head and body, no trailers`() throws {
    let (output, ending) = try sent(
      ok("Content-Length: 7"), .content(slice(3..<10)), .trailers(section("T: 1")), .end,
      framing: .length)
    #expect(output == "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{3..<10}")
    #expect(ending == .complete(keepsAlive: true))
  }

  @Test func `a response that ends with the connection`() throws {
    let (output, ending) = try sent(ok(), .content(slice(0..<2)), .end, framing: .untilClose)
    #expect(output == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{0..<2}")
    #expect(ending == .complete(keepsAlive: false))
  }

  @Test func `generated content is framed like any other`() throws {
    let (output, _) = try sent(
      ok("Transfer-Encoding: chunked"), .generated(Array("abc".utf8)), .end)
    #expect(output.hasSuffix("\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
  }

  @Test func `empty content is no chunk, which would end the body`() throws {
    let (output, ending) = try sent(
      ok("Transfer-Encoding: chunked"), .content(slice(4..<4)), .generated([]))
    #expect(output == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    #expect(ending == nil)
  }

  @Test func `content granted by a link is sent like any other`() throws {
    let (output, _) = try sent(
      ok("Transfer-Encoding: chunked"),
      .send(.stored(slice(0..<9)), via: Link("3g", .perSecond(.bytes(1)))))
    #expect(output.hasSuffix("9\r\n{0..<9}\r\n"))
  }

  @Test func `a head in two halves is the same head`() throws {
    let whole = try sent(ok("Content-Length: 0"), .end, framing: .length).output
    guard case .head(let head) = try ok("Content-Length: 0") else { return }
    #expect(try sent(.headBeginning(head), .headRest, .end, framing: .length).output == whole)
    let half = try sent(.headBeginning(head), .close, framing: .length).output
    #expect(whole.hasPrefix(half) && half.utf8.count == whole.utf8.count / 2)
  }

  @Test(arguments: [
    (Malformation.status, "HTTX 2OO\r\nContent-Length: 3\r\n\r\nabc"),
    (.field, "HTTP/1.1 200 OK\r\nthis line has no colon\r\nContent-Length: 3\r\n\r\nabc"),
    (.length, "HTTP/1.1 200 OK\r\nContent-Length: 3x\r\n\r\nabc"),
  ])
  func `a head is broken in one way`(_ malformation: Malformation, _ expected: String) throws {
    let (output, _) = try sent(
      .malform(malformation), ok("Content-Length: 3"), .generated(Array("abc".utf8)), .end,
      framing: .length)
    #expect(output == expected)
  }

  @Test func `raw bytes stand outside the framing`() throws {
    let raw = Action.raw(Array("zz\r\n".utf8))
    let (only, _) = try sent(raw, .close, framing: .untilClose)
    #expect(only == "zz\r\n")
    let (chunked, _) = try sent(
      ok("Transfer-Encoding: chunked"), .generated([0x61]), raw, .close)
    #expect(chunked.hasSuffix("\r\n\r\n1\r\na\r\nzz\r\n"))
  }

  @Test func `a chunk is broken once, the last one if there is no other`() throws {
    let head = try ok("Transfer-Encoding: chunked")
    let (output, _) = try sent(
      .malform(.chunk), head, .generated([0x61]), .generated([0x62]), .end)
    #expect(output.hasSuffix("\r\n\r\nno-size\r\na\r\n1\r\nb\r\n0\r\n\r\n"))
    let (empty, _) = try sent(.malform(.chunk), head, .end)
    #expect(empty.hasSuffix("\r\n\r\nno-size\r\n\r\n"))
  }

  @Test func `interim responses go before the head, waiting sends nothing`() throws {
    let (output, ending) = try sent(
      .interim(head(103, "Early Hints")), .wait(Gate("g")), ok("Content-Length: 0"), .end,
      framing: .length)
    #expect(
      output == "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    #expect(ending == .complete(keepsAlive: true))
  }

  @Test(arguments: [(Action.close, WireSink.Ending.close), (.reset, .reset)])
  func `a bad ending ends the exchange at any point, without an end of the body`(
    action: Action, expected: WireSink.Ending
  ) throws {
    let early = try sent(action)
    #expect(early.output == "")
    #expect(early.ending == expected)
    let late = try sent(ok("Transfer-Encoding: chunked"), .content(slice(0..<1)), action)
    #expect(late.output.hasSuffix("1\r\n{0..<1}\r\n"))
    #expect(late.ending == expected)
  }

  @Test func `nothing follows the head that answers HEAD`() throws {
    let (output, ending) = try sent(
      ok("Content-Length: 5"), .content(slice(0..<5)), .generated([1]), .trailers(section("T: 1")),
      .end, framing: .length, to: request(.head, "/"))
    #expect(output == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
    #expect(ending == .complete(keepsAlive: true))
  }

  /// A cassette is data from outside: what was promised and not sent, or sent beyond it, would be
  /// read as a part of the next response.
  @Test(arguments: [0..<4, 0..<6, 0..<0] as [Range<Int64>])
  func `content of another length than the head says ends the connection`(range: Range<Int64>)
    throws
  {
    let (_, ending) = try sent(
      ok("Content-Length: 5"), .content(slice(range)), .end, framing: .length)
    #expect(ending == .complete(keepsAlive: false))
  }

  @Test(arguments: [
    (RecordedFraming.none, false), (.length, false), (.chunked, true), (.untilClose, true),
  ])
  func `pieces leave by themselves where the client can see them`(
    framing: RecordedFraming, isStreamed: Bool
  ) throws {
    var sink = WireSink(
      client: ClientFacts(try request(.get, "/")), framing: framing, keepsAlive: true)
    var output = OutputQueue()
    _ = sink.perform(try ok("Content-Length: 1"), output: &output)
    #expect(sink.isStreamed == isStreamed)
  }
}
