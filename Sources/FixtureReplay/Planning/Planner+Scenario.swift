import FixtureCassette
import FixtureHTTP

/// When a request came, for rules.
package struct RequestInstant: Sendable {
  /// Which request of its connection it is, from 1.
  package var exchange: Int64
  /// Monotonic.
  package var now_ns: Int64
  /// Seconds since 1970.
  package var date: Int64

  package init(exchange: Int64 = 1, now_ns: Int64, date: Int64) {
    self.exchange = exchange
    self.now_ns = now_ns
    self.date = date
  }
}

extension Planner {
  /// As `plan` without a scenario, with what its rules do to the answer. They count a request when
  /// it is answered: a miss changes nothing, nor does `.needsContent`.
  /// - Parameter begun: what `begin` decided.
  package mutating func plan(
    _ request: RequestHead, upstream: String?, content: ContentIdentity, session: ReplaySession,
    scenario: ScenarioSession, begun: BegunRequest? = nil, at instant: RequestInstant,
    source: Source
  ) throws(Source.Failure) -> Plan {
    var asked = asked(request, upstream, scenario)
    if case .known(_, _, let held?) = content {
      asked.content = ContentKeys.decoded(held, ContentForm(request.fields))
    }
    let hash = hash(request, upstream)
    return try scenario.planning { (planning) throws(Source.Failure) in
      var encounter = planning.encounter(
        asked, key: hash, isContentRead: !content.isPending, now_ns: instant.now_ns, begun: begun)
      if encounter.needsContent { return .needsContent(holding: ContentKeys.contentBytesMax) }
      if encounter.met.isEmpty, !scenario.givesReceipts {
        let plan = try plan(
          request, upstream: upstream, content: content, session: session, date: instant.date,
          source: source)
        if let begun, case .miss = plan { planning.forget(begun) }
        guard case .play(var play) = plan else { return plan }
        planning.note(encounter)
        play.ruling = scenario.ruling(encounter)
        return .play(play)
      }
      var context = FaultContext(
        method: request.method, target: request.target, anchor: content.answerAnchor,
        date: instant.date, began: planning.began(instant.date), exchange: instant.exchange,
        files: scenario.files, drawn: scenario.drawn)
      let made =
        encounter.endingBeforeCommit(context)
        ?? (encounter.isMade
          ? encounter.making(context) { derived($0, for: request) } : nil)
      if let made {
        planning.note(encounter)
        session.answered()
        return .ruled(scenario.receipted(made, of: nil, encounter))
      }
      let repeated = encounter.idempotency(of: request)
      if let repeated, let play = planning.remembered(repeated.key) {
        planning.note(encounter)
        session.answered()
        if encounter.editsContent { context.content = try decodedContent(of: play, source) }
        let script = dates.moved(play.script, of: play.interaction, now: instant.date)
        let answer = encounter.repeating(script, repeated.kind, context)
        return .ruled(scenario.receipted(answer, of: play, encounter))
      }
      let plan = try plan(
        request, upstream: upstream, content: content, session: session,
        prefersWhole: encounter.changesRepresentation, version: encounter.version,
        date: instant.date, source: source)
      if let begun, case .miss = plan { planning.forget(begun) }
      guard case .play(var play) = plan else { return plan }
      planning.note(encounter)
      if let repeated { planning.remember(play, for: repeated.key) }
      guard encounter.changesAnswer || scenario.givesReceipts else {
        play.ruling = scenario.ruling(encounter)
        return .play(play)
      }
      if encounter.editsContent { context.content = try decodedContent(of: play, source) }
      // What is another recording has a tag of its own; where there are no more, it gets one.
      encounter.tag?.generation -= play.version ?? 0
      let derivation = try derivation(
        of: play, for: request, upstream: upstream, session: session, source: source)
      let script = dates.moved(play.script, of: play.interaction, now: instant.date)
      let answer = encounter.changing(script, context) { derivation?.script($0) ?? $0 }
      return .ruled(scenario.receipted(answer, of: play, encounter))
    }
  }

  /// Decides what can be of a request whose content is still to come. To be called once for each,
  /// before `plan`.
  /// - Returns: nil when no rule says how to read it.
  package func begin(
    _ request: RequestHead, upstream: String?, scenario: ScenarioSession, now_ns: Int64
  ) -> BegunRequest? {
    guard scenario.saysHowToRead else { return nil }
    return scenario.begin(
      asked(request, upstream, scenario), key: hash(request, upstream), now_ns: now_ns)
  }

  private func asked(
    _ request: RequestHead, _ upstream: String?, _ scenario: ScenarioSession
  ) -> RuleRequest {
    var asked = RuleRequest(method: request.method, target: request.target, fields: request.fields)
    if scenario.namesAuthorities { asked.authorities = authorities(of: request, upstream) }
    asked.upstream = upstream
    return asked
  }

