import FixtureCassette
import FixtureHTTP

/// A request whose recording is looked for.
struct Wanted {
  /// Without secrets, where recordings are without them.
  let request: RequestHead
  let upstream: String?
  let content: ContentIdentity
  let prefersWhole: Bool
  let version: Int64?
}

/// What was found for a request.
enum Finding {
  case play(Play)
  case needsContent(holding: Int)
  case missing(NoPlay)
}

/// Why no recording answers a request.
enum NoPlay {
  /// None has its key.
  case notRecorded
  /// These have, and something else differs.
  case differing(Candidates)
  case ambiguous(authorities: [[UInt8]])
  /// All of these were played.
  case exhausted(CandidateSequence)
  /// They are parts of something, and none is the one that is asked for.
  case partial(recordings: Int, insteadOfPlay: Bool)
  case contentOmitted(interaction: Int64)
}

/// From the key of a request to its play: which recordings have the key, which of them agree with
/// what else the request says, and which of those is next.
extension Planner {
  /// - Parameter own: the recordings with the request's key, and its hash.
  mutating func find(
    _ wanted: Wanted, among own: (hash: UInt64, found: Candidates?), _ session: ReplaySession,
    _ source: Source
  ) throws(Source.Failure) -> Finding {
    let request = wanted.request
    let isHeadOfGet =
      own.found == nil && derives && request.method == .head && keys.options.method
    let (hash, found) =
      isHeadOfGet ? try candidates(.get, request, wanted.upstream, source) : own
    guard let candidates = found else {
      return tellsByContent(wanted.content)
        ? .needsContent(holding: ContentKeys.explainedBytesMax) : .missing(.notRecorded)
    }
    if let unanswered = candidates.unanswered, candidates.isUnanswered {
      let play = PreparedPlay(unanswered: try source.interaction(id: unanswered))
      _ = session.next(key: hash, of: 1, exhausted: .repeatLast)
      return .play(Play(play, ordinal: 1, count: 1))
    }
    guard
      var sequence = try sequence(
        of: candidates, hash, wanted.content, request, session, source)
    else {
      return .needsContent(holding: bytesHeld(for: candidates, ContentForm(request.fields)))
    }
    var isCodingUnoffered = false
    let none = try leaveAgreeing(
      &sequence, of: candidates, with: wanted, session, &isCodingUnoffered, source)
    if let none { return .missing(none) }
    if let version = wanted.version,
      let play = try play(version, of: sequence, candidates, for: request, source)
    {
      session.played()
      return .play(play)
    }
    return try next(
      in: sequence, of: candidates, for: wanted, usesPlace: !isHeadOfGet, isCodingUnoffered,
      session, source)
  }

  /// Whether a miss may be told better once its content was read.
  private func tellsByContent(_ content: ContentIdentity) -> Bool {
    guard content == .pending(expectsContinue: false), index.count > 0 else { return false }
    return isExplaining && keys.options.content || index.hidesSecrets
  }

  /// Leaves the recordings that agree with what the request says beside its key.
  /// - Returns: why there are none; nil when there are.
  private mutating func leaveAgreeing(
    _ sequence: inout CandidateSequence, of candidates: Candidates, with wanted: Wanted,
    _ session: ReplaySession, _ isCodingUnoffered: inout Bool, _ source: Source
  ) throws(Source.Failure) -> NoPlay? {
    let request = wanted.request
    if !sequence.candidates.isEmpty { narrow(&sequence, to: request.target) }
    if sequence.candidates.isEmpty { return .differing(candidates) }
    switch choose(
      &sequence, of: candidates, for: request, wanted.upstream, session, &isCodingUnoffered)
    {
    case .differs?: return .differing(candidates)
    case .ambiguous(let authorities)?: return .ambiguous(authorities: authorities)
    case nil: break
    }
    guard candidates.isPartial else { return nil }
    let count = sequence.candidates.count
    try leaveFitting(&sequence, for: request, wanted.prefersWhole, source)
    return sequence.candidates.isEmpty ? .partial(recordings: count, insteadOfPlay: false) : nil
  }

  /// The recording whose turn it is.
  private mutating func next(
    in sequence: CandidateSequence, of candidates: Candidates, for wanted: Wanted,
    usesPlace: Bool, _ isCodingUnoffered: Bool, _ session: ReplaySession, _ source: Source
  ) throws(Source.Failure) -> Finding {
    let count = sequence.candidates.count
    let next = session.next(
      key: sequence.key, of: count, exhausted: exhausted, usesPlace: usesPlace)
    guard var place = next else { return .missing(.exhausted(sequence)) }
    var id = sequence.candidates[place].id
    if candidates.isPartial {
      let found = try usable(
        from: place, of: sequence.candidates, for: wanted.request, wanted.prefersWhole, source)
      guard let usable = found else {
        return .missing(.partial(recordings: count, insteadOfPlay: true))
      }
      (place, id) = usable
    }
    guard let play = try play(id, of: candidates, for: wanted.request, source) else {
      return .missing(.contentOmitted(interaction: id))
    }
    return .play(
      Play(
        play, ordinal: place + 1, count: count, isCodingUnoffered: isCodingUnoffered,
        isSettled: count == 1 && exhausted != .miss))
  }

  /// Leaves what agrees best with the request's fields, if there is more to choose by than content.
  func choose(
    _ sequence: inout CandidateSequence, of candidates: Candidates, for request: RequestHead,
    _ upstream: String?, _ session: ReplaySession, _ isCodingUnoffered: inout Bool
  ) -> NoChoice? {
    guard candidates.isVaried || checksAuthority else { return nil }
    var request = request
    if let rules = keys.rules, candidates.isVaried, session.secretsCount > 0 {
      request = session.liveSecrets(rules).concealed(request)
    }
    var choice = Choice(sequence, of: candidates)
    if let none = none(of: &choice, for: request, upstream) { return none }
    isCodingUnoffered = choice.preferOffered(by: request.fields)
    sequence = choice.sequence
    return nil
  }

  /// Why none of the recordings may answer; nil when some may, and those are left that agree best
  /// with the request's fields.
  private func none(
    of choice: inout Choice, for request: RequestHead, _ upstream: String?
  ) -> NoChoice? {
    let none =
      choice.match(fields: request.fields, keys)
      ?? choice.match(
        authority: request.fields.first(.host), known: index.authorities(of: upstream),
        keys.options.authority)
    if none == nil { choice.prefer(fields: request.fields, keys) }
    return none
  }

  /// Leaves only recordings with the same placeholder where the request's redacted places hold one.
  func narrow(_ sequence: inout CandidateSequence, to target: [UInt8]) {
    guard target.contains(0x3F) else { return }
    let asked = keys.placeholders(in: target)
    guard asked.contains(where: { $0 != nil }) else { return }
    sequence.candidates.removeAll {
      !MatchKeys.placeholders(asked, agreeWith: $0.placeholders)
    }
    for placeholder in asked {
      sequence.key = sequence.key.mixed(with: UInt64(bitPattern: placeholder?.number ?? 0))
    }
  }
}
