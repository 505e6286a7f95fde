import FixtureHTTP

/// The bytes that lists of form-encoded pairs share when they hold the same pairs: each decoded,
/// ordered by name; equal names in the order given.
enum PairsForm {
  /// - Parameter adjust: gets a pair's decoded name and value in `key`, may change the value, and
  ///   says whether the pair counts.
  @inline(__always)
  static func write(
    _ query: UnsafeRawBufferPointer, to key: inout KeyWriter,
    adjust: (_ name: Range<Int>, _ value: Range<Int>, inout KeyWriter) -> Bool
  ) {
    let start = key.count
    var isSorted = true
    var previous: Range<Int>?
    var position = 0
    while position < query.count {
      if query[position] == 0x26 {
        position += 1
        continue
      }
      let pair = key.count
      let name = key.appendDecoded(query, from: &position, isName: true)
      let value = key.appendDecoded(query, from: &position, isName: false)
      guard adjust(name, value, &key) else {
        key.removeAll(from: pair)
        continue
      }
      if let previous, key.bytes(name).precedes(key.bytes(previous)) { isSorted = false }
      previous = name
    }
    if !isSorted, key.isComplete { sort(from: start, in: &key) }
  }

  /// As `write` to the end of a buffer.
  static func append(
    _ query: UnsafeRawBufferPointer, to key: inout [UInt8],
    where counts: (_ name: UnsafeRawBufferPointer) -> Bool
  ) {
    withUnsafeTemporaryAllocation(byteCount: bytesMax(query.count), alignment: 1) { room in
      var writer = KeyWriter(room)
      write(query, to: &writer) { name, _, writer in counts(writer.bytes(name)) }
      key.append(contentsOf: writer.bytes)
    }
  }

  /// The most bytes a query of so many can become: two counts for each pair, which has at least one
  /// byte and a separator.
  static func bytesMax(_ count: Int) -> Int { 5 * count + 4 }

  /// Where the pairs lie that were appended from `start` on.
  static func places(in key: [UInt8], from start: Int) -> [Range<Int>] {
    key[start...].withUnsafeBytes { written in
      pairs(in: written).map { (start + $0.range.lowerBound)..<(start + $0.range.upperBound) }
    }
  }

  private struct Pair {
    let range: Range<Int>
    let name: Range<Int>
  }

  private static func pairs(in written: UnsafeRawBufferPointer) -> [Pair] {
    func part(at start: Int) -> Range<Int> {
      let count = UInt32(
        littleEndian: written.loadUnaligned(fromByteOffset: start, as: UInt32.self))
      return (start + 4)..<(start + 4 + (count == .max ? 0 : Int(count)))
    }
    var pairs: [Pair] = []
    var start = 0
    while start < written.count {
      let name = part(at: start)
      let end = part(at: name.upperBound).upperBound
      pairs.append(Pair(range: start..<end, name: name))
      start = end
    }
    return pairs
  }

  /// Equal names keep their order, by where they lie.
  private static func sort(from start: Int, in key: inout KeyWriter) {
    let given = Array(key.bytes(start..<key.count))
    given.withUnsafeBytes { given in
      func precedes(_ left: Pair, _ right: Pair) -> Bool {
        let leftName = UnsafeRawBufferPointer(rebasing: given[left.name])
        let rightName = UnsafeRawBufferPointer(rebasing: given[right.name])
        if leftName.precedes(rightName) { return true }
        return !rightName.precedes(leftName) && left.range.lowerBound < right.range.lowerBound
      }
      key.removeAll(from: start)
      for pair in pairs(in: given).sorted(by: precedes) {
        key.append(UnsafeRawBufferPointer(rebasing: given[pair.range]))
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// In the order of their bytes.
  fileprivate func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
      return self[index] < other[index]
    }
    return count < other.count
  }
}