  /// Of the key by which the request is matched.
  private func hash(_ request: RequestHead, _ upstream: String?) -> UInt64 {
    var key: [UInt8] = []
    keys.appendKey(method: request.method, target: request.target, upstream: upstream, to: &key)
    return StableHash.value(of: key)
  }

  /// What follows for a request from an answer that rules made: it is the target's state.
  private func derived(_ script: Script, for request: RequestHead) -> Script {
    let presence = Preconditions.Presence(request.fields)
    guard derives, !presence.isEmpty else { return script }
    let derivation = Derivation(request, presence, recorded: request.method, asRecorded: nil)
    return derivation.script(script)
  }

  private func authorities(of request: RequestHead, _ upstream: String?) -> [ArraySlice<UInt8>] {
    var authorities = index.authorities(of: upstream).map { $0[...] }
    if let host = request.fields.first(.host) {
      authorities.append(host.map(\.asciiLowercased)[...])
    }
    return authorities
  }

  /// nil when there is none, when it is too large to be edited, or can't be decoded.
  private func decodedContent(
    of play: Play, _ source: Source
  ) throws(Source.Failure) -> [UInt8]? {
    guard let response = play.interaction.response, let body = response.body,
      body.size <= Int64(ContentKeys.contentBytesMax)
    else { return nil }
    let bytes = try source.content(StoredContent(id: body.id, size: body.size))
    return bytes.map { ContentKeys.decoded($0, ContentForm(response.head.fields)) }
  }
}

extension ContentIdentity {
  fileprivate var isPending: Bool { if case .pending = self { true } else { false } }

  /// A client that waits for leave to send its content gets its answer at once.
  fileprivate var answerAnchor: Anchor {
    self == .pending(expectsContinue: true) ? .requestHead : .requestEnd
  }
}

extension Encounter {
  /// Whether it does more than raise and clear flags.
  var changesAnswer: Bool {
    met.contains { met in
      switch met.fault.word.subject {
      case .flags, .repeat: false
      case .timing, .answer, .response, .ending, .reading, .connections: true
      }
    }
  }

  /// What tells a repeated request: method, target and the value of `Idempotency-Key`. nil without
  /// that, or when no rule asks for it.
  fileprivate func idempotency(of request: RequestHead) -> (kind: Idempotency, key: [UInt8])? {
    for case .idempotency(let kind) in met.map(\.fault) {
      guard let value = request.fields.values(ofName: Array("Idempotency-Key".utf8)).first else {
        return nil
      }
      return (kind, request.method.bytes + [0x20] + request.target + [0x20] + value)
    }
    return nil
  }

  var editsContent: Bool {
    if case .stamp? = tag?.change.content { return true }
    return met.contains { $0.fault.word == .json }
  }

  /// Whether what the client gets is another representation than the recorded one, or says so.
  var changesRepresentation: Bool {
    met.contains { met in
      switch met.fault {
      case .entityTag, .json, .body, .lastModified, .corrupt: true
      case .set(let name, _), .remove(let name):
        name.equalsIgnoringCase("etag".utf8) || name.equalsIgnoringCase("last-modified".utf8)
      default: false
      }
    }
  }

  /// Which of the recorded versions is asked for, from 0; nil when their order decides.
  var version: Int64? {
    if case .next? = tag?.change.content { tag?.generation } else { nil }
  }
}

extension ScenarioSession {
  /// The answer, with fields that name what made it if that is asked for.
  fileprivate func receipted(
    _ answer: FaultedAnswer, of play: Play?, _ encounter: Encounter
  ) -> RuledAnswer {
    var script = answer.script
    let rules = encounter.rules
    if givesReceipts {
      script.changeHead { head in
        if let play { head.fields.append("Fixtured-Interaction", "\(play.id)") }
        if !rules.isEmpty {
          head.fields.append(
            "Fixtured-Rule", rules.map(String.init).joined(separator: ", "))
        }
        if !answer.overruled.isEmpty {
          head.fields.append("Fixtured-Overruled", Encounter.Met.list(answer.overruled))
        }
        head.fields.append("Fixtured-Seed", "\(seed)")
      }
    }
    return RuledAnswer(
      script: script, play: play, rules: rules, overruled: answer.overruled,
      unapplied: answer.unapplied, ruling: ruling(encounter, answer.overruled))
  }

  /// nil when there is nothing to tell.
  fileprivate func ruling(
    _ encounter: Encounter, _ overruled: [Encounter.Met] = []
  ) -> Ruling? {
    let rules = encounter.rules
    guard !rules.isEmpty || !encounter.draws.isEmpty else { return nil }
    return Ruling(
      ruleSet, rules: rules, overruled: overruled.map(\.description), draws: encounter.draws)
  }
}
