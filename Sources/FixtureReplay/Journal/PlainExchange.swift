import FixtureHTTP
import Synchronization

/// A request that comes again and again, byte for byte, and what answers it. What is told of
/// exchanges elsewhere names it, so it has places for what it is called there.
package final class AskedHead: Sendable {
  package let request: RequestHead
  package let source: JournalEntry.Source
  /// What a journal file calls the request and the source; 0 while it has neither. Of who writes.
  package let requestID = Atomic<Int64>(0)
  package let sourceID = Atomic<Int64>(0)
  /// In which of the journal's terms the recording was noted as used.
  let term = Atomic<Int>(0)

  package init(_ request: RequestHead, _ source: JournalEntry.Source) {
    self.request = request
    self.source = source
  }
}

/// The head of an answer that is sent again and again.
package final class AnsweredHead: Sendable {
  package let response: ResponseHead
  /// Bytes of it on the wire, with those of the interim responses before it.
  package let byteCount: Int64
  /// What a journal file calls the response; 0 while it has none. Of who writes.
  package let responseID = Atomic<Int64>(0)

  package init(_ response: ResponseHead, byteCount: Int64) {
    self.response = response
    self.byteCount = byteCount
  }
}

/// An exchange of which nothing took time: the request was there whole, and its answer was written
/// at once, in one go. Most are, so it is small and made of what they share.
package struct PlainExchange: Sendable {
  package let asked: AskedHead
  package let answered: AnsweredHead
  package let connection: Int
  package let ordinal: Int
  /// All that happened, and as a date: µs since 1970.
  package let at_ns: Int64
  package let at_us: Int64
  package let bodyBytesSent: Int64
  /// The journal gives them; 0 before.
  package internal(set) var number = 0
  package internal(set) var concurrent = 0

  package init(
    _ asked: AskedHead, _ answered: AnsweredHead, connection: Int, ordinal: Int, at_ns: Int64,
    at_us: Int64, bodyBytesSent: Int64
  ) {
    self.asked = asked
    self.answered = answered
    self.connection = connection
    self.ordinal = ordinal
    self.at_ns = at_ns
    self.at_us = at_us
    self.bodyBytesSent = bodyBytesSent
  }
}

extension JournalEntry {
  /// The same with all that is said of an exchange.
  package init(_ exchange: PlainExchange) {
    self.init(
      Beginning(
        exchange.asked.request, connection: exchange.connection, ordinal: exchange.ordinal,
        received_ns: exchange.at_ns, receivedAt_us: exchange.at_us),
      number: exchange.number, concurrent: exchange.concurrent)
    let moment = Moment(due_ns: exchange.at_ns, done_ns: exchange.at_ns)
    requestEnd_ns = exchange.at_ns
    source = exchange.asked.source
    response = exchange.answered.response
    head = moment
    last = moment
    headBytesSent = exchange.answered.byteCount
    bodyBytesSent = exchange.bodyBytesSent
    end(.completed, at: exchange.at_ns)
  }
}

/// An exchange as a journal keeps it.
enum KeptExchange {
  case plain(PlainExchange)
  indirect case whole(JournalEntry)

  var entry: JournalEntry {
    switch self {
    case .plain(let exchange): JournalEntry(exchange)
    case .whole(let entry): entry
    }
  }

  /// What it adds to the totals.
  var counted: JournalEntry.Counted {
    switch self {
    case .plain(let exchange): (exchange.answered.byteCount, exchange.bodyBytesSent, 0, 0)
    case .whole(let entry): entry.counted
    }
  }

  var isSettled: Bool {
    switch self {
    case .plain: true
    case .whole(let entry): entry.isSettled
    }
  }

  var contentCount: Int {
    switch self {
    case .plain: 0
    case .whole(let entry): entry.content.count
    }
  }
}
