import FixtureHTTP

/// The rules for one header or trailer section.
struct SectionRules {
  let kind: MessageKind
  let section: Location.Section
  /// What is left for the section itself.
  let bytesMax: Int
  let linesMax: Int
  /// What the whole head or trailer section may have, for errors.
  let limit: Int

  /// The fields of a head whose start line took some of its bytes already.
  static func head(_ kind: MessageKind, _ limits: Limits, lineBytes: Int) -> SectionRules {
    let limit = kind == .request ? limits.requestHeadBytesMax : limits.responseHeadBytesMax
    return SectionRules(
      kind: kind, section: .head, bytesMax: limit - lineBytes, linesMax: limits.fieldLinesMax,
      limit: limit)
  }

  static func trailers(_ kind: MessageKind, _ limits: Limits) -> SectionRules {
    SectionRules(
      kind: kind, section: .trailers, bytesMax: limits.trailerBytesMax,
      linesMax: limits.fieldLinesMax, limit: limits.trailerBytesMax)
  }

  /// Where the field line with this index is, for errors.
  func location(_ index: Int) -> Location {
    Location(kind: kind, section: section, line: index + (section == .head ? 2 : 1))
  }

  var tooLarge: ProtocolError {
    switch (section, kind) {
    case (.trailers, _): .trailersTooLarge(limit: limit, in: kind)
    case (.head, .request): .requestHeadTooLarge(limit: limit)
    case (.head, .response): .responseHeadTooLarge(limit: limit)
    }
  }
}

/// Finds the empty line that ends a section, looking at each byte once.
struct SectionScan {
  /// The field lines are `0..<linesEnd`, the section with its empty line `0..<end`.
  struct Extent {
    let linesEnd: Int
    let end: Int
    let lineCount: Int
  }

  private var lineCount = 0
  private var lineStart = 0
  private var searched = 0

  /// Whether nothing has been looked at.
  var isFresh: Bool { searched == 0 }

  /// The section at the start of `input`; nil when it has not arrived whole. After nil, the same
  /// bytes must come again with more behind them; after a section, a new one begins.
  /// - Throws: what no line may have, a bare CR, NUL or in a request LF, or a limit; the same
  ///   wherever the input was split.
  mutating func extent(
    in input: UnsafeRawBufferPointer, rules: SectionRules
  ) throws(ProtocolError) -> Extent? {
    precondition(input.count >= searched, "unconsumed bytes must be passed again")
    let bound = min(input.count, rules.bytesMax)
    while true {
      searched = ByteScan.lowControl(in: input, from: searched, to: bound)
      guard searched < bound,
        let length = try lineEndLength(in: input, at: searched, bound: bound, rules)
      else { break }
      let lineEnd = searched
      searched += length
      // A tab for instance, which is content.
      guard input[searched - 1] == 0x0A else { continue }
      if lineEnd == lineStart {
        let extent = Extent(linesEnd: lineStart, end: searched, lineCount: lineCount)
        self = SectionScan()
        return extent
      }
      lineCount += 1
      guard lineCount <= rules.linesMax else {
        throw .fieldLinesTooMany(limit: rules.linesMax, in: rules.kind)
      }
      lineStart = searched
    }
    guard input.count < rules.bytesMax else { throw rules.tooLarge }
    return nil
  }

  /// How many bytes the line end at `position` has, or another low control byte; nil for a CR
  /// without the byte that tells whether it ends a line.
  private func lineEndLength(
    in input: UnsafeRawBufferPointer, at position: Int, bound: Int, _ rules: SectionRules
  ) throws(ProtocolError) -> Int? {
    switch input[position] {
    case 0x0D:
      guard position + 1 < bound else { return nil }
      if input[position + 1] == 0x0A { return 2 }
      throw .byteForbidden(0x0D, rules.location(lineCount))
    case 0x0A:
      if rules.kind == .response { return 1 }
      throw .lineFeedBare(rules.location(lineCount))
    case 0x00: throw .byteForbidden(0x00, rules.location(lineCount))
    default: return 1
    }
  }
}
