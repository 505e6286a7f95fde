import FixtureHTTP

/// What a step through a response found. Every response is any number of `interim`, one `head`, any
/// number of `content`, and one `end`.
package enum ResponseEvent: Equatable, Sendable {
  /// Nothing yet. What was not consumed must come again, with more behind it.
  case needMore
  /// A 1xx response, which has no body (RFC 9110 §15.2).
  case interim(ResponseHead)
  /// `bothFramings`: Content-Length came beside Transfer-Encoding, and the body is read by the
  /// latter (RFC 9112 §6.3). One of them must be removed before the head is passed on.
  case head(ResponseHead, BodyFraming, bothFramings: Bool)
  /// Content at these offsets of the input just given, never of two chunks.
  case content(Range<Int>)
  /// The response is complete; trailers are empty unless the body was chunked. Bytes after it
  /// belong to no request unless one has been sent.
  case end(trailers: FieldSection)
}

/// Parses the responses of one connection, as tolerantly as is safe: an origin server can't be told
/// to do better.
///
/// Used as `RequestParser` is, with `begin(answering:)` before each response. Bytes after an `end`
/// are not looked at.
package struct ResponseParser: Sendable {
  /// idle ──begin──▶ line ──▶ fields ──▶ body ──▶ idle; fields ──▶ line after an interim response;
  /// any ──▶ failed.
  private enum State {
    case idle
    case line(emptyLines: Int)
    /// The status line, of so many bytes with its line end, is valid; as in `RequestParser`.
    case fields(lineBytes: Int)
    case body(BodyParser)
    case failed(ProtocolError)
  }

  private let limits: Limits
  private var state = State.idle
  private var method = Method.get
  private var interimCount = 0
  private var interimBytes = 0
  private var lineScan = LineScan()
  private var sectionScan = SectionScan()

  /// Whether any byte of a response, interim or final, has been seen since `begin`. Without one,
  /// the request may be sent again as RFC 9112 §9.3.1 allows. Empty lines before it don't count.
  package private(set) var messageBegun = false

  package init(limits: Limits = .init()) {
    self.limits = limits
  }

  /// Expects the response to a request with this method, which decides whether it has a body. Call
  /// it when the request is sent, after the `end` of the response before.
  package mutating func begin(answering method: Method) {
    switch state {
    case .idle: state = .line(emptyLines: 0)
    case .failed: return
    case .line, .fields, .body: preconditionFailure("begin inside a response")
    }
    self.method = method
    interimCount = 0
    interimBytes = 0
    messageBegun = false
  }

  /// The next event in `input`, and how many bytes of it are done with; as in `RequestParser`.
  ///
  /// - Throws: what is wrong with the response. The client gets a 502 if the head has not been
  ///   passed on, else its connection is cut; every later call throws the same.
  package mutating func parse(
    _ input: UnsafeRawBufferPointer
  ) throws(ProtocolError) -> (event: ResponseEvent, consumed: Int) {
    do throws(ProtocolError) {
      switch state {
      case .idle: preconditionFailure("parse before begin(answering:)")
      case .line(let emptyLines): return try parseLine(input, emptyLines: emptyLines)
      case .fields(let lineBytes):
        let line = try StatusLine(input.line(endingAt: lineBytes))
        return try parseFields(line, lineBytes: lineBytes, in: input, from: 0)
      case .body(let body): return try parseBody(body, input)
      case .failed(let error): throw error
      }
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// The origin server will send nothing more. Call it when `parse` needs more and its input has
  /// ended, also with bytes left over.
  /// - Returns: `end` of a body that lasts until close; or `needMore` before `begin`, when no
  ///   response was expected.
  /// - Throws: `.closedBeforeHead` when no byte of a response came, `.closedInHead`, or
  ///   `.closedInBody` when the body is shorter than its framing says (RFC 9112 §8).
  package mutating func parseEnd() throws(ProtocolError) -> ResponseEvent {
    switch state {
    case .idle: return .needMore
    case .line, .fields: try fail(messageBegun ? .closedInHead : .closedBeforeHead)
    case .body(let body):
      if let (received, expected) = body.missing() {
        try fail(.closedInBody(received: received, expected: expected))
      }
      state = .idle
      return .end(trailers: FieldSection())
    case .failed(let error): throw error
    }
  }

  private mutating func fail(_ error: ProtocolError) throws(ProtocolError) -> Never {
    state = .failed(error)
    throw error
  }

  private mutating func parseLine(
    _ input: UnsafeRawBufferPointer, emptyLines: Int
  ) throws(ProtocolError) -> (event: ResponseEvent, consumed: Int) {
    var emptyLines = emptyLines
    let start = try skipEmptyLines(
      input, &emptyLines, limit: limits.emptyLinesMax, kind: .response)
    state = .line(emptyLines: emptyLines)
    guard let start, start < input.count else { return (.needMore, start ?? 0) }
    messageBegun = true
    let rest = UnsafeRawBufferPointer(rebasing: input[start...])
    // Anything else, an SSH banner for instance, may never come to an empty line.
    guard Self.mayBeStatusLine(rest) else {
      throw .notHTTP(firstByte: rest[0], in: .response)
    }

    guard let lineFeed = lineScan.lineFeed(in: rest, within: limits.responseHeadBytesMax) else {
      guard rest.count < limits.responseHeadBytesMax else {
        throw .responseHeadTooLarge(limit: limits.responseHeadBytesMax)
      }
      return (.needMore, start)
    }
    let lineBytes = lineFeed + 1
    let line = try StatusLine(rest.line(endingAt: lineBytes))
    return try parseFields(line, lineBytes: lineBytes, in: input, from: start)
  }

  private static func mayBeStatusLine(_ input: UnsafeRawBufferPointer) -> Bool {
    let start: StaticString = "HTTP/"
    for index in 0..<min(input.count, start.utf8CodeUnitCount)
    where input[index] != start.utf8Start[index] {
      return false
    }
    return true
  }

  private mutating func parseFields(
    _ line: StatusLine, lineBytes: Int, in input: UnsafeRawBufferPointer, from start: Int
  ) throws(ProtocolError) -> (event: ResponseEvent, consumed: Int) {
    let rest = UnsafeRawBufferPointer(rebasing: input[(start + lineBytes)...])
    guard
      let (fields, length) = try FieldSection.parse(
        rest, rules: .head(.response, limits, lineBytes: lineBytes), &sectionScan)
    else {
      state = .fields(lineBytes: lineBytes)
      return (.needMore, start)
    }
    let head = ResponseHead(
      version: line.version, status: line.status, reason: line.reason, fields: fields)
    return (try event(for: head, bytes: lineBytes + length), start + lineBytes + length)
  }

  private mutating func event(
    for head: ResponseHead, bytes: Int
  ) throws(ProtocolError) -> ResponseEvent {
    let (framing, bothFramings) = try responseFraming(head, answering: method)
    guard head.isInterim else {
      state = .body(BodyParser(framing, kind: .response))
      return .head(head, framing, bothFramings: bothFramings)
    }
    interimCount += 1
    guard interimCount <= limits.interimResponsesMax else {
      throw .interimResponsesTooMany(limit: limits.interimResponsesMax)
    }
    interimBytes += bytes
    guard interimBytes <= limits.interimBytesMax else {
      throw .interimResponsesTooLarge(limit: limits.interimBytesMax)
    }
    state = .line(emptyLines: 0)
    return .interim(head)
  }

  private mutating func parseBody(
    _ body: BodyParser, _ input: UnsafeRawBufferPointer
  ) throws(ProtocolError) -> (event: ResponseEvent, consumed: Int) {
    var body = body
    let (event, consumed) = try body.parse(input, limits: limits, &sectionScan)
    state = .body(body)
    switch event {
    case .needMore: return (.needMore, consumed)
    case .content(let range): return (.content(range), consumed)
    case .end(let trailers):
      state = .idle
      return (.end(trailers: trailers), consumed)
    }
  }
}
