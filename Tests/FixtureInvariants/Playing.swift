import FixtureCassette
import FixtureExchange
import FixtureHTTP
import FixtureHTTP1
import FixtureReplay
import FixtureStore

// RULE of playing: an interaction that a reader accepts is found by its own request; its script
// comes to an end, unless nobody waited for one; its content is the stored body's, each byte once
// and in order; what is sent as a head is heard as that head and nothing more, whatever a cassette
// holds. When its fields ask for the framing it was recorded with, a client hears the recorded
// response, to the last byte.

func checkPlaying(
  _ interaction: Interaction, of reader: CassetteReader, _ index: MatchIndex
) throws(Violation) {
  for version in [HTTPVersion.http11, .http10] {
    var request = interaction.request
    request.version = version
    let planned = try plan(request, interaction, of: reader, index)
    switch planned {
    case .play(let play)? where play.isUnanswered: break
    case .play(let play)?:
      var performance = Performance(play.script, for: request)
      try performance.perform()
      try performance.check(play.interaction, of: reader)
      try require(!Transcript(play.script).lines.isEmpty, "no transcript")
    case .miss(let miss)?:
      try require(miss.reason != .notRecorded, "not found by its own request: \(miss)")
      var performance = Performance(miss.script, for: request)
      try performance.perform()
    case .ruled(let answer)?: throw Violation(text: "rules without a scenario: \(answer)")
    case .needsContent?: throw Violation(text: "needs content that is known: \(request)")
    case nil: break
    }
  }
}

/// nil when a recording can't be read.
private func plan(
  _ request: RequestHead, _ interaction: Interaction, of reader: CassetteReader, _ index: MatchIndex
) throws(Violation) -> Plan? {
  var planner = Planner<CassetteReader>(
    index: index, keys: MatchKeys(description: reader.description), pacing: .recorded,
    exhausted: .repeatLast)
  var plan: Plan?
  for content in interaction.contents {
    plan = try attempt { () throws(StoreError) in
      try planner.plan(
        request, upstream: interaction.upstream, content: content, session: ReplaySession(),
        date: 0, source: reader)
    }
    guard case .needsContent? = plan else { break }
  }
  return plan
}

extension Interaction {
  /// What becomes known of the content of its request, step by step.
  fileprivate var contents: [ContentIdentity] {
    if let body = requestBody { return [.known(size: body.size, digest: body.digest)] }
    // Content that no recording has: the client was answered before it could send any.
    let sent = ContentIdentity.known(size: 1, digest: [UInt8](repeating: 0, count: 32))
    return isAnsweredBeforeContent ? [.pending(expectsContinue: true), sent] : [.absent]
  }
}

/// One play as a client sees it, performed at once but in order.
private struct Performance {
  private let request: RequestHead
  private let script: Script
  private var sink: WireSink
  private var output = OutputQueue()
  private var ending: WireSink.Ending?

  init(_ script: Script, for request: RequestHead) {
    self.script = script
    self.request = request
    sink = WireSink(client: ClientFacts(request), framing: script.framing, keepsAlive: true)
  }

  mutating func perform() throws(Violation) {
    var playhead = Playhead(script: script, accepted_ns: 0, requestHead_ns: 0, requestEnd_ns: 0)
    var now_ns: Int64 = 0
    // A step is waited for once and performed once.
    for _ in 0..<(2 * script.steps.count) where ending == nil {
      switch playhead.next(at: now_ns) {
      case .perform(let action):
        try perform(action)
        playhead.performed(at: now_ns)
      case .waitUntil(let due_ns):
        try require(due_ns > now_ns, "waits for \(due_ns) at \(now_ns)")
        now_ns = due_ns
      case .waitForRequestEnd, .waitFor, .waitForGrant, .finished:
        throw Violation(text: "no ending: \(script)")
      }
    }
    try require(ending != nil, "no ending: \(script)")
  }

  private mutating func perform(_ action: Action) throws(Violation) {
    switch action {
    case .interim(let head), .head(let head):
      var alone = OutputQueue()
      var sink = sink
      _ = sink.perform(action, output: &alone)
      if case .bytes(let bytes)? = alone.front { try check(head, sentAs: bytes) }
    default: break
    }
    ending = sink.perform(action, output: &output)
  }

