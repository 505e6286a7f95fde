/// The ports that sessions may have, where others than these can't be reached.
package struct SessionPorts: Equatable, Sendable, CustomStringConvertible {
  package let range: ClosedRange<UInt16>

  package init(_ range: ClosedRange<UInt16>) {
    self.range = range
  }

  /// `8400-8499`, or one port; nil for anything else. 0 is none.
  package init?(word: String) {
    let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { text in
      text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? UInt16(text) : nil
    }
    guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first > 0,
      first <= last
    else { return nil }
    range = first...last
  }

  package var description: String { "\(range.lowerBound)-\(range.upperBound)" }
}
