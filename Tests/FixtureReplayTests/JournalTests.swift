import FixtureHTTP
import Testing

@testable import FixtureReplay

@Suite struct JournalTests {
  private let beginning = JournalEntry.Beginning(
    RequestHead(method: .get, target: Array("/".utf8)), connection: 1, received: .now,
    received_ns: 0, receivedAt_us: 0)

  @Test func `beyond the bound the oldest tenth is forgotten, open exchanges too`() {
    let journal = Journal()
    var first = journal.begin(beginning)
    for _ in 0..<Journal.entriesMax { _ = journal.begin(beginning) }
    #expect(journal.entries.count == 90_001)
    #expect(journal.entries.first?.number == 10_001)
    #expect(journal.entries.last?.number == 100_001)
    #expect(journal.totals == .init(exchanges: 100_001, dropped: 10_000, open: 90_001))
    // What happens to one that was forgotten changes nothing.
    first.isSettled = true
    journal.note(first)
    #expect(journal.totals.open == 90_001)
  }

  @Test func `contents are bounded all together`() throws {
    let journal = Journal()
    let content = [UInt8](repeating: 7, count: 60 << 20)
    for number in 1...5 {
      var entry = journal.begin(beginning)
      #expect(entry.number == number)
      content.withUnsafeBytes { entry.append($0) }
      journal.note(entry)
    }
    #expect(journal.entries.map(\.number) == [2, 3, 4, 5])
    #expect(journal.entries.allSatisfy { $0.content.count == content.count })
  }

  @Test func `of long content the beginning is kept, and its length`() {
    var entry = Journal().begin(beginning)
    let content = [UInt8](repeating: 7, count: 40 << 20)
    for _ in 0..<2 { content.withUnsafeBytes { entry.append($0) } }
    #expect(entry.content.count == Journal.heldBytesMax)
    #expect(entry.contentCount == 80 << 20)
  }

  @Test func `counts follow what is said of an exchange`() {
    let journal = Journal()
    var entry = journal.begin(beginning)
    entry.headBytesSent = 10
    entry.bodyBytesSent = 5
    entry.outcome = .completed
    journal.note(entry)
    // It was said too early: the client took less, and left.
    entry.bodyBytesSent = 3
    entry.outcome = .aborted
    entry.isSettled = true
    journal.note(entry)
    #expect(
      journal.totals
        == .init(exchanges: 1, bytesSent: 13, bodyBytesSent: 3, aborted: 1, open: 0))
  }

  @Test func `an entry knows how many others were open when it came`() {
    let journal = Journal()
    var first = journal.begin(beginning)
    #expect(first.concurrent == 0)
    #expect(journal.begin(beginning).concurrent == 1)
    first.isSettled = true
    journal.note(first)
    #expect(journal.begin(beginning).concurrent == 1)
  }
}
