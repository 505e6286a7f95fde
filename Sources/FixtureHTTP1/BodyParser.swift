import FixtureHTTP

/// What a step through a body found.
enum BodyEvent {
  case needMore
  /// Content at these offsets of the input.
  case content(Range<Int>)
  case end(trailers: FieldSection)
}

/// Takes the framing off one body (RFC 9112 §6, §7).
struct BodyParser {
  /// Each state's next ones:
  ///
  ///     length ──▶ ended
  ///     untilClose ──▶ ended (by `close`)
  ///     chunkLine ──▶ chunk ──▶ chunkEnd ──▶ chunkLine
  ///        └──▶ trailers ──▶ ended
  private enum State {
    case length(remaining: Int64)
    case untilClose
    case chunkLine
    case chunk(remaining: Int64)
    case chunkEnd
    case trailers
    case ended
  }

  private let kind: MessageKind
  private var state: State
  private let expected: Int64?
  private var received: Int64 = 0
  private var lineScan = LineScan()

  init(_ framing: BodyFraming, kind: MessageKind) {
    self.kind = kind
    switch framing {
    case .none: (state, expected) = (.ended, nil)
    case .length(0): (state, expected) = (.ended, 0)
    case .length(let length): (state, expected) = (.length(remaining: length), length)
    case .chunked: (state, expected) = (.chunkLine, nil)
    case .untilClose: (state, expected) = (.untilClose, nil)
    }
  }

  /// The next step in `input`.
  /// - Parameter sectionScan: a fresh one, or as the step before has left it. It is the only part
  ///   of the state that holds memory, so it stays with the parser that copies this one about.
  @inline(__always)
  mutating func parse(
    _ input: UnsafeRawBufferPointer, limits: Limits, _ sectionScan: inout SectionScan
  ) throws(ProtocolError) -> (event: BodyEvent, consumed: Int) {
    switch state {
    case .ended: return (.end(trailers: FieldSection()), 0)
    case .untilClose:
      guard !input.isEmpty else { return (.needMore, 0) }
      received += Int64(input.count)
      return (.content(0..<input.count), input.count)
    case .length(let remaining):
      guard let content = take(remaining, of: input, from: 0) else { return (.needMore, 0) }
      let rest = remaining - Int64(content.count)
      state = rest == 0 ? .ended : .length(remaining: rest)
      return (.content(content), content.upperBound)
    case .chunkLine, .chunk, .chunkEnd, .trailers:
      return try parseChunked(input, limits: limits, &sectionScan)
    }
  }

  /// The connection was closed; nil when that ends the body, else how much was promised.
  func missing() -> (received: Int64, expected: Int64?)? {
    switch state {
    case .ended, .untilClose: nil
    case .length, .chunkLine, .chunk, .chunkEnd, .trailers: (received, expected)
    }
  }

  /// Goes on until there is content to hand over, the end, or nothing left to read. Each turn
  /// consumes bytes or returns.
  private mutating func parseChunked(
    _ input: UnsafeRawBufferPointer, limits: Limits, _ sectionScan: inout SectionScan
  ) throws(ProtocolError) -> (event: BodyEvent, consumed: Int) {
    var position = 0
    while true {
      switch state {
      case .chunk(let remaining):
        guard let content = take(remaining, of: input, from: position) else {
          return (.needMore, position)
        }
        let rest = remaining - Int64(content.count)
        state = rest == 0 ? .chunkEnd : .chunk(remaining: rest)
        return (.content(content), content.upperBound)
      case .chunkEnd:
        guard let length = try chunkEndLength(input, at: position) else {
          return (.needMore, position)
        }
        position += length
        state = .chunkLine
      case .chunkLine:
        let rest = UnsafeRawBufferPointer(rebasing: input[position...])
        guard let (size, length) = try chunkLine(rest, limits: limits) else {
          return (.needMore, position)
        }
        position += length
        state = size == 0 ? .trailers : .chunk(remaining: size)
      case .trailers:
        let rest = UnsafeRawBufferPointer(rebasing: input[position...])
        guard let (trailers, length) = try trailerSection(rest, limits: limits, &sectionScan) else {
          return (.needMore, position)
        }
        state = .ended
        return (.end(trailers: trailers), position + length)
      case .length, .untilClose, .ended:
        preconditionFailure("not a state of the chunked coding: \(state)")
      }
    }
  }

  private mutating func take(
    _ remaining: Int64, of input: UnsafeRawBufferPointer, from position: Int
  ) -> Range<Int>? {
    let count = Int(min(remaining, Int64(input.count - position)))
    guard count > 0 else { return nil }
    received += Int64(count)
    return position..<(position + count)
  }

  /// Bytes of the line end after a chunk's content; nil when it has not arrived.
  private func chunkEndLength(
    _ input: UnsafeRawBufferPointer, at position: Int
  ) throws(ProtocolError) -> Int? {
    guard position < input.count else { return nil }
    if input[position] == 0x0A, kind == .response { return 1 }
    guard input[position] == 0x0D else { throw .chunkEndMissing(in: kind) }
    guard position + 1 < input.count else { return nil }
    guard input[position + 1] == 0x0A else { throw .chunkEndMissing(in: kind) }
    return 2
  }

  private mutating func chunkLine(
    _ input: UnsafeRawBufferPointer, limits: Limits
  ) throws(ProtocolError) -> (size: Int64, length: Int)? {
    guard let lineFeed = lineScan.lineFeed(in: input, within: limits.chunkLineBytesMax) else {
      guard input.count < limits.chunkLineBytesMax else {
        throw .chunkLineTooLong(limit: limits.chunkLineBytesMax, in: kind)
      }
      return nil
    }
    let size = try chunkSize(UnsafeRawBufferPointer(rebasing: input[...lineFeed]), kind: kind)
    return (size, lineFeed + 1)
  }

  private func trailerSection(
    _ input: UnsafeRawBufferPointer, limits: Limits, _ sectionScan: inout SectionScan
  ) throws(ProtocolError) -> (trailers: FieldSection, length: Int)? {
    guard
      let (trailers, length) = try FieldSection.parse(
        input, rules: .trailers(kind, limits), &sectionScan)
    else { return nil }
    return (trailers, length)
  }
}
