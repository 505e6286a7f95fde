import FixtureHTTP

/// The bytes that lists of form-encoded pairs share when they hold the same pairs: each decoded,
/// ordered by name; equal names in the order given.
enum PairsForm {
  /// Where one encoded pair lies.
  private struct Span {
    let start: Int
    let nameEnd: Int
    let end: Int
  }

  /// - Parameter adjust: gets a pair's decoded name and value in `key`, may change the value, and
  ///   says whether the pair counts.
  /// - Returns: how many pairs count.
  @inline(__always) @discardableResult
  static func append(
    _ query: UnsafeRawBufferPointer, to key: inout [UInt8],
    adjust: (_ name: Range<Int>, _ value: Range<Int>, inout [UInt8]) -> Bool
  ) -> Int {
    let start = key.count
    let piecesMax = 1 + query.count(where: { $0 == 0x26 })
    return withUnsafeTemporaryAllocation(of: Span.self, capacity: piecesMax) { spans in
      var count = 0
      var pieceStart = 0
      while pieceStart < query.count {
        let end = query[pieceStart...].firstIndex(of: 0x26) ?? query.count
        if end > pieceStart {
          let piece = UnsafeRawBufferPointer(rebasing: query[pieceStart..<end])
          let pairStart = key.count
          let (name, value) = append(piece: piece, to: &key)
          if adjust(name, value, &key) {
            let span = Span(start: pairStart, nameEnd: name.upperBound, end: key.count)
            spans.initializeElement(at: count, to: span)
            count += 1
          } else {
            key.removeSubrange(pairStart...)
          }
        }
        pieceStart = end + 1
      }
      sort(spans[..<count], in: &key, from: start)
      return count
    }
  }

  /// Where the pairs lie that were appended from `start` on.
  static func places(in key: [UInt8], from start: Int) -> [Range<Int>] {
    var places: [Range<Int>] = []
    var position = start
    while position < key.count {
      let pair = position
      for _ in 0..<2 {
        let count = (0..<4).reduce(0) { $0 | Int(key[position + $1]) << ($1 * 8) }
        position += 4 + (count == Int(UInt32.max) ? 0 : count)
      }
      places.append(pair..<position)
    }
    return places
  }

  private static func append(
    piece: UnsafeRawBufferPointer, to key: inout [UInt8]
  ) -> (name: Range<Int>, value: Range<Int>) {
    let equals = piece.firstIndex(of: 0x3D) ?? piece.count
    let name = key.appendDecoded(UnsafeRawBufferPointer(rebasing: piece[..<equals]))
    let rawValue = UnsafeRawBufferPointer(rebasing: piece[min(equals + 1, piece.count)...])
    return (name, key.appendDecoded(rawValue))
  }

  /// Equal names keep their order, by where they lie.
  private static func sort(
    _ spans: Slice<UnsafeMutableBufferPointer<Span>>, in key: inout [UInt8], from start: Int
  ) {
    guard spans.count > 1 else { return }
    let given = Array(key[start...])
    let isSorted = given.withUnsafeBytes { given in
      var spans = spans
      spans.sort { precedes($0, $1, in: given, from: start) }
      return zip(spans, spans.dropFirst()).allSatisfy { $0.start < $1.start }
    }
    guard !isSorted else { return }
    key.removeSubrange(start...)
    for span in spans { key.append(contentsOf: given[(span.start - start)..<(span.end - start)]) }
  }

  private static func precedes(
    _ left: Span, _ right: Span, in pairs: UnsafeRawBufferPointer, from start: Int
  ) -> Bool {
    var leftIndex = left.start + 4 - start
    var rightIndex = right.start + 4 - start
    while leftIndex < left.nameEnd - start, rightIndex < right.nameEnd - start {
      if pairs[leftIndex] != pairs[rightIndex] { return pairs[leftIndex] < pairs[rightIndex] }
      leftIndex += 1
      rightIndex += 1
    }
    let leftRest = left.nameEnd - start - leftIndex
    let rightRest = right.nameEnd - start - rightIndex
    return leftRest == rightRest ? left.start < right.start : leftRest < rightRest
  }
}

extension [UInt8] {
  /// As `appendPrefixed` with the form-decoded bytes; returns where they lie.
  fileprivate mutating func appendDecoded(_ raw: UnsafeRawBufferPointer) -> Range<Int> {
    append(count32: 0)
    let start = count
    PercentEncoding.appendDecoded(raw, plusIsSpace: true, to: &self)
    setPrefix(of: start..<count, to: UInt32(count - start))
    return start..<count
  }
}
