import FixtureHTTP
import Synchronization
import Testing

@testable import FixtureReplay

@Suite struct JournalTests {
  private let beginning = JournalEntry.Beginning(
    RequestHead(method: .get, target: Array("/".utf8)), connection: 1, received_ns: 0,
    receivedAt_us: 0)

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

  /// In process the content is there when the exchange begins.
  @Test(arguments: [false, true])
  func `contents are bounded all together`(comesFirst: Bool) throws {
    let journal = Journal()
    let content = [UInt8](repeating: 7, count: 60 << 20)
    for number in 1...5 {
      var entry = JournalEntry(beginning)
      if comesFirst { content.withUnsafeBytes { entry.append($0) } }
      journal.begin(&entry)
      #expect(entry.number == number)
      if !comesFirst { content.withUnsafeBytes { entry.append($0) } }
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

  /// As for an answer that is written in one go.
  @Test func `an exchange may be settled without having been begun`() throws {
    let journal = Journal()
    var other = journal.begin(beginning)
    var entry = JournalEntry(beginning)
    entry.isSettled = true
    entry.outcome = .completed
    entry.bodyBytesSent = 7
    let settlement = journal.settle(&entry)
    #expect(entry.number == 2)
    #expect(entry.concurrent == 1)
    #expect(
      journal.totals == .init(exchanges: 2, bytesSent: 7, bodyBytesSent: 7, open: 1))
    entry.isSettled = false
    entry.outcome = .open
    entry.bodyBytesSent = 3
    journal.reopen(entry, settlement)
    #expect(
      journal.totals == .init(exchanges: 2, bytesSent: 3, bodyBytesSent: 3, open: 2))
    other.isSettled = true
    journal.note(other)
    #expect(journal.entry(2)?.bodyBytesSent == 3)
    #expect(journal.totals.open == 1)
  }

  private var plain: PlainExchange {
    var fields = FieldSection()
    fields.append("ETag", "\"a\"")
    return PlainExchange(
      AskedHead(beginning.request, .interaction(7, ordinal: 1, count: 2)),
      AnsweredHead(ResponseHead(status: 200, reason: [], fields: fields), byteCount: 40),
      connection: 3, ordinal: 4, at_ns: 5000, at_us: 6, bodyBytesSent: 60)
  }

  @Test func `a plain exchange is kept with all that is said of one`() throws {
    let told = Mutex<[Int]>([])
    let journal = Journal(onPlain: { exchange in
      let number = exchange.number
      told.withLock { $0.append(number) }
    })
    _ = journal.begin(beginning)
    var exchange = plain
    let settlement = journal.settle(&exchange)
    #expect(exchange.number == 2)
    #expect(told.withLock { $0 } == [])
    journal.finish(exchange, settlement)
    #expect(told.withLock { $0 } == [2])
    let entry = try #require(journal.entry(2))
    #expect(entry.concurrent == 1 && entry.connection == 3 && entry.ordinal == 4)
    #expect(entry.source == .interaction(7, ordinal: 1, count: 2))
    #expect(entry.status == 200 && entry.outcome == .completed && entry.isSettled)
    #expect(entry.received_ns == 5000 && entry.receivedAt_us == 6)
    #expect(entry.requestEnd_ns == 5000 && entry.end_ns == 5000)
    #expect(entry.head == .init(due_ns: 5000, done_ns: 5000) && entry.last == entry.head)
    #expect(entry.headBytesSent == 40 && entry.bodyBytesSent == 60)
    #expect(journal.totals == .init(exchanges: 2, bytesSent: 100, bodyBytesSent: 60, open: 1))
    #expect(journal.used == [7])
    #expect(journal.notOpen(among: [1, 2]) == [2])
  }

  @Test func `a plain exchange that goes on is one like any other`() throws {
    let journal = Journal()
    var exchange = plain
    let settlement = journal.settle(&exchange)
    var entry = JournalEntry(exchange)
    entry.isSettled = false
    entry.outcome = .open
    entry.bodyBytesSent = 10
    journal.reopen(entry, settlement)
    #expect(journal.totals == .init(exchanges: 1, bytesSent: 50, bodyBytesSent: 10, open: 1))
    #expect(journal.notOpen(among: [1]) == [])
    entry.end(.aborted, at: 9000)
    journal.note(entry)
    #expect(journal.entry(1)?.outcome == .aborted)
    #expect(journal.totals.aborted == 1 && journal.totals.open == 0)
  }

  @Test func `after a reset a recording is used when it is asked for again`() {
    let journal = Journal()
    var first = plain
    var second = first
    let settled = journal.settle(&first)
    journal.finish(first, settled)
    journal.reset()
    #expect(journal.used == [])
    let again = journal.settle(&second)
    journal.finish(second, again)
    #expect(journal.used == [7])
    #expect(journal.entries.map(\.number) == [2])
  }

  @Test func `whoever waits is told when an exchange went as it was said, not before`() {
    let journal = Journal()
    let told = Mutex(0)
    var entry = journal.begin(beginning)
    journal.whenSettled { told.withLock { $0 += 1 } }
    entry.isSettled = true
    let first = journal.settle(&entry)
    entry.isSettled = false
    journal.reopen(entry, first)
    #expect(told.withLock { $0 } == 0)
    entry.isSettled = true
    let second = journal.settle(&entry)
    #expect(told.withLock { $0 } == 0)
    journal.finish(entry, second)
    #expect(told.withLock { $0 } == 1)
  }

  @Test func `exchanges that end are told in the order of their ends`() {
    let numbers = Mutex<[Int]>([])
    let journal = Journal { entry in numbers.withLock { $0.append(entry.number) } }
    var entries = (0..<3).map { _ in journal.begin(beginning) }
    for index in [2, 0, 1] {
      journal.note(entries[index])
      entries[index].isSettled = true
      journal.note(entries[index])
    }
    #expect(numbers.withLock { $0 } == [3, 1, 2])
  }

  @Test func `a part of the journal is what follows a number`() {
    let journal = Journal()
    for _ in 0..<(Journal.entriesMax + 2500) { _ = journal.begin(beginning) }
    #expect(journal.entries(after: 0, limit: 2).map(\.number) == [10_001, 10_002])
    #expect(journal.entries(after: 12_000, limit: 2).map(\.number) == [12_001, 12_002])
    #expect(journal.entries(after: 102_499, limit: 9).map(\.number) == [102_500])
    #expect(journal.entries(after: 102_500, limit: 9).isEmpty)
    #expect(journal.entry(10_000) == nil)
    #expect(journal.entry(0) == nil)
    #expect(journal.entry(55_555)?.number == 55_555)
  }
}
