/// How far two words are apart, to name the word that was probably meant.
package enum EditDistance {
  /// Insertions, deletions, substitutions and swaps of neighbours that turn one word into the
  /// other (optimal string alignment).
  package static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left.utf8)
    let right = Array(right.utf8)
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        let substituted = last[column] + (left[row] == right[column] ? 0 : 1)
        var best = min(substituted, last[column + 1] + 1, current[column] + 1)
        let swapped =
          row > 0 && column > 0 && left[row] == right[column - 1]
          && left[row - 1] == right[column]
        if swapped { best = min(best, beforeLast[column - 1] + 1) }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }

  /// The nearest of the words, the first among equals; nil when none is near enough to be a
  /// likely slip: more than a third of the letters wrong, and always more than one.
  package static func nearest(to word: String, in words: [String]) -> String? {
    // A word far longer than any of ours is no slip, and comparing it would cost its length.
    guard word.utf8.count <= 64 else { return nil }
    // Our words are in lower case.
    let word = word.lowercased()
    let ranked = words.map { (word: $0, distance: distance(word, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    let allowed = max(1, max(word.utf8.count, best.word.utf8.count) / 3)
    return best.distance <= allowed ? best.word : nil
  }
}
