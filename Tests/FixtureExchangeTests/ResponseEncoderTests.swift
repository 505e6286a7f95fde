import FixtureCassette
import FixtureExchange
import FixtureHTTP
import Testing

/// How a recorded response is framed for one client: RFC 9112 §6 and §9.3.
@Suite struct `The response on the wire` {
  private static let current = RequestHead(method: .get, target: [0x2F])
  private static let old = RequestHead(method: .get, target: [0x2F], version: .http10)
  private static let oldKept = RequestHead(
    method: .get, target: [0x2F], version: .http10, fields: keepAlive)
  private static let keepAlive = FieldSection(
    bytes: Array("Connection: keep-alive\r\n".utf8),
    lines: [FieldSection.Line(nameStart: 0, nameEnd: 10, valueEnd: 22)])

  /// The field lines that a client gets of a response with these.
  private func sent(
    _ recorded: RecordedFraming, _ fields: [String], status: Int = 200,
    to request: RequestHead = current, keepsAlive: Bool = true
  ) throws -> [String] {
    var encoder = ResponseEncoder(
      client: ClientFacts(request), recorded: recorded, keepsAlive: keepsAlive)
    var bytes: [UInt8] = []
    encoder.head(
      ResponseHead(status: status, reason: [], fields: try section(fields)), to: &bytes)
    let lines = text(bytes).split(separator: "\r\n", omittingEmptySubsequences: false)
    #expect(lines.first == "HTTP/1.1 \(status) ")
    #expect(lines.suffix(2) == ["", ""])
    return lines.dropFirst().dropLast(2).map(String.init)
  }

  // MARK: As recorded

  @Test(arguments: [
    (RecordedFraming.length, ["b: 1", "content-LENGTH: 5", "B: 2"]),
    (.chunked, ["b: 1", "transfer-ENCODING: Chunked", "B: 2"]),
    (.chunked, ["Transfer-Encoding: gzip, chunked"]),
    (.chunked, ["Transfer-Encoding: gzip", "A: 1", "Transfer-Encoding: chunked"]),
  ])
  func `one framing goes out as it came`(recorded: RecordedFraming, fields: [String]) throws {
    #expect(try sent(recorded, fields) == fields)
  }

  @Test(arguments: [["A: 1"], ["Transfer-Encoding: gzip"], ["Transfer-Encoding: identity"]])
  func `a body that ends with the connection says so`(fields: [String]) throws {
    #expect(try sent(.untilClose, fields) == fields + ["Connection: close"])
  }

