import FixtureHTTP
import FixtureHTTP1
import Testing

/// Feeds a parser of either role and writes down what it says, one line an event.
struct Transcriber {
  private enum Parser {
    case request(RequestParser)
    case response(ResponseParser, answering: ArraySlice<String>)
  }

  private enum Step {
    case needMore
    case content(Range<Int>)
    case end
    case other
  }

  private var parser: Parser
  private let messageCount: Int
  private var unconsumed: [UInt8] = []
  private var content: [UInt8] = []
  private var ended = 0
  private(set) var lines: [String] = []
  private var failed = false
  /// How many content events came.
  private(set) var contentCount = 0

  /// - Parameter messageCount: the messages to read; what comes after them is left.
  init(_ role: CorpusCase.Role, messageCount: Int, limits: Limits = .init()) {
    self.messageCount = messageCount
    switch role {
    case .request: parser = .request(RequestParser(limits: limits))
    case .response(let methods):
      var response = ResponseParser(limits: limits)
      response.begin(answering: Method(Array(methods[0].utf8)))
      parser = .response(response, answering: methods.dropFirst())
    }
  }

  private var isDone: Bool { failed || ended == messageCount }

  mutating func feed(_ bytes: some Sequence<UInt8>) {
    unconsumed.append(contentsOf: bytes)
    while !isDone {
      guard step() else { return }
    }
  }

  mutating func close() {
    guard !isDone else { return }
    do throws(ProtocolError) {
      switch parser {
      case .request(var request):
        defer { parser = .request(request) }
        try request.parseEnd()
      case .response(var response, let methods):
        defer { parser = .response(response, answering: methods) }
        guard case .end(let trailers) = try response.parseEnd() else { return }
        write(trailers)
      }
    } catch { write(error) }
  }

  /// The transcript, with what is left.
  mutating func finish() -> [String] {
    flushContent()
    if failed { return lines }
    if ended < messageCount {
      lines.append("more")
    } else if !unconsumed.isEmpty {
      lines.append("rest " + Escapes.encode(unconsumed))
    }
    return lines
  }

  /// - Returns: whether to go on with what is left of the input.
  private mutating func step() -> Bool {
    do throws(ProtocolError) {
      let (step, consumed) = try parse()
      switch step {
      case .content(let range):
        #expect(!range.isEmpty && range.upperBound <= consumed)
        content.append(contentsOf: unconsumed[range])
        contentCount += 1
      case .end: beginNext()
      case .needMore, .other: break
      }
      unconsumed.removeFirst(consumed)
      if case .needMore = step { return false }
      return true
    } catch {
      write(error)
      expectSameError(error)
      return false
    }
  }

  private mutating func parse() throws(ProtocolError) -> (Step, Int) {
    switch parser {
    case .request(var request):
      defer { parser = .request(request) }
      return try transcribe(&request)
    case .response(var response, let methods):
      defer { parser = .response(response, answering: methods) }
      return try transcribe(&response)
    }
  }

  private mutating func transcribe(
    _ parser: inout RequestParser
  ) throws(ProtocolError) -> (Step, Int) {
    let (event, consumed) = try withBytes { input throws(ProtocolError) in
      try parser.parse(input)
    }
    switch event {
    case .needMore: return (.needMore, consumed)
    case .head(let head, let framing):
      write("head", head, framing)
      return (.other, consumed)
    case .content(let range): return (.content(range), consumed)
    case .end(let trailers):
      write(trailers)
      return (.end, consumed)
    }
  }

  private mutating func transcribe(
    _ parser: inout ResponseParser
  ) throws(ProtocolError) -> (Step, Int) {
    let (event, consumed) = try withBytes { input throws(ProtocolError) in
      try parser.parse(input)
    }
    switch event {
    case .needMore: return (.needMore, consumed)
    case .interim(let head):
      write("interim", head, nil, bothFramings: false)
      return (.other, consumed)
    case .head(let head, let framing, let bothFramings):
      write("head", head, framing, bothFramings: bothFramings)
      return (.other, consumed)
    case .content(let range): return (.content(range), consumed)
    case .end(let trailers):
      write(trailers)
      return (.end, consumed)
    }
  }

  /// The unconsumed bytes at an address of their own, so that a sanitizer sees any read beyond.
  private func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(ProtocolError) -> Result
  ) throws(ProtocolError) -> Result {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: unconsumed.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: unconsumed)
    return try body(UnsafeRawBufferPointer(copy))
  }

  private mutating func beginNext() {
    guard case .response(var response, var methods) = parser, let method = methods.popFirst()
    else { return }
    response.begin(answering: Method(Array(method.utf8)))
    parser = .response(response, answering: methods)
  }

  /// A parser that has thrown is dead (whatever comes after).
  private mutating func expectSameError(_ error: ProtocolError) {
    do throws(ProtocolError) {
      let (step, _) = try parse()
      Issue.record("\(step) after \(error)")
    } catch let second {
      #expect(second == error)
    }
  }
}

// MARK: - Lines

extension Transcriber {
  private mutating func flushContent() {
    guard !content.isEmpty else { return }
    lines.append("content " + Escapes.encode(content))
    content = []
  }

  private mutating func write(_ word: String, _ head: RequestHead, _ framing: BodyFraming) {
    let start = [head.method.bytes, head.target, Array(head.version.description.utf8)]
    lines.append("\(word) \(Escapes.encode(start.joined(separator: [0x20]))) \(framing.text)")
    write(head.fields, "field")
  }

  private mutating func write(
    _ word: String, _ head: ResponseHead, _ framing: BodyFraming?, bothFramings: Bool
  ) {
    var line = "\(word) \(head.version.description) \(head.status) '\(Escapes.encode(head.reason))'"
    if let framing { line += " \(framing.text)" }
    if bothFramings { line += " both-framings" }
    lines.append(line)
    write(head.fields, "field")
  }

  private mutating func write(_ trailers: FieldSection) {
    flushContent()
    ended += 1
    lines.append("end")
    write(trailers, "trailer")
  }

  private mutating func write(_ fields: FieldSection, _ word: String) {
    // What is accepted can be stored, read again and sent again.
    #expect(throws: Never.self) { try #expect(FieldSection(stored: fields.bytes) == fields) }
    for index in 0..<fields.count {
      let (name, value) = (fields.name(at: index), fields.value(at: index))
      #expect(fields.line(at: index) == name + Array(": ".utf8) + value + [0x0D, 0x0A])
      lines.append("\(word) \(Escapes.encode(name)): \(Escapes.encode(value))")
    }
  }

  private mutating func write(_ error: ProtocolError) {
    flushContent()
    failed = true
    lines.append("error \(error.statusHint) \(error.description)")
  }
}

extension BodyFraming {
  fileprivate var text: String {
    switch self {
    case .none: "none"
    case .length(let length): "length=\(length)"
    case .chunked: "chunked"
    case .untilClose: "until-close"
    }
  }
}
