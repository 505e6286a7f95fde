import FixtureCassette
import FixtureHTTP

/// Plans the answers of a replay, whoever performs them, and tells once what its user should know:
/// misses, rules that do nothing, answers that a client may not be able to read.
///
/// One for each thread that answers; what they share is the session and the scenario.
package struct ReplayPlanning<Source: InteractionSource> {
  /// What becomes of a request that has no recording.
  package enum Missing: Sendable {
    /// It is refused, with an explanation.
    case explained
    /// It is taken elsewhere.
    case forwarded
  }

  /// By what recordings are found and how they are played.
  package struct Options: Sendable {
    package var pacing: Pacing
    package var exhausted: Exhausted
    /// Whether answers are made of recorded ones; see `Derivation`.
    package var derives: Bool
    package var missing: Missing

    package init(
      pacing: Pacing = .immediate, exhausted: Exhausted = .repeatLast, derives: Bool = true,
      missing: Missing = .explained
    ) {
      self.pacing = pacing
      self.exhausted = exhausted
      self.derives = derives
      self.missing = missing
    }
  }

  package let session: ReplaySession
  package let dates: TimeShift
  package let derives: Bool
  /// nil: everything as recorded. In force from the next request on.
  package var scenario: ScenarioSession?
  private let source: Source
  private var planner: Planner<Source>
  private let texts: LiveTexts?
  private let onMiss: @Sendable (String) -> Void
  private let onError: @Sendable (String) -> Void

  /// - Parameters:
  ///   - index: of all interactions of `source`, made with `keys`.
  ///   - texts: secrets that requests may hold and recordings have placeholders for.
  ///   - command: what a miss says to record it; nil when there is no name to record under.
  ///   - onMiss: called once for each distinct miss, with a line of text or several.
  ///   - onError: called with one line about what concerns no single client.
  package init(
    source: Source, index: MatchIndex, keys: MatchKeys, options: Options, session: ReplaySession,
    scenario: ScenarioSession?, dates: TimeShift, texts: LiveTexts?, command: RecordingCommand?,
    onMiss: @escaping @Sendable (String) -> Void,
    onError: @escaping @Sendable (String) -> Void
  ) {
    self.source = source
    self.session = session
    self.scenario = scenario
    self.dates = dates
    self.texts = texts
    self.onMiss = onMiss
    self.onError = onError
    derives = options.derives
    planner = Planner(
      index: index, keys: keys, pacing: options.pacing, exhausted: options.exhausted,
      derives: options.derives, dates: dates, isExplaining: options.missing == .explained,
      command: command)
  }

  /// What to do with a request, as far as is known of its content.
  ///
  /// - Parameters:
  ///   - upstream: the name of the upstream that the request is for.
  ///   - exchange: which request of its connection it is, from 1.
  ///   - begun: what `begin` decided.
  ///   - now_ns: asked for by the rules of a scenario.
  ///   - date: now as the session's clock has it, seconds since 1970.
  package mutating func plan(
    _ request: RequestHead, upstream: String?, content: ContentIdentity, exchange: Int64 = 1,
    begun: BegunRequest? = nil, now_ns: @autoclosure () -> Int64 = 0,
    date: @autoclosure () -> Int64
  ) throws(Source.Failure) -> Plan {
    let asked = texts?.replaced(request) ?? request
    let content = replaced(content, of: request)
    let plan: Plan
    if let scenario {
      let instant = RequestInstant(exchange: exchange, now_ns: now_ns(), date: date())
      plan = try planner.plan(
        asked, upstream: upstream, content: content, session: session, scenario: scenario,
        begun: begun, at: instant, source: source)
    } else {
      plan = try planner.plan(
        asked, upstream: upstream, content: content, session: session, date: date(),
        source: source)
    }
    report(plan)
    return holding(plan)
  }

  /// Decides what can be of a request whose content is still to come, before it is planned.
  /// - Returns: nil when no rule says how to read it.
  package func begin(
    _ request: RequestHead, upstream: String?, now_ns: Int64
  ) -> BegunRequest? {
    guard let scenario else { return nil }
    return planner.begin(
      texts?.replaced(request) ?? request, upstream: upstream, scenario: scenario, now_ns: now_ns)
  }

  /// The script of a play as the answer to this request: with the dates of now, and what follows
  /// from its conditions and its range.
  /// - Parameter date: now as the session's clock has it, seconds since 1970.
  package mutating func script(
    of play: Play, for request: RequestHead, upstream: String?, date: Int64
  ) throws(Source.Failure) -> Script {
    let script = dates.moved(play.script, of: play.interaction, now: date)
    let derivation = try planner.derivation(
      of: play, for: request, upstream: upstream, session: session, source: source)
    return derivation?.script(script) ?? script
  }

  /// Counts a request that is for nobody here as a miss, and tells it.
  /// - Parameter detail: whom it is for.
  package func refused(_ detail: String) {
    let key = StableHash.value(of: Array(detail.utf8))
    let text = "a request was refused, \(detail)"
    guard session.missed(key: key) else { return }
    onMiss(text)
    session.report(text, key: key)
  }

  /// Content that may hold secrets known by their text is needed whole.
  private func holding(_ plan: Plan) -> Plan {
    guard texts != nil, case .needsContent = plan else { return plan }
    return .needsContent(holding: ContentKeys.contentBytesMax)
  }

  /// With placeholders for secrets that are known by their text.
  private func replaced(_ content: ContentIdentity, of request: RequestHead) -> ContentIdentity {
    guard let texts, case .known(_, _, let bytes?) = content else { return content }
    let new = texts.replaced(content: bytes, of: request.fields)
    return .known(size: Int64(new.count), digest: SHA256.digest(of: new), held: new)
  }

  // MARK: What the user should know

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
}
