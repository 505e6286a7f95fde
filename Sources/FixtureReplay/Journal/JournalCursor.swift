import FixtureHTTP

/// How far somebody has read the exchanges of a journal as they begin and settle, in a line of text
/// that says where to go on: the highest number that was seen, and those below it that had not
/// settled then.
///
///     12        all up to 12 were read
///     12;9,11   those but for 9 and 11, which were open
package struct JournalCursor: Equatable, Sendable {
  /// So many open ones are waited for; of those that are open beyond them nothing is read.
  package static let openMax = 1000

  package private(set) var last: Int
  package private(set) var open: [Int]

  package init(after last: Int = 0) {
    self.last = last
    open = []
  }

  /// nil for text that none of these ever was.
  package init?(_ text: some Sequence<UInt8>) {
    let parts = String(decoding: Array(text), as: UTF8.self)
      .split(separator: ";", omittingEmptySubsequences: false)
    guard let first = parts.first, let last = Self.number(first), parts.count <= 2 else {
      return nil
    }
    self.last = last
    open = []
    guard parts.count == 2 else { return }
    for part in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Self.number(part), number > open.last ?? 0, number <= last,
        open.count < Self.openMax
      else { return nil }
      open.append(number)
    }
  }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return Int(text)
  }

  /// Something that is read.
  package enum Event: Sendable {
    /// It began and has not settled.
    case begun(JournalEntry)
    /// It settled.
    case exchange(JournalEntry)
    /// So many will not be read: they are not kept any more, or more were open than are waited for.
    case dropped(Int)
  }

  /// Begins at the first exchange if this is of another journal, one that had more of them: that of
  /// a server that was started anew since.
  package mutating func begin(in journal: Journal) {
    if last > journal.totals.exchanges { self = JournalCursor() }
  }

  /// Reads nothing of what came before a journal began anew.
  package mutating func skip(upTo number: Int) {
    last = max(last, number)
    open.removeAll { $0 <= number }
  }

  /// What comes next: nil when nothing has happened since.
  package mutating func next(in journal: Journal) -> Event? {
    let (isGone, found) = settledOpen(in: journal)
    if let found { return .exchange(found) }
    if isGone > 0 { return .dropped(isGone) }
    guard let first = journal.entries(after: last, limit: 1).first else {
      let skipped = journal.totals.exchanges - last
      guard skipped > 0, journal.entries(after: last, limit: 1).isEmpty else { return nil }
      last += skipped
      return .dropped(skipped)
    }
    let skipped = first.number - last - 1
    last += max(1, skipped)
    if skipped > 0 { return .dropped(skipped) }
    if first.isSettled { return .exchange(first) }
    guard open.count < Self.openMax else { return .dropped(1) }
    open.append(first.number)
    return .begun(first)
  }

  /// - Returns: how many of the open ones are not kept any more, and one that has settled.
  private mutating func settledOpen(in journal: Journal) -> (gone: Int, found: JournalEntry?) {
    var gone = 0
    guard !open.isEmpty else { return (0, nil) }
    for number in journal.notOpen(among: open) {
      guard let entry = journal.entry(number) else {
        open.removeAll { $0 == number }
        gone += 1
        continue
      }
      guard gone == 0 else { break }
      open.removeAll { $0 == number }
      return (0, entry)
    }
    return (gone, nil)
  }
}

extension JournalCursor: CustomStringConvertible {
  package var description: String {
    open.isEmpty ? "\(last)" : "\(last);\(open.map(String.init).joined(separator: ","))"
  }
}
