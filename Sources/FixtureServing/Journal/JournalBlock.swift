import FixtureReplay

/// Exchanges of one session on their way to a row of a journal file: a JSON array with an array for
/// each. They are written where they happen, many times a second, so digits go straight to bytes.
///
///     [[1,1,1,0,1,1,1,5012,140,1024],[2,1,2,0,1,1,1,5230,140,1024]]
///
/// What the places mean is said by the view `exchange` of `JournalFormat`; those at the end that a
/// plain exchange would have as 0, `completed` or nothing are left out.
struct JournalBlock: Sendable {
  /// What a file calls the parts that exchanges share.
  struct Shared {
    var request: Int64
    var source: Int64
    var response: Int64?
  }

  /// So many bytes are enough for one row.
  private static let bytesMax = 32 << 10
  /// Seventeen numbers with what is between them, none of them longer than Int64.min.
  private static let numbersBytesMax = 17 * 21 + 2

  private var bytes: [UInt8] = []
  private(set) var count: Int64 = 0

  var byteCount: Int { bytes.count }
  var isFull: Bool { bytes.count >= Self.bytesMax }

  /// The row's text.
  var text: [UInt8] {
    var text = bytes
    text.append(0x5D)
    return text
  }

  /// - Parameter began_ns: when the session began.
  mutating func append(
    _ exchange: borrowing PlainExchange, _ request: Int64, _ source: Int64, _ response: Int64,
    began_ns: Int64
  ) {
    begin()
    withUnsafeTemporaryAllocation(byteCount: Self.numbersBytesMax, alignment: 1) { buffer in
      var digits = BackwardDigits(buffer)
      digits.put(0x5D)
      digits.put(exchange.bodyBytesSent, after: 0x2C)
      digits.put(exchange.answered.byteCount, after: 0x2C)
      digits.put((exchange.at_ns - began_ns) / 1000, after: 0x2C)
      digits.put(response, after: 0x2C)
      digits.put(source, after: 0x2C)
      digits.put(request, after: 0x2C)
      digits.put(Int64(exchange.concurrent), after: 0x2C)
      digits.put(Int64(exchange.ordinal), after: 0x2C)
      digits.put(Int64(exchange.connection), after: 0x2C)
      digits.put(Int64(exchange.number), after: 0x5B)
      bytes.append(contentsOf: digits.written)
    }
  }

  /// - Parameters:
  ///   - digest: of the request's content, in hexadecimal; nil for none.
  ///   - redacted: what is written of a text.
  mutating func append(
    _ entry: JournalEntry, _ shared: Shared, began_ns: Int64, digest: String?,
    redacted: (String) -> String
  ) {
    begin()
    append(numbersOf: entry, shared, began_ns: began_ns)
    var rest = JSONText()
    rest.array { json in
      json.string(entry.outcome.rawValue.utf8)
      json.number(entry.contentCount)
      if let digest { json.string(digest.utf8) } else { json.null() }
      if let departure = entry.departure {
        json.string(departure.rawValue.utf8)
      } else {
        json.null()
      }
      json.number(Int64(entry.rebases))
      guard let ruling = entry.ruling else { return }
      json.number(Int64(ruling.set.number))
      json.string(ruling.rules.map(String.init).joined(separator: " ").utf8)
      if ruling.overruled.isEmpty {
        json.null()
      } else {
        json.string(redacted(ruling.overruled.joined(separator: ", ")).utf8)
      }
      if ruling.draws.isEmpty { json.null() } else { ruling.draws.write(to: &json) }
    }
    bytes.append(contentsOf: rest.bytes.dropFirst())
  }

  /// All that comes before the outcome, and a comma.
  private mutating func append(
    numbersOf entry: JournalEntry, _ shared: Shared, began_ns: Int64
  ) {
    let received_us = (entry.received_ns - began_ns) / 1000
    func since(_ instant_ns: Int64?) -> Int64? {
      instant_ns.map { ($0 - began_ns) / 1000 - received_us }
    }
    withUnsafeTemporaryAllocation(byteCount: Self.numbersBytesMax, alignment: 1) { buffer in
      var digits = BackwardDigits(buffer)
      digits.put(0x2C)
      digits.put(orEmpty: since(entry.end_ns))
      digits.put(orEmpty: since(entry.last?.done_ns))
      digits.put(orEmpty: since(entry.last?.due_ns))
      digits.put(orEmpty: since(entry.head?.done_ns))
      digits.put(orEmpty: since(entry.head?.due_ns))
      digits.put(orEmpty: since(entry.requestEnd_ns))
      digits.put(entry.bodyBytesSent, after: 0x2C)
      digits.put(entry.headBytesSent, after: 0x2C)
      digits.put(received_us, after: 0x2C)
      digits.put(orEmpty: shared.response)
      digits.put(shared.source, after: 0x2C)
      digits.put(shared.request, after: 0x2C)
      digits.put(Int64(entry.concurrent), after: 0x2C)
      digits.put(Int64(entry.ordinal), after: 0x2C)
      digits.put(Int64(entry.connection), after: 0x2C)
      digits.put(Int64(entry.number), after: 0x5B)
      bytes.append(contentsOf: digits.written)
    }
  }

  private mutating func begin() {
    count &+= 1
    if bytes.isEmpty {
      bytes.reserveCapacity(Self.bytesMax + Self.numbersBytesMax)
      bytes.append(0x5B)
    } else {
      bytes.append(0x2C)
    }
  }
}

/// Writes numbers from the last one on, since the last digit of a number is known first.
private struct BackwardDigits {
  private let buffer: UnsafeMutableRawBufferPointer
  private var start: Int

  init(_ buffer: UnsafeMutableRawBufferPointer) {
    self.buffer = buffer
    start = buffer.count
  }

  var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[start...]) }

  mutating func put(_ byte: UInt8) {
    start &-= 1
    buffer[start] = byte
  }

  /// - Parameter separator: stands before it.
  mutating func put(_ number: Int64, after separator: UInt8) {
    var rest = number.magnitude
    while rest >= 10 {
      let (tens, digit) = rest.quotientAndRemainder(dividingBy: 10)
      put(0x30 &+ UInt8(truncatingIfNeeded: digit))
      rest = tens
    }
    put(0x30 &+ UInt8(truncatingIfNeeded: rest))
    if number < 0 { put(0x2D) }
    put(separator)
  }

  /// An empty text for nil: a number that is missing is 0.
  mutating func put(orEmpty number: Int64?) {
    if let number { return put(number, after: 0x2C) }
    put(0x22)
    put(0x22)
    put(0x2C)
  }
}
