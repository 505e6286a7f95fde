import FixtureCassette
import FixtureHTTP

/// A request and what the planner made of it on the way to a miss.
struct Asked {
  /// Without secrets.
  let request: RequestHead
  let upstream: String?
  let content: ContentIdentity
  /// The hash of its match key.
  let key: UInt64
  /// Seconds since 1970.
  let date: Int64
  /// nil when nothing was redacted.
  let secrets: LiveSecrets?

  init(
    _ request: RequestHead, upstream: String?, content: ContentIdentity, key: UInt64, date: Int64,
    secrets: LiveSecrets?
  ) {
    self.request = secrets?.concealed(request) ?? request
    self.upstream = upstream
    self.content = content
    self.key = key
    self.date = date
    self.secrets = secrets
  }

  /// Tells misses apart: by match key and content.
  var missKey: UInt64 {
    if case .known(_, let digest, _) = content { key.mixed(with: digest) } else { key }
  }

  /// What is near may be said in other words when more secrets are known.
  var nearestKey: UInt64 { missKey.mixed(with: UInt64(secrets?.count ?? 0)) }

  /// A recording as it may be shown: recorded before a secret was one, it may hold it.
  func shown(_ interaction: Interaction) -> Interaction {
    secrets?.concealed(known: interaction) ?? interaction
  }

  /// nil when it was not read; 0 when there is none.
  var contentSize: Int64? {
    switch content {
    case .absent: 0
    case .pending: nil
    case .known(let size, _, _): size
    }
  }
}

extension Planner {
  /// The miss of a request that nothing answers.
  mutating func miss(
    _ reason: NoPlay, _ asked: Asked, _ session: ReplaySession, _ source: Source
  ) throws(Source.Failure) -> Miss {
    switch reason {
    case .notRecorded: try notRecorded(asked, session, source)
    case .differing(let candidates): try differing(candidates, asked, session, source)
    case .ambiguous(let authorities):
      miss(.ambiguous(authorities: authorities), asked, session)
    case .exhausted(let sequence): try exhausted(sequence, asked, session, source)
    case .partial(let count, let insteadOfPlay):
      miss(.partial(recordings: count), asked, session, insteadOfPlay: insteadOfPlay)
    case .contentOmitted(let id):
      miss(.contentOmitted(interaction: id), asked, session, insteadOfPlay: true)
    }
  }

  private func miss(
    _ reason: Miss.Reason, _ asked: Asked, _ session: ReplaySession,
    nearest: [Miss.Nearest] = [], insteadOfPlay: Bool = false
  ) -> Miss {
    let isFirst = session.missed(key: asked.missKey, insteadOfPlay: insteadOfPlay)
    let target = nearest.reduce(asked.request.target) { MatchKeys.concealed($0, like: $1.target) }
    return Miss(
      reason, method: asked.request.method,
      target: MatchKeys.withoutCredentials(target), upstream: asked.upstream,
      requestContent: asked.content, match: keys.options, nearest: nearest,
      command: command?.text ?? RecordingCommand.unknown, key: asked.missKey,
      isRepeated: !isFirst, date: asked.date)
  }

  /// The miss of a request whose key is not recorded.
  private mutating func notRecorded(
    _ asked: Asked, _ session: ReplaySession, _ source: Source
  ) throws(Source.Failure) -> Miss {
    var nearest: [Miss.Nearest] = []
    if isExplaining {
      if let known = knownNearest(asked) {
        nearest = known
      } else {
        nearest = try self.nearest(to: asked, source)
        keep(nearest, asked)
      }
    }
    return miss(.notRecorded, asked, session, nearest: nearest)
  }

  /// The miss of a request whose key is recorded, but not as it was asked for.
  private mutating func differing(
    _ candidates: Candidates, _ asked: Asked, _ session: ReplaySession, _ source: Source
  ) throws(Source.Failure) -> Miss {
    if let omitted = candidates.omitted {
      return miss(.contentOmitted(interaction: omitted), asked, session)
    }
    var nearest: [Miss.Nearest] = []
    if isExplaining {
      // Those of the same content, if it is something else that differs.
      let equal =
        try sequence(
          of: candidates, asked.key, asked.content, asked.request, session, source)?
        .candidates ?? []
      if !equal.isEmpty {
        nearest = try self.nearest(
          among: equal.prefix(Self.examinedMax).map(\.id), asked, source)
      } else if let known = knownNearest(asked) {
        nearest = known
      } else {
        let ids = try nearestContents(of: candidates, asked, source)
        nearest = try self.nearest(among: ids, asked, source)
        keep(nearest, asked)
      }
    }
    return miss(.differs(recordings: candidates.count), asked, session, nearest: nearest)
  }

  /// The miss of a request whose recordings were all played.
  private func exhausted(
    _ sequence: CandidateSequence, _ asked: Asked, _ session: ReplaySession, _ source: Source
  ) throws(Source.Failure) -> Miss {
    var used: [Miss.Nearest] = []
    if isExplaining {
      for candidate in sequence.candidates.prefix(Miss.nearestMax) {
        let interaction = try source.interaction(id: candidate.id)
        used.append(named(asked.shown(interaction), Differences()))
      }
    }
    return miss(
      .exhausted(recordings: sequence.candidates.count), asked, session, nearest: used)
  }

  private mutating func knownNearest(_ asked: Asked) -> [Miss.Nearest]? {
    isKnownByKey ? knownNearest[asked.nearestKey] : nil
  }

  private mutating func keep(_ nearest: [Miss.Nearest], _ asked: Asked) {
    guard isKnownByKey else { return }
    knownNearest.insert(nearest, for: asked.nearestKey, cost: 2048)
  }

  /// Whether nothing else of a request decides what is near it than what tells misses apart.
  private var isKnownByKey: Bool { keys.options.fields.isEmpty && !checksAuthority }

  func named(_ interaction: Interaction, _ differences: Differences) -> Miss.Nearest {
    Miss.Nearest(
      interaction: interaction.id, method: interaction.request.method,
      target: MatchKeys.withoutCredentials(
        keys.concealingSecrets(in: interaction.request.target)),
      differences: differences)
  }
}
