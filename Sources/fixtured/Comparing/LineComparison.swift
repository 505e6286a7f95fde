/// Compares a text that comes in parts with an expected one, up to the first difference.
struct LineComparison {
  struct Difference: Equatable, Sendable {
    /// Counted from 1.
    let line: Int
    /// nil when the expected text ends before this line.
    let expected: String?
    /// nil when the new text ends before this line.
    let found: String?
  }

  private static let newline = UInt8(ascii: "\n")

  /// Gives the next bytes of the expected text; none at its end.
  private let more: () throws(FileError) -> [UInt8]
  private var expected: [UInt8] = []
  private var position = 0
  private var line = 1

  init(expected more: @escaping () throws(FileError) -> [UInt8]) {
    self.more = more
  }

  /// - Parameter part: whole lines; the next part continues behind it.
  mutating func take(_ part: String) throws(FileError) -> Difference? {
    var rest = Array(part.utf8)[...]
    while !rest.isEmpty {
      let found = rest.firstLine
      let known = try nextLine()
      guard found == known else {
        return Difference(
          line: line, expected: known.isEmpty ? nil : Self.shown(known), found: Self.shown(found))
      }
      rest = rest.dropFirst(found.count)
      position += found.count
      line += 1
    }
    return nil
  }

  /// The difference at the end of the new text, when the expected one goes on.
  mutating func finish() throws(FileError) -> Difference? {
    let rest = try nextLine()
    return rest.isEmpty
      ? nil : Difference(line: line, expected: Self.shown(rest), found: nil)
  }

  /// Of the expected text, which is held line by line.
  private mutating func nextLine() throws(FileError) -> ArraySlice<UInt8> {
    while true {
      let line = expected[position...].firstLine
      if line.last == Self.newline { return line }
      let part = try more()
      if part.isEmpty { return line }
      expected.removeFirst(position)
      position = 0
      expected += part
    }
  }

  private static func shown(_ line: ArraySlice<UInt8>) -> String {
    let text = line.last == newline ? line.dropLast() : line
    return String(escaping: text.prefix(200)) + (text.count > 200 ? "…" : "")
  }
}

extension ArraySlice<UInt8> {
  /// Up to and with the first newline, or everything when there is none.
  fileprivate var firstLine: ArraySlice<UInt8> {
    firstIndex(of: UInt8(ascii: "\n")).map { self[startIndex...$0] } ?? self
  }
}
