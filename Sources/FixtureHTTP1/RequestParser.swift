import FixtureHTTP

/// What a step through a request found. Every request is one `head`, any number of `content`, and
/// one `end`.
package enum RequestEvent: Equatable, Sendable {
  /// Nothing yet. What was not consumed must come again, with more behind it.
  case needMore
  case head(RequestHead, BodyFraming)
  /// Content at these offsets of the input just given, never of two chunks.
  case content(Range<Int>)
  /// The request is complete; trailers are empty unless the body was chunked. The next byte belongs
  /// to the next request.
  case end(trailers: FieldSection)
}

/// Parses the requests of one connection, as a server must: strictly.
///
/// Bytes in, events out. Give it what has arrived, take off `consumed` bytes, and give it the rest
/// again until it needs more. Where input is split makes no difference to the events but for the
/// pieces of content, nor to the error.
package struct RequestParser: Sendable {
  /// line ──▶ fields ──▶ body ──▶ line; any ──▶ failed.
  private enum State {
    case line(emptyLines: Int)
    /// The request line, of so many bytes with its line end, is valid. It is read again when the
    /// fields are there, so that this state holds no memory.
    case fields(lineBytes: Int)
    case body(BodyParser)
    case failed(ProtocolError)
  }

  private let limits: Limits
  private var state = State.line(emptyLines: 0)
  private var lineScan = LineScan()
  private var sectionScan = SectionScan()
  private var repeatedFields = RepeatedFields()

  package init(limits: Limits = .init()) {
    self.limits = limits
  }

  /// The next event in `input`, and how many bytes of it are done with.
  ///
  /// - Parameter input: the bytes not consumed so far, from the first. May be empty, which is how
  ///   the `end` of a request without a body comes when nothing else has arrived.
  /// - Returns: `consumed` can be more than 0 with `needMore`: a chunk-size line, or an empty line
  ///   before a request. A head is consumed whole.
  /// - Throws: what is wrong with the request. Answer with its `statusHint` and close; every later
  ///   call throws the same.
  package mutating func parse(
    _ input: UnsafeRawBufferPointer
  ) throws(ProtocolError) -> (event: RequestEvent, consumed: Int) {
    do throws(ProtocolError) {
      switch state {
      case .line(let emptyLines): return try parseLine(input, emptyLines: emptyLines)
      case .fields(let lineBytes):
        let line = try RequestLine(input.line(endingAt: lineBytes), limits: limits)
        return try parseFields(line, lineBytes: lineBytes, in: input, from: 0)
      case .body(let body): return try parseBody(body, input)
      case .failed(let error): throw error
      }
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// The client will send nothing more. Call it when `parse` needs more and its input has ended.
  /// - Throws: `.requestTruncated` inside a request; between requests nothing.
  package mutating func parseEnd() throws(ProtocolError) {
    switch state {
    case .line: return
    case .fields: try fail(.requestTruncated(received: 0, expected: nil))
    case .body(let body):
      guard let (received, expected) = body.missing() else { return }
      try fail(.requestTruncated(received: received, expected: expected))
    case .failed(let error): throw error
    }
  }

  /// Whether the next byte is the first one since the last request ended, or at all.
  package var isFresh: Bool {
    if case .line(emptyLines: 0) = state { lineScan.isFresh } else { false }
  }

  private mutating func fail(_ error: ProtocolError) throws(ProtocolError) -> Never {
    state = .failed(error)
    throw error
  }

  private mutating func parseLine(
    _ input: UnsafeRawBufferPointer, emptyLines: Int
  ) throws(ProtocolError) -> (event: RequestEvent, consumed: Int) {
    var emptyLines = emptyLines
    let start = try skipEmptyLines(
      input, &emptyLines, limit: limits.emptyLinesMax, kind: .request)
    state = .line(emptyLines: emptyLines)
    guard let start, start < input.count else { return (.needMore, start ?? 0) }
    guard input[start].isTokenCharacter else {
      throw .notHTTP(firstByte: input[start], in: .request)
    }

    let rest = UnsafeRawBufferPointer(rebasing: input[start...])
    let bound = limits.requestLineBytesMax
    guard let lineFeed = lineScan.lineFeed(in: rest, within: bound) else {
      guard rest.count < bound else { throw .targetTooLong(limit: limits.targetBytesMax) }
      return (.needMore, start)
    }
    guard rest[lineFeed - 1] == 0x0D else {
      throw .lineFeedBare(Location(kind: .request, section: .head, line: 1))
    }
    let lineBytes = lineFeed + 1
    let line = try RequestLine(rest.line(endingAt: lineBytes), limits: limits)
    return try parseFields(line, lineBytes: lineBytes, in: input, from: start)
  }

  private mutating func parseFields(
    _ line: consuming RequestLine, lineBytes: Int, in input: UnsafeRawBufferPointer, from start: Int
  ) throws(ProtocolError) -> (event: RequestEvent, consumed: Int) {
    let rest = UnsafeRawBufferPointer(rebasing: input[(start + lineBytes)...])
    let rules = SectionRules.head(.request, limits, lineBytes: lineBytes)
    if sectionScan.isFresh,
      let (fields, framing, length) = repeatedFields.match(
        rest, line.version, bytesMax: rules.bytesMax)
    {
      let head = RequestHead(
        method: line.method, target: line.target, version: line.version, fields: fields)
      state = .body(BodyParser(framing, kind: .request))
      return (.head(head, framing), start + lineBytes + length)
    }

    guard let (fields, length) = try FieldSection.parse(rest, rules: rules, &sectionScan) else {
      state = .fields(lineBytes: lineBytes)
      return (.needMore, start)
    }
    let head = RequestHead(
      method: line.method, target: line.target, version: line.version, fields: fields)
    let framing = try requestFraming(head)
    repeatedFields.keep(fields, line.version, framing)
    state = .body(BodyParser(framing, kind: .request))
    return (.head(head, framing), start + lineBytes + length)
  }

  private mutating func parseBody(
    _ body: BodyParser, _ input: UnsafeRawBufferPointer
  ) throws(ProtocolError) -> (event: RequestEvent, consumed: Int) {
    var body = body
    let (event, consumed) = try body.parse(input, limits: limits, &sectionScan)
    state = .body(body)
    switch event {
    case .needMore: return (.needMore, consumed)
    case .content(let range): return (.content(range), consumed)
    case .end(let trailers):
      state = .line(emptyLines: 0)
      return (.end(trailers: trailers), consumed)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes before the CRLF, or LF alone, that ends at this offset.
  func line(endingAt end: Int) -> UnsafeRawBufferPointer {
    let hasReturn = end > 1 && self[end - 2] == 0x0D
    return UnsafeRawBufferPointer(rebasing: self[..<(end - (hasReturn ? 2 : 1))])
  }
}