  @Test func `the origin server's own connection fields are replaced by ours`() throws {
    #expect(
      try sent(
        .length, ["Connection: close, X-Hop", "X-Hop: 1", "Keep-Alive: 5", "Content-Length: 0"])
        == ["Content-Length: 0"])
  }

  // MARK: Never more than one framing

  @Test(arguments: [
    (
      RecordedFraming.chunked, ["Content-Length: 5", "Transfer-Encoding: chunked"],
      ["Transfer-Encoding: chunked"]
    ),
    (
      .chunked, ["Transfer-Encoding: chunked", "Content-Length: 5, 5", "Content-Length: 5"],
      ["Transfer-Encoding: chunked"]
    ),
    (.length, ["Transfer-Encoding: identity", "Content-Length: 5"], ["Content-Length: 5"]),
    (
      .untilClose, ["Transfer-Encoding: gzip", "Content-Length: 5"],
      ["Transfer-Encoding: gzip", "Connection: close"]
    ),
  ])
  func `of both framings the recorded one stays`(
    recorded: RecordedFraming, fields: [String], expected: [String]
  ) throws {
    #expect(try sent(recorded, fields) == expected)
  }

  @Test(arguments: [
    ["Content-Length: 5", "A: 1", "content-length: 5"], ["Content-Length: 5, 5", "A: 1"],
    ["Content-Length: 5 ,5", "A: 1", "Content-Length: 5"],
  ])
  func `a length that is repeated goes out once`(fields: [String]) throws {
    #expect(try sent(.length, fields) == ["Content-Length: 5", "A: 1"])
  }

  // MARK: What the fields say is what is sent

  /// A cassette is data from outside: fields that do not fit the framing would leave a client
  /// waiting, or let it read content as the next response.
  @Test(arguments: [
    [], ["Content-Length: "], ["Content-Length: x"], ["Content-Length: -1"],
    ["Content-Length: 5, 6"], ["Content-Length: 5", "Content-Length: 6"], ["Content-Length: 5,"],
    ["Transfer-Encoding: chunked"],
  ])
  func `without one valid length the close ends the body`(fields: [String]) throws {
    #expect(try sent(.length, ["A: 1"] + fields) == ["A: 1", "Connection: close"])
  }

  @Test(arguments: [
    ([], ["Transfer-Encoding: chunked"]),
    (["Transfer-Encoding: chunked, identity"], ["Transfer-Encoding: chunked"]),
    (
      ["Transfer-Encoding: identity", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked"]
    ),
    (["Transfer-Encoding: gzip"], ["Transfer-Encoding: gzip, chunked"]),
    (["Transfer-Encoding: chunked, gzip"], ["Transfer-Encoding: gzip, chunked"]),
    (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked"]),
  ])
  func `chunked is the last coding, once`(fields: [String], expected: [String]) throws {
    #expect(try sent(.chunked, ["A: 1"] + fields) == ["A: 1"] + expected)
  }

  @Test func `a body without chunks does not say that it has some`() throws {
    #expect(
      try sent(.untilClose, ["Transfer-Encoding: chunked", "A: 1"]) == [
        "A: 1", "Connection: close",
      ])
  }

  @Test(arguments: [[], ["Content-Length: 5"], ["Transfer-Encoding: chunked"]])
  func `a response without content where a client expects some has length 0`(fields: [String])
    throws
  {
    #expect(try sent(.none, ["A: 1"] + fields) == ["A: 1", "Content-Length: 0"])
  }

  // MARK: Without a body

  @Test func `a 204 has no framing field`() throws {
    for recorded in RecordedFraming.allCases {
      #expect(
        try sent(
          recorded, ["Content-Length: 0", "A: 1", "Transfer-Encoding: chunked"], status: 204)
          == ["A: 1"])
    }
  }

  /// RFC 9110 §8.6, RFC 9112 §6.1: they say what the content would have been.
  @Test(arguments: [
    (["Content-Length: 5"], ["Content-Length: 5"]),
    (["Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked"]),
    (["Content-Length: 5", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked"]),
    (["Content-Length: 5, 5", "Content-Length: 5"], ["Content-Length: 5"]),
    (["Content-Length: 5, 6"], []), (["Content-Length: x"], []), ([], []),
  ])
  func `a 304 and an answer to HEAD keep theirs, if it is valid`(
    fields: [String], expected: [String]
  ) throws {
    let toHead = RequestHead(method: .head, target: [0x2F])
    for recorded in RecordedFraming.allCases {
      #expect(try sent(recorded, fields + ["A: 1"], status: 304) == expected + ["A: 1"])
      #expect(try sent(recorded, fields + ["A: 1"], to: toHead) == expected + ["A: 1"])
    }
  }

  @Test func `nothing follows the head of a response without a body`() throws {
    for (method, status) in [(Method.head, 200), (.get, 204), (.get, 304)] {
      for recorded in RecordedFraming.allCases {
        var encoder = ResponseEncoder(
          client: ClientFacts(RequestHead(method: method, target: [0x2F])), recorded: recorded,
          keepsAlive: true)
        var bytes: [UInt8] = []
        encoder.head(ResponseHead(status: status, reason: []), to: &bytes)
        bytes = []
        #expect(!encoder.carriesContent)
        encoder.end(trailers: try section("T: 1"), to: &bytes)
        #expect(bytes == [])
        #expect(encoder.keepsAlive)
      }
    }
  }

  // MARK: HTTP/1.0

  @Test(arguments: [
    ["Transfer-Encoding: chunked", "Trailer: Digest"],
    ["Transfer-Encoding: gzip, chunked", "Content-Length: 5"],
  ])
  func `towards HTTP 1-0 the close ends what had chunks`(fields: [String]) throws {
    #expect(
      try sent(.chunked, ["A: 1"] + fields, to: Self.oldKept) == ["A: 1", "Connection: close"])
  }

  @Test func `no transfer coding is named towards HTTP 1-0`() throws {
    #expect(
      try sent(.untilClose, ["Transfer-Encoding: gzip"], to: Self.old) == ["Connection: close"])
    #expect(
      try sent(.none, ["Transfer-Encoding: chunked"], status: 304, to: Self.oldKept)
        == ["Connection: keep-alive"])
  }

  @Test func `a kept connection of HTTP 1-0 is told so`() throws {
    #expect(
      try sent(.length, ["Content-Length: 5"], to: Self.oldKept)
        == ["Content-Length: 5", "Connection: keep-alive"])
    #expect(
      try sent(.length, ["Content-Length: 5"], to: Self.old)
        == ["Content-Length: 5", "Connection: close"])
    #expect(
      try sent(.length, ["Content-Length: 5"], to: Self.oldKept, keepsAlive: false)
        == ["Content-Length: 5", "Connection: close"])
  }

  // MARK: Interim responses

  @Test func `an interim response keeps its fields but those of connection and framing`() throws {
    let encoder = ResponseEncoder(
      client: ClientFacts(Self.current), recorded: .length, keepsAlive: true)
    var bytes: [UInt8] = []
    encoder.interim(
      try head(
        103, "Early Hints", "Link: </a.css>; rel=preload", "Connection: close",
        "Content-Length: 5", "Transfer-Encoding: chunked", "link: </b.css>"), to: &bytes)
    #expect(
      text(bytes)
        == "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nlink: </b.css>\r\n\r\n")
  }

  @Test func `HTTP 1-0 gets no interim response`() throws {
    let encoder = ResponseEncoder(
      client: ClientFacts(Self.oldKept), recorded: .length, keepsAlive: true)
    var bytes: [UInt8] = []
    encoder.interim(try head(103, "Early Hints"), to: &bytes)
    #expect(bytes == [])
  }

  // MARK: Endings and answers of ours

  /// A FIN would make a body whole that ends with the connection.
  @Test(
    arguments: [
      (Outcome.complete, WireSink.Ending.complete(keepsAlive: true), .complete(keepsAlive: false)),
      (.truncated, .close, .reset), (.cancelled, .close, .reset), (.reset, .reset, .reset),
      (.timeout, .reset, .reset), (.tls, .reset, .reset),
    ] as [(Outcome, WireSink.Ending, WireSink.Ending)])
  func `a response ends for the client as it did for us`(
    outcome: Outcome, length: WireSink.Ending, untilClose: WireSink.Ending
  ) throws {
    for (recorded, expected) in [(RecordedFraming.length, length), (.untilClose, untilClose)] {
      var encoder = ResponseEncoder(
        client: ClientFacts(Self.current), recorded: recorded, keepsAlive: true)
      var bytes: [UInt8] = []
      encoder.head(try head(200, "OK", "Content-Length: 0"), to: &bytes)
      #expect(encoder.ending(outcome) == expected)
    }
  }

  @Test func `an answer of ours is whole, its content left out for HEAD`() throws {
    let answered = try head(502, "Bad Gateway", "Content-Length: 3")
    let (bytes, ending) = ResponseEncoder.answer(
      answered, Array("sad".utf8), to: ClientFacts(Self.current), keepsAlive: true)
    #expect(text(bytes) == "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nsad")
    #expect(ending == .complete(keepsAlive: true))
    let (headBytes, closing) = ResponseEncoder.answer(
      answered, Array("sad".utf8), to: ClientFacts(try request(.head, "/")), keepsAlive: false)
    #expect(
      text(headBytes)
        == "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\nConnection: close\r\n\r\n")
    #expect(closing == .complete(keepsAlive: false))
  }

  @Test func `leave to continue is an interim response without fields`() {
    #expect(text(ResponseEncoder.leaveToContinue) == "HTTP/1.1 100 Continue\r\n\r\n")
  }
}
