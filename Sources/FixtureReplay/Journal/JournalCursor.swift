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
  /// Of the open ones, those that had settled or were forgotten when they were looked at, the
  /// lowest last.
  private var settled: [Int] = []

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
    settled.removeAll { $0 <= number }
  }

  /// Looks at which of the open ones have settled. To be done once before events are read, not for
  /// each of them: those who perform exchanges wait meanwhile.
  package mutating func look(in journal: Journal) {
    settled = open.isEmpty ? [] : journal.notOpen(among: open).reversed()
  }

  /// What comes next: nil when nothing had happened when it was looked, and nothing has begun
  /// since.
  package mutating func next(in journal: Journal) -> Event? {
    if let event = nextSettled(in: journal) { return event }
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

  private mutating func nextSettled(in journal: Journal) -> Event? {
    var gone = 0
    while let number = settled.last {
      let entry = journal.entry(number)
      guard entry == nil || gone == 0 else { break }
      settled.removeLast()
      open.removeAll { $0 == number }
      if let entry { return .exchange(entry) }
      gone += 1
    }
    return gone > 0 ? .dropped(gone) : nil
  }
}

extension JournalCursor: CustomStringConvertible {
  package var description: String {
    open.isEmpty ? "\(last)" : "\(last);\(open.map(String.init).joined(separator: ","))"
  }
}
