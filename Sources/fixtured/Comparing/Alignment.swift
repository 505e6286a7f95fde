/// Which elements of two sequences belong together, in order on both sides.
enum Alignment {
  struct Pair: Equatable {
    let left: Int
    let right: Int
  }

  /// Comparisons that are made at most; longer sequences are paired by position.
  static let comparisonsMax = 4_000_000

  /// The pairs with the largest sum of scores.
  /// - Parameter score: 0 for elements that don't belong together.
  static func pairs(
    _ leftCount: Int, _ rightCount: Int, score: (Int, Int) -> Int
  ) -> [Pair] {
    guard leftCount > 0, rightCount > 0 else { return [] }
    guard leftCount <= comparisonsMax / rightCount else {
      return (0..<min(leftCount, rightCount)).filter { score($0, $0) > 0 }
        .map { Pair(left: $0, right: $0) }
    }
    let width = rightCount + 1
    var best = [Int32](repeating: 0, count: (leftCount + 1) * width)
    var scores = [Int32](repeating: 0, count: leftCount * rightCount)
    for left in stride(from: leftCount - 1, through: 0, by: -1) {
      for right in stride(from: rightCount - 1, through: 0, by: -1) {
        let own = Int32(score(left, right))
        scores[left * rightCount + right] = own
        let together = own > 0 ? own + best[(left + 1) * width + right + 1] : 0
        best[left * width + right] = max(
          together, best[(left + 1) * width + right], best[left * width + right + 1])
      }
    }
    return path(leftCount, rightCount, best, scores)
  }

  private static func path(
    _ leftCount: Int, _ rightCount: Int, _ best: [Int32], _ scores: [Int32]
  ) -> [Pair] {
    let width = rightCount + 1
    var pairs: [Pair] = []
    var (left, right) = (0, 0)
    while left < leftCount, right < rightCount {
      let own = scores[left * rightCount + right]
      let here = best[left * width + right]
      if own > 0, here == own + best[(left + 1) * width + right + 1] {
        pairs.append(Pair(left: left, right: right))
        left += 1
        right += 1
      } else if here == best[(left + 1) * width + right] {
        left += 1
      } else {
        right += 1
      }
    }
    return pairs
  }
}

/// The lines that differ between two texts, `- ` before those of the first and `+ ` before those of
/// the second.
enum LineDifference {
  /// Lines that are told; more are counted.
  static let linesMax = 100

  static func lines(_ left: [String], _ right: [String]) -> [String] {
    let shorter = min(left.count, right.count)
    var begin = 0
    while begin < shorter, left[begin] == right[begin] { begin += 1 }
    var end = 0
    while end < shorter - begin, left[left.count - 1 - end] == right[right.count - 1 - end] {
      end += 1
    }
    let before = left[begin..<(left.count - end)]
    let now = right[begin..<(right.count - end)]
    let pairs = Alignment.pairs(before.count, now.count) {
      before[begin + $0] == now[begin + $1] ? 1 : 0
    }
    var lines: [String] = []
    var (from, to) = (before.startIndex, now.startIndex)
    for pair in pairs + [.init(left: before.count, right: now.count)] {
      lines += before[from..<(begin + pair.left)].map { "- \($0)" }
      lines += now[to..<(begin + pair.right)].map { "+ \($0)" }
      (from, to) = (begin + pair.left + 1, begin + pair.right + 1)
    }
    return bounded(lines)
  }

  /// At most so many, and a line that says how many are left out.
  static func bounded(_ lines: [String]) -> [String] {
    guard lines.count > linesMax else { return lines }
    return lines.prefix(linesMax) + ["… \(lines.count - linesMax) more lines"]
  }
}
