import FixtureHTTP
import FixtureHTTP1

/// Feeds a parser and keeps what it says, checking what every call must respect: no more is
/// consumed than was given, content lies in what was consumed, every few calls consume something or
/// ask for more, asking again says the same, and an error is the last word.
package struct Listener<Parser: MessageParser> {
  private var parser: Parser
  /// Messages to read; what comes after them is left.
  private let messageCount: Int
  private var ended = 0
  /// Calls since the last one that consumed something.
  private var idleCalls = 0
  package private(set) var heard: [Heard] = []
  package private(set) var unconsumed: [UInt8] = []
  package private(set) var error: ProtocolError?

  package init(_ parser: Parser, messageCount: Int = .max) {
    self.parser = parser
    self.messageCount = messageCount
  }

  /// What `parser` says about all of `input`, cut before each of these offsets, and the close.
  static func listen(
    _ parser: Parser, to input: [UInt8], cuts: some Sequence<Int>, messageCount: Int = .max
  ) throws(Violation) -> Listener {
    var listener = Listener(parser, messageCount: messageCount)
    var start = 0
    for cut in cuts {
      try listener.feed(input[start..<cut])
      start = cut
    }
    try listener.feed(input[start...])
    try listener.close()
    return listener
  }

  var hasEnded: Bool { ended > 0 }

  /// What was heard, one line an event, and what became of the rest: `more` when the messages are
  /// not complete, `rest` when bytes are left.
  package var transcript: [String] {
    let lines = heard.flatMap(\.lines)
    if error != nil { return lines }
    if ended < messageCount { return lines + ["more"] }
    return unconsumed.isEmpty ? lines : lines + ["rest " + Escapes.encode(unconsumed)]
  }

  /// The content of all messages.
  var content: [UInt8] {
    var content: [UInt8] = []
    for case .content(let bytes) in heard { content += bytes }
    return content
  }

  private var isDone: Bool { error != nil || ended == messageCount }

  package mutating func feed(_ bytes: ArraySlice<UInt8>) throws(Violation) {
    unconsumed.append(contentsOf: bytes)
    while !isDone {
      if try step() { continue }
      // Asking again with the same bytes changes nothing.
      if error == nil, try step() { throw Violation(text: "more was needed, and then not") }
      return
    }
  }

  /// The peer has closed.
  package mutating func close() throws(Violation) {
    guard !isDone else { return }
    do throws(ProtocolError) {
      guard let end = try parser.stepEnd() else { return }
      heard.append(end)
      ended += 1
    } catch {
      try keep(error)
    }
  }

  /// - Returns: whether to go on with what is left.
  private mutating func step() throws(Violation) -> Bool {
    let (said, consumed): (Said?, Int)
    do throws(ProtocolError) {
      (said, consumed) = try call(unconsumed)
    } catch {
      try keep(error)
      return false
    }
    try require(
      (0...unconsumed.count).contains(consumed), "\(consumed) consumed of \(unconsumed.count)")
    switch said {
    case nil: break
    case .content(let range)?:
      try require(!range.isEmpty && range.upperBound <= consumed, "content \(range) of \(consumed)")
      hear(content: unconsumed[range])
    case .other(let heard)?:
      self.heard.append(heard)
      if case .end = heard {
        ended += 1
        if !isDone { parser.beginNext() }
      }
    }
    unconsumed.removeFirst(consumed)
    idleCalls = consumed > 0 ? 0 : idleCalls + 1
    // An `end` without a body behind its head is the only event that may consume nothing.
    try require(said == nil || idleCalls < 2, "events without an end that consume nothing")
    return said != nil
  }

  private mutating func hear(content: ArraySlice<UInt8>) {
    if case .content(var joined)? = heard.last {
      // Taken out while it grows, so that it grows in place.
      heard.removeLast()
      joined.append(contentsOf: content)
      heard.append(.content(joined))
    } else {
      heard.append(.content(Array(content)))
    }
  }

  /// The bytes at an address of their own, so that a sanitizer sees any read beyond.
  private mutating func call(
    _ bytes: [UInt8]
  ) throws(ProtocolError) -> (said: Said?, consumed: Int) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return try parser.step(UnsafeRawBufferPointer(copy))
  }

  private mutating func keep(_ error: ProtocolError) throws(Violation) {
    self.error = error
    heard.append(.error(error))
    try require(error.kind == parser.kind, "\(error) blames the other side")
    try require((400...599).contains(error.statusHint), "\(error) hints \(error.statusHint)")
    try require(!error.description.isEmpty, "\(error) has no words")
    for more in [unconsumed, [], Array("GET / HTTP/1.1\r\n\r\n".utf8)] {
      let second = errorOfCall(more)
      try require(second == error, "\(String(describing: second)) after \(error)")
    }
  }

  private mutating func errorOfCall(_ bytes: [UInt8]) -> ProtocolError? {
    do throws(ProtocolError) {
      _ = try call(bytes)
      return nil
    } catch {
      return error
    }
  }
}
