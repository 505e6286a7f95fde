import FixtureHTTP
import Testing

@testable import FixtureServing

@Suite struct ExchangeLogTests {
  private let request = RequestHead(method: .get, target: Array("/".utf8))

  @Test func `beyond the bound the oldest tenth is forgotten, open exchanges too`() {
    let log = ExchangeLog()
    for _ in 0...ExchangeLog.entriesMax { _ = log.begin(request, connection: 1, at: .now) }
    #expect(log.entries.count == 90_001)
    #expect(log.entries.first?.number == 10_001)
    #expect(log.entries.last?.number == 100_001)
    #expect(log.totals.open == 90_001)
    #expect(log.entry(0) == nil)
    // What happens to one that was forgotten changes nothing.
    log.update(0) { $0.isSettled = true }
    #expect(log.totals.open == 90_001)
  }

  @Test func `contents are bounded all together`() throws {
    let log = ExchangeLog()
    let content = [UInt8](repeating: 7, count: 100 << 20)
    for number in 0..<3 {
      #expect(log.begin(request, connection: 1, at: .now) == number)
      content.withUnsafeBytes { log.append($0, to: number) }
    }
    #expect(log.entries.map(\.number) == [2, 3])
    #expect(log.entries.map(\.content.count) == [content.count, content.count])
  }

  @Test func `counts follow what is said of an exchange`() {
    let log = ExchangeLog()
    let number = log.begin(request, connection: 1, at: .now)
    log.update(number) { entry in
      entry.headBytesSent = 10
      entry.bodyBytesSent = 5
      entry.outcome = .completed
    }
    // It was said too early: the client took less, and left.
    log.update(number) { entry in
      entry.bodyBytesSent = 3
      entry.outcome = .aborted
      entry.isSettled = true
    }
    #expect(
      log.totals == .init(bytesSent: 13, bodyBytesSent: 3, aborted: 1, open: 0))
  }
}
