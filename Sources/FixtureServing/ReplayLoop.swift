import FixtureCassette
import FixtureEventLoop
import FixtureExchange
import FixtureHTTP
import FixtureReplay
import FixtureStore

/// What the connections of one loop need to replay: reader, planner, prepared answers. Confined to
/// its loop.
package final class ReplayLoop {
  let reader: CassetteReader
  let session: ReplaySession
  let heads: HeadRewriter
  let clock: SessionClock
  private let dates: TimeShift
  private let derives: Bool
  private var planner: Planner<CassetteReader>
  /// nil: everything as recorded.
  private let scenario: ScenarioSession?
  private let names: [String?]
  private let texts: LiveTexts?
  private let onMiss: @Sendable (String) -> Void
  private let onError: @Sendable (String) -> Void
  /// Whole answers in wire form for HTTP/1.1 clients that keep the connection, by interaction.
  private var images = AnswerImages()
  private let known = KnownRequests()
  /// Called after each request that was planned by rules, before it is answered: they may have
  /// raised or cleared flags.
  var onFlagsTouched: (() -> Void)?

  /// What becomes of a request that has no recording.
  package enum Missing: Sendable {
    /// It is refused, with an explanation.
    case explained
    /// It is taken elsewhere.
    case forwarded
  }

  package init(
    reader: CassetteReader, index: MatchIndex, keys: MatchKeys, session: ReplaySession,
    heads: HeadRewriter, names: [String?], texts: LiveTexts?, pacing: Pacing,
    exhausted: Exhausted, scenario: ScenarioSession? = nil, clock: SessionClock, derives: Bool,
    missing: Missing,
    onMiss: @escaping @Sendable (String) -> Void,
    onError: @escaping @Sendable (String) -> Void
  ) {
    self.reader = reader
    self.session = session
    self.heads = heads
    self.clock = clock
    dates = clock.dates
    self.derives = derives
    self.names = names
    self.scenario = scenario
    self.texts = texts
    self.onMiss = onMiss
    self.onError = onError
    planner = Planner(
      index: index, keys: keys, pacing: pacing, exhausted: exhausted, derives: derives,
      dates: clock.dates, isExplaining: missing == .explained,
      command: RecordingCommand(
        cassette: reader.path, reader.description, match: keys.options))
  }

  /// Whether the request is one for the upstream whose listener it came by, as the recorder decided
  /// it. One that is not counts as a miss.
  func decide(_ request: RequestHead, route: Int) -> TargetPolicy.Decision {
    guard heads.links.routes.indices.contains(route) else { return .take(target: request.target) }
    let own = heads.links.routes[route]
    let decision = TargetPolicy.decide(request, upstream: own.upstream, port: own.port)
    if case .refuse(_, let detail) = decision {
      let key = StableHash.value(of: Array(detail.utf8))
      let text = "a request was refused, \(detail)"
      if session.missed(key: key) {
        onMiss(text)
        session.report(text, key: key)
      }
    }
    return decision
  }

  /// - Parameters:
  ///   - route: the upstream whose listener the request came by.
  ///   - exchange: which request of its connection it is, from 1.
  ///   - now_ns: asked for by the rules of a scenario.
  ///   - begun: what `begin` decided.
  package func plan(
    _ request: RequestHead, route: Int, content: ContentIdentity, exchange: Int64 = 1,
    begun: BegunRequest? = nil, now_ns: @autoclosure () -> Int64 = 0
  ) throws(StoreError) -> Plan {
    let asked = texts?.replaced(request) ?? request
    let content = replaced(content, of: request)
    guard let scenario else {
      let plan = try planner.plan(
        asked, upstream: names[route], content: content, session: session, date: clock.now,
        source: reader)
      report(plan)
      return holding(plan)
    }
    let instant = RequestInstant(exchange: exchange, now_ns: now_ns(), date: clock.now)
    let plan = try planner.plan(
      asked, upstream: names[route], content: content, session: session, scenario: scenario,
      begun: begun, at: instant, source: reader)
    onFlagsTouched?()
    report(plan)
    return holding(plan)
  }

  /// Decides what can be of a request whose content is still to come, before it is planned.
  /// - Returns: nil when no rule says how to read it.
  func begin(_ request: RequestHead, route: Int, now_ns: Int64) -> BegunRequest? {
    guard let scenario else { return nil }
    return planner.begin(
      texts?.replaced(request) ?? request, upstream: names[route], scenario: scenario,
      now_ns: now_ns)
  }

  /// Content that may hold secrets known by their text is needed whole.
  private func holding(_ plan: Plan) -> Plan {
    guard texts != nil, case .needsContent = plan else { return plan }
    return .needsContent(holding: ContentKeys.contentBytesMax)
  }

  private func report(_ plan: Plan) {
    switch plan {
    case .miss(let miss) where !miss.isRepeated:
      onMiss(miss.description)
      session.report(miss.brief, key: miss.key)
    case .play(let play): report(play)
    case .ruled(let answer):
      if let play = answer.play, play.isUnanswered { report(play) }
      for met in answer.unapplied { report(unapplied: met, answer.play?.interaction) }
    case .miss, .needsContent: break
    }
  }

  /// Once for each rule: whoever wrote it should find out that it does nothing.
  private func report(unapplied met: Encounter.Met, _ interaction: Interaction?) {
    // No interaction has such a number.
    guard session.noticed(-Int64(met.rule)) else { return }
    let place = interaction.map { "interaction \($0.id)" } ?? "an answer without content"
    onError(
      "rule \(met.rule) can't do \(met.fault) to \(place): it is no JSON, has no such place, or "
        + "more than \(ContentKeys.contentBytesMax >> 20) MiB; it is sent as it is")
  }

  private func report(_ play: Play) {
    if play.isUnanswered { reportUnanswered(play.interaction) }
    if play.isCodingUnoffered { reportCoding(play.interaction) }
  }

  /// With placeholders for secrets that are known by their text.
  private func replaced(_ content: ContentIdentity, of request: RequestHead) -> ContentIdentity {
    guard let texts, case .known(_, _, let bytes?) = content else { return content }
    let new = texts.replaced(content: bytes, of: request.fields)
    return .known(size: Int64(new.count), digest: SHA256.digest(of: new), held: new)
  }

  /// The answer to a request by its bytes alone, and how long its head is; counted as a play.
  func knownAnswer(
    to input: UnsafeRawBufferPointer, route: Int
  ) -> (image: AnswerImage, headCount: Int)? {
    guard let (answer, headCount) = known.answer(to: input, route: route) else { return nil }
    session.played()
    return (answer.image(at: clock), headCount)
  }

  /// Keeps the answer of a play to a request without content, when each such request will get it.
  func keep(_ answer: KeptAnswer, of play: Play, to request: RequestHead, route: Int) {
    guard scenario == nil, play.isSettled, TargetPolicy.isOrdinary(request) else { return }
    known.insert(answer, to: request, route: route)
  }

  /// Once for each such interaction: a client that waits should find out what for.
  private func reportUnanswered(_ interaction: Interaction) {
    guard session.noticed(interaction.id) else { return }
    onError(
      "interaction \(interaction.id) has no answer, its client left before one came: "
        + "none is sent; record it again and wait for the answer")
  }

  /// Once for each such interaction: the client may not be able to read it.
  private func reportCoding(_ interaction: Interaction) {
    guard session.noticed(interaction.id) else { return }
    let codings = interaction.response?.head.fields.list(.contentEncoding) ?? []
    let names = codings.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
    onError(
      "interaction \(interaction.id) is sent in the coding \(names), which its client did not "
        + "offer: there is no other recording; send Accept-Encoding, or record it without")
  }

  /// The script of a play as the answer to this request: with the dates of now, and what follows
  /// from its conditions and its range.
  package func script(
    of play: Play, for request: RequestHead, route: Int
  ) throws(StoreError) -> Script {
    let script = dates.moved(play.script, of: play.interaction, now: clock.now)
    let derivation = try planner.derivation(
      of: play, for: request, upstream: names[route], session: session, source: reader)
    return derivation?.script(script) ?? script
  }

  /// The whole answer of a play, when it has no timing and no ending of its own and the request
  /// asks for nothing else; it is the same for every HTTP/1.1 client that keeps the connection, but
  /// for its dates.
  func image(
    _ play: Play, for request: RequestHead, bodies: BodySource
  ) throws(StoreError) -> KeptAnswer? {
    let presence = Preconditions.Presence(request.fields)
    if derives,
      Derivation.concerns(request, presence, recorded: play.interaction.request.method)
    {
      return nil
    }
    if let answer = images[play.id] { return answer }
    guard play.script.isImmediate, !heads.mayChange(play.script) else { return nil }
    // A play answers its own method.
    let client = ClientFacts(
      RequestHead(method: play.interaction.request.method, target: [], version: .http11))
    var sink = WireSink(client: client, framing: play.script.framing, keepsAlive: true)
    var output = OutputQueue()
    let date = clock.now
    let script = dates.moved(play.script, of: play.interaction, now: date)
    for step in script.steps {
      guard case .complete(keepsAlive: true)? = sink.perform(step.action, output: &output) else {
        continue
      }
      let isSmall = output.count <= Int64(AnswerImages.imageBytesMax)
      let image: AnswerImage = isSmall ? .bytes(try bodies.bytes(of: output)) : .queue(output)
      let marks = dates.marks(
        in: image.head, of: play.script, moved: script, play.interaction, now: date)
      let answer = KeptAnswer(image, marks: marks, date: date)
      if !images.insert(answer, of: play.id) { known.removeAll() }
      return answer
    }
    return nil
  }

  /// The script as this client gets it.
  package func rewritten(_ script: Script, request: RequestHead, route: Int) -> Script {
    heads.rewrite(script, current: route, clientHost: request.fields.first(.host))
  }
}
