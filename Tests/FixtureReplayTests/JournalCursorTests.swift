import FixtureHTTP
import Testing

@testable import FixtureReplay

@Suite struct JournalCursorTests {
  private let beginning = JournalEntry.Beginning(
    RequestHead(method: .get, target: Array("/".utf8)), connection: 1, received_ns: 0,
    receivedAt_us: 0)

  /// What is read until nothing comes, in a line each.
  private func read(_ cursor: inout JournalCursor, _ journal: Journal) -> [String] {
    var lines: [String] = []
    cursor.look(in: journal)
    while let event = cursor.next(in: journal) {
      switch event {
      case .begun(let entry): lines.append("\(entry.number) begun at \(cursor)")
      case .exchange(let entry): lines.append("\(entry.number) at \(cursor)")
      case .dropped(let count): lines.append("\(count) dropped at \(cursor)")
      }
    }
    return lines
  }

  private func settle(_ entry: JournalEntry, in journal: Journal) {
    var entry = entry
    entry.isSettled = true
    journal.note(entry)
  }

  @Test func `exchanges come when they settle, each once`() {
    let journal = Journal()
    let entries = (0..<3).map { _ in journal.begin(beginning) }
    var cursor = JournalCursor()
    #expect(
      read(&cursor, journal)
        == ["1 begun at 1;1", "2 begun at 2;1,2", "3 begun at 3;1,2,3"])
    #expect(read(&cursor, journal).isEmpty)
    settle(entries[1], in: journal)
    #expect(read(&cursor, journal) == ["2 at 3;1,3"])
    settle(entries[0], in: journal)
    #expect(read(&cursor, journal) == ["1 at 3;3"])
    settle(entries[2], in: journal)
    #expect(read(&cursor, journal) == ["3 at 3"])
    #expect(read(&cursor, journal).isEmpty)
  }

  @Test func `what has settled is seen by who looks, and comes before what began`() {
    let journal = Journal()
    let entries = (0..<3).map { _ in journal.begin(beginning) }
    var cursor = JournalCursor()
    _ = read(&cursor, journal)
    settle(entries[2], in: journal)
    settle(entries[0], in: journal)
    #expect(cursor.next(in: journal).map { "\($0)" } == nil)
    cursor.look(in: journal)
    settle(entries[1], in: journal)
    settle(journal.begin(beginning), in: journal)
    var numbers: [Int] = []
    while case .exchange(let entry) = cursor.next(in: journal) { numbers.append(entry.number) }
    #expect(numbers == [1, 3, 4])
    #expect(read(&cursor, journal) == ["2 at 4"])
  }

  @Test func `what was forgotten after it was looked at is counted`() {
    let journal = Journal()
    let entries = (0..<3).map { _ in journal.begin(beginning) }
    var cursor = JournalCursor()
    _ = read(&cursor, journal)
    for entry in entries.dropLast() { settle(entry, in: journal) }
    cursor.look(in: journal)
    journal.reset()
    guard case .dropped(2) = cursor.next(in: journal) else {
      Issue.record("\(cursor)")
      return
    }
    #expect(read(&cursor, journal) == ["1 dropped at 3"])
  }

  @Test func `who comes back with the text goes on where it was`() throws {
    let journal = Journal()
    let entries = (0..<3).map { _ in journal.begin(beginning) }
    settle(entries[1], in: journal)
    var cursor = JournalCursor()
    #expect(read(&cursor, journal) == ["1 begun at 1;1", "2 at 2;1", "3 begun at 3;1,3"])
    var next = try #require(JournalCursor("3;1,3".utf8))
    #expect(next == cursor)
    settle(entries[0], in: journal)
    #expect(read(&next, journal) == ["1 at 3;3"])
  }

  @Test func `what is not kept any more is counted`() {
    let journal = Journal()
    var cursor = JournalCursor()
    for _ in 0...Journal.entriesMax { settle(journal.begin(beginning), in: journal) }
    let lines = read(&cursor, journal)
    #expect(lines.prefix(2) == ["10000 dropped at 10000", "10001 at 10001"])
    #expect(lines.count == 90_002)
    let open = journal.begin(beginning)
    #expect(read(&cursor, journal) == ["100002 begun at 100002;100002"])
    journal.reset()
    #expect(read(&cursor, journal) == ["1 dropped at \(open.number)"])
    settle(journal.begin(beginning), in: journal)
    #expect(read(&cursor, journal) == ["100003 at 100003"])
  }

  @Test func `so many open ones are waited for, the others are counted`() {
    let journal = Journal()
    let entries = (0...JournalCursor.openMax).map { _ in journal.begin(beginning) }
    var cursor = JournalCursor()
    let lines = read(&cursor, journal)
    #expect(lines.count == 1001)
    #expect(lines.last?.hasPrefix("1 dropped at 1001;1,2,") == true)
    for entry in entries { settle(entry, in: journal) }
    #expect(read(&cursor, journal).count == 1000)
    #expect(cursor == JournalCursor(after: 1001))
  }

  @Test func `a place in the journal of an earlier server is none in this one`() {
    let journal = Journal()
    settle(journal.begin(beginning), in: journal)
    var cursor = JournalCursor(after: 1)
    cursor.begin(in: journal)
    #expect(read(&cursor, journal).isEmpty)
    cursor = JournalCursor(after: 2)
    cursor.begin(in: journal)
    #expect(read(&cursor, journal) == ["1 at 1"])
  }

  @Test func `what came before a reset is skipped`() {
    let journal = Journal()
    let open = journal.begin(beginning)
    settle(journal.begin(beginning), in: journal)
    var cursor = JournalCursor()
    #expect(read(&cursor, journal) == ["1 begun at 1;1", "2 at 2;1"])
    settle(journal.begin(beginning), in: journal)
    journal.reset()
    settle(open, in: journal)
    settle(journal.begin(beginning), in: journal)
    #expect(journal.totals.exchangesBeforeReset == 3)
    cursor.skip(upTo: 3)
    #expect(read(&cursor, journal) == ["4 at 4"])
  }

  @Test(arguments: ["", "x", "-1", "3;", "3;4", "3;2,1", "3;1,1", "3;1;2", "99999999999999999999"])
  func `other text is refused`(_ text: String) {
    #expect(JournalCursor(text.utf8) == nil)
  }
}
