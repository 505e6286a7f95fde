/// One coding being undone: finds where its streams begin and end, and hands on what they give.
///
/// gzip and zstd content may be several streams, one after another (RFC 1952 §2.2, RFC 8878 §3.1).
final class DecodingStage {
  /// What is handed on at once.
  static let pieceBytes = 32 * 1024

  private enum Position {
    /// Before the first stream or behind one. The bytes do not tell yet what they begin.
    case between([UInt8])
    case inside(any StreamDecoder)
    /// Behind the last stream.
    case after
  }

  /// The coding to be undone after this one; nil when this one gives the content itself.
  let next: DecodingStage?
  private let coding: ContentCoding
  private let outputBytesMax: Int
  private var outputBytes = 0
  private var position = Position.between([])
  /// The decoder of the streams so far; nil before the first.
  private var stream: (any StreamDecoder)?
  private var trailingBytes = 0
  private let piece: UnsafeMutableRawBufferPointer

  /// - Throws: `.codingUnknown`.
  init(_ coding: ContentCoding, outputBytesMax: Int, next: DecodingStage?) throws(CodingError) {
    if case .unknown = coding { throw .codingUnknown(coding) }
    self.coding = coding
    self.outputBytesMax = outputBytesMax
    self.next = next
    piece = .allocate(byteCount: Self.pieceBytes, alignment: 16)
  }

  deinit { piece.deallocate() }

  /// After a throw nothing is to be called.
  func decode(
    _ input: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) -> Void
  ) throws(CodingError) {
    var rest = input
    while !rest.isEmpty {
      switch position {
      case .between(let held):
        let seen = held + [rest[0]]
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        try begin(with: seen, to: take)
      case .inside(let stream):
        let count = try run(stream, rest, to: take)
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      case .after:
        trailingBytes += rest.count
        return
      }
    }
  }

  /// How many bytes came behind the last stream.
  /// - Throws: `.truncated` when the input ended inside a stream.
  func finish() throws(CodingError) -> Int {
    switch position {
    case .between(let held) where !held.isEmpty: throw .truncated(coding)
    case .inside: throw .truncated(coding)
    case .between, .after: return trailingBytes
    }
  }

  private func begin(
    with seen: [UInt8], to take: (UnsafeRawBufferPointer) -> Void
  ) throws(CodingError) {
    switch StreamFormat.beginning(seen, coding, isFirst: stream == nil) {
    case .undecided: position = .between(seen)
    case .neither:
      guard stream != nil else { throw .corrupt(coding, reason: "unknown beginning") }
      position = .after
      trailingBytes += seen.count
    case .stream(let format):
      let stream = if let stream { stream } else { try format.makeDecoder() }
      self.stream = stream
      position = .inside(stream)
      try seen.withUnsafeBufferPointer { (seen) throws(CodingError) in
        try decode(UnsafeRawBufferPointer(seen), to: take)
      }
    }
  }

  /// Feeds one stream until it ends or wants more.
  /// - Returns: how many bytes belonged to it.
  private func run(
    _ stream: any StreamDecoder, _ input: UnsafeRawBufferPointer,
    to take: (UnsafeRawBufferPointer) -> Void
  ) throws(CodingError) -> Int {
    var read = 0
    while true {
      let step = stream.step(UnsafeRawBufferPointer(rebasing: input[read...]), into: piece)
      read += step.read
      if step.written > 0 {
        try handOn(UnsafeRawBufferPointer(rebasing: piece[..<step.written]), to: take)
      }
      switch step.outcome {
      case .failed(let error): throw error
      case .ended:
        position = .between([])
        return read
      case .goesOn:
        // A full piece may not have been all that the input gives.
        if read == input.count && step.written < piece.count { return read }
        precondition(step.read + step.written > 0, "\(coding) makes no progress at \(read)")
      }
    }
  }

  private func handOn(
    _ output: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) -> Void
  ) throws(CodingError) {
    let count = min(output.count, outputBytesMax - outputBytes)
    outputBytes += count
    if count > 0 {
      let allowed = UnsafeRawBufferPointer(rebasing: output[..<count])
      if let next { try next.decode(allowed, to: take) } else { take(allowed) }
    }
    if count < output.count { throw .outputLimitReached(bytesMax: outputBytesMax) }
  }
}
