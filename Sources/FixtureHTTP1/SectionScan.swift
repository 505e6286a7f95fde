/// The rules for one header or trailer section.
struct SectionRules {
  let kind: MessageKind
  let section: Location.Section
  /// Of the head or trailer section, `bytesBefore` included.
  let bytesMax: Int
  let linesMax: Int
  /// Bytes of the start line.
  var bytesBefore = 0

  /// Where the field line with this index is, for errors.
  func location(_ index: Int) -> Location {
    Location(kind: kind, section: section, line: index + (section == .head ? 2 : 1))
  }

  var tooLarge: ProtocolError {
    switch (section, kind) {
    case (.trailers, _): .trailersTooLarge(limit: bytesMax, in: kind)
    case (.head, .request): .requestHeadTooLarge(limit: bytesMax)
    case (.head, .response): .responseHeadTooLarge(limit: bytesMax)
    }
  }
}

/// Finds the end of a line that may not have arrived whole, looking at each byte once.
struct LineScan {
  private var searched = 0

  /// The LF that ends the first line of `input`; nil when it has not arrived within `bound` bytes.
  /// After nil, the same bytes must come again with more behind them.
  @inline(__always)
  mutating func lineFeed(in input: UnsafeRawBufferPointer, within bound: Int) -> Int? {
    precondition(input.count >= searched, "unconsumed bytes must be passed again")
    let end = min(input.count, bound)
    let found = ByteScan.lineFeed(in: input, from: min(searched, end), to: end)
    searched = found
    if found < end { return found }
    return nil
  }

  mutating func restart() { searched = 0 }
}

/// Finds the empty line that ends a section, looking at each byte once.
struct SectionScan {
  /// What was found: the field lines are `0..<linesEnd`, the section with its empty line `0..<end`.
  struct Extent {
    let linesEnd: Int
    let end: Int
    let lineCount: Int
  }

  private var searched = 0
  private var lineStart = 0
  private var lineCount = 0

  /// The section at the start of `input`; nil when it has not arrived whole. After nil, the same
  /// bytes must come again with more behind them.
  /// - Throws: a bare LF in a request, or a limit; the same wherever the input was split.
  mutating func extent(
    in input: UnsafeRawBufferPointer, rules: SectionRules
  ) throws(ProtocolError) -> Extent? {
    precondition(input.count >= searched, "unconsumed bytes must be passed again")
    let bound = min(input.count, rules.bytesMax - rules.bytesBefore)
    while true {
      let lineFeed = ByteScan.lineFeed(in: input, from: searched, to: bound)
      guard lineFeed < bound else { break }
      let hasReturn = lineFeed > lineStart && input[lineFeed - 1] == 0x0D
      if !hasReturn, rules.kind == .request {
        throw .lineFeedBare(rules.location(lineCount))
      }
      if lineFeed - (hasReturn ? 1 : 0) == lineStart {
        return Extent(linesEnd: lineStart, end: lineFeed + 1, lineCount: lineCount)
      }
      lineCount += 1
      guard lineCount <= rules.linesMax else {
        throw .fieldLinesTooMany(limit: rules.linesMax, in: rules.kind)
      }
      lineStart = lineFeed + 1
      searched = lineStart
    }
    searched = bound
    guard input.count < rules.bytesMax - rules.bytesBefore else { throw rules.tooLarge }
    return nil
  }

  mutating func restart() { self = SectionScan() }
}