  /// The bytes are one head, with no line that neither the recording nor the connection has.
  private func check(_ head: ResponseHead, sentAs bytes: [UInt8]) throws(Violation) {
    let client = try Listener.listen(
      AnswerParser(answering: request.method), to: bytes, cuts: [], messageCount: 1)
    let sent: ResponseHead
    switch client.heard.first {
    case .interim(let head)?: sent = head
    case .response(let head, _, bothFramings: _)?: sent = head
    case .error(let error)? where error.isAboutFraming: return
    default: throw Violation(text: "sent: \(head)\nheard: \(client.heard)")
    }
    let isAlone = client.content.isEmpty && client.unconsumed.isEmpty
    try require(isAlone && sent.status == head.status, "sent: \(head)\nheard: \(client.heard)")
    let given = (0..<head.fields.count).map { head.fields.line(at: $0) }
    for index in 0..<sent.fields.count where !given.contains(sent.fields.line(at: index)) {
      let name = String(decoding: sent.fields.name(at: index), as: UTF8.self).lowercased()
      let isOurs = ["connection", "transfer-encoding", "content-length"].contains(name)
      try require(isOurs, "sent: \(head)\nheard: \(sent)")
    }
  }

  /// - Parameter interaction: the one that the script replays.
  func check(_ interaction: Interaction, of reader: CassetteReader) throws(Violation) {
    guard let response = interaction.response else { return }
    try checkSlices(of: response, ended: interaction.outcome)
    guard request.version >= .http11, interaction.outcome == .complete,
      response.framingAgrees(answering: request.method)
    else { return }
    guard let content = try content(of: response, reader), let wire = try wire(reader) else {
      return
    }
    let client = try Listener.listen(
      AnswerParser(answering: request.method), to: wire, cuts: [], messageCount: 1)
    let isWhole =
      client.unconsumed.isEmpty && client.error == nil
      && client.heard.count == interaction.interims.count + (content.isEmpty ? 2 : 3)
    try require(
      isWhole && client.content == content, "\(interaction)\nheard: \(client.heard)")
    let trailers = script.framing == .chunked ? response.trailers : FieldSection()
    try require(client.heard.last == .end(trailers: trailers), "heard: \(client.heard)")
  }

  private func checkSlices(
    of response: RecordedResponse, ended outcome: Outcome
  ) throws(Violation) {
    var end: Int64 = 0
    for case .content(let slice) in script.steps.map(\.action) {
      try require(
        slice.body == response.body?.id && slice.range.lowerBound == end && slice.count > 0,
        "\(slice) after \(end)")
      end = slice.range.upperBound
    }
    let size = script.framing == .none ? 0 : response.body?.size ?? 0
    try require(end == size, "\(end) bytes of \(size)")
  }

  /// Everything that is sent; nil when that is much, or can't be read.
  private func wire(_ reader: CassetteReader) throws(Violation) -> [UInt8]? {
    guard output.count < 1 << 20 else { return nil }
    var output = output
    var wire: [UInt8] = []
    while let front = output.front {
      switch front {
      case .bytes(let bytes): wire += bytes
      case .body(let slice):
        guard let content = try reader.content(slice) else { return nil }
        wire += content
      }
      output.advance(by: front.count)
    }
    return wire
  }

  private func content(
    of response: RecordedResponse, _ reader: CassetteReader
  ) throws(Violation) -> [UInt8]? {
    guard script.framing != .none, let body = response.body else { return [] }
    guard body.size < 1 << 20 else { return nil }
    return try reader.content(BodySlice(body: body.id, range: 0..<body.size))
  }
}

extension CassetteReader {
  /// nil when it can't be read.
  fileprivate func content(_ slice: BodySlice) throws(Violation) -> [UInt8]? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(slice.count), alignment: 1)
    defer { buffer.deallocate() }
    let count = try attempt { () throws(StoreError) in
      try read(body: slice.body, offset: slice.range.lowerBound, into: buffer)
    }
    guard let count else { return nil }
    try require(count == buffer.count, "\(count) bytes of \(slice)")
    return Array(buffer)
  }
}

extension RecordedResponse {
  /// Whether a client reads the body as it was recorded.
  fileprivate func framingAgrees(answering method: Method) -> Bool {
    // An error is one way not to agree.
    guard let asked = try? responseFraming(head, answering: method).framing else { return false }
    if case .length(let length) = asked, length != body?.size ?? 0 { return false }
    return RecordedFraming(asked) == framing
  }
}

extension ProtocolError {
  /// What a cassette can hold though it could not be recorded.
  fileprivate var isAboutFraming: Bool {
    switch self {
    case .contentLengthInvalid, .contentLengthsDiffer, .transferEncodingInvalid, .tunnelUnsupported:
      true
    default: false
    }
  }
}
