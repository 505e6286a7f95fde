/// Replacements in a text: in ascending order, none over another.
struct TextEdits {
  struct Edit: Equatable {
    let range: Range<Int>
    let bytes: [UInt8]
  }

  private(set) var all: [Edit] = []

  var isEmpty: Bool { all.isEmpty }

  /// - Precondition: the range is behind those that were given before.
  mutating func replace(_ range: Range<Int>, by bytes: [UInt8]) {
    precondition(range.lowerBound >= (all.last?.range.upperBound ?? 0), "\(range) comes too late")
    all.append(Edit(range: range, bytes: bytes))
  }

  /// Takes back what was given after there were `count`.
  mutating func removeAll(from count: Int) {
    all.removeSubrange(count...)
  }

  func applied(to text: UnsafeRawBufferPointer) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count + all.reduce(0) { $0 + $1.bytes.count })
    var kept = 0
    for edit in all {
      result.append(
        contentsOf: UnsafeRawBufferPointer(rebasing: text[kept..<edit.range.lowerBound]))
      result.append(contentsOf: edit.bytes)
      kept = edit.range.upperBound
    }
    result.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[kept...]))
    return result
  }

  /// In JSON a number can't become a text: one that holds a replacement becomes 0.
  func keepingNumbers(of text: UnsafeRawBufferPointer) -> TextEdits {
    guard !isEmpty, text.first.map({ $0 == 0x7B || $0 == 0x5B || $0 <= 0x20 }) ?? false else {
      return self
    }
    var scanner = JSONScanner(text)
    var kept = TextEdits()
    var next = all[...]
    while true {
      switch scanner.next() {
      case .number:
        let span = scanner.span.range
        while let edit = next.first, edit.range.upperBound <= span.lowerBound {
          kept.replace(edit.range, by: edit.bytes)
          next.removeFirst()
        }
        guard let edit = next.first, edit.range.overlaps(span) else { continue }
        kept.replace(span, by: [0x30])
        while let edit = next.first, edit.range.overlaps(span) { next.removeFirst() }
      case .end:
        for edit in next { kept.replace(edit.range, by: edit.bytes) }
        return kept
      case .invalid: return self
      case .object, .objectEnd, .array, .arrayEnd, .name, .string, .true, .false, .null: continue
      }
    }
  }

  /// Where positions of the text lie in the new one; those inside what was replaced lie behind it.
  /// - Parameter positions: ascending.
  func mapped(_ positions: [Int]) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(positions.count)
    var next = 0
    var shift = 0
    for position in positions {
      while next < all.count, all[next].range.lowerBound < position {
        shift += all[next].bytes.count - all[next].range.count
        next += 1
      }
      let end = next > 0 ? all[next - 1].range.upperBound : 0
      result.append(max(position, end) + shift)
    }
    return result
  }
}
