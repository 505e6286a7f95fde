import FixtureHTTP

/// How far somebody has read the exchanges of a journal that settled, in a line of text that says
/// where to go on: the highest number that was seen, and those below it that had not settled then.
///
///     12        all up to 12 were read
///     12;9,11   those but for 9 and 11, which were open
package struct JournalCursor: Equatable, Sendable {
  /// So many open ones are waited for; of older ones nothing is read any more.
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
    /// It settled.
    case exchange(JournalEntry)
    /// So many are not kept any more and were not read.
    case dropped(Int)
  }

  /// What comes next: nil when nothing has settled since.
  package mutating func next(in journal: Journal) -> Event? {
    let (isGone, found) = settledOpen(in: journal)
    if let found { return .exchange(found) }
    if isGone > 0 { return .dropped(isGone) }
    while true {
      let entries = journal.entries(after: last, limit: 64)
      guard let first = entries.first else {
        let skipped = journal.totals.exchanges - last
        guard skipped > 0, journal.entries(after: last, limit: 1).isEmpty else { return nil }
        last += skipped
        return .dropped(skipped)
      }
      let skipped = first.number - last - 1
      if skipped > 0 {
        last += skipped
        return .dropped(skipped)
      }
      for entry in entries {
        last = entry.number
        if entry.isSettled { return .exchange(entry) }
        if open.count == Self.openMax { open.removeFirst() }
        open.append(entry.number)
      }
    }
  }

  /// - Returns: how many of the open ones are not kept any more, and one that has settled.
  private mutating func settledOpen(in journal: Journal) -> (gone: Int, found: JournalEntry?) {
    var gone = 0
    for (index, number) in open.enumerated().reversed() {
      guard let entry = journal.entry(number) else {
        open.remove(at: index)
        gone += 1
        continue
      }
      guard entry.isSettled, gone == 0 else { continue }
      open.remove(at: index)
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
