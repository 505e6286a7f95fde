import FixtureCassette
import FixtureHTTP

/// Finds the recording that answers a request and makes its script.
///
/// One for each event loop: what it keeps are caches, so that repeated requests cost neither a
/// fetch nor an allocation. Which recording comes next is known by the session alone.
package struct Planner<Source: InteractionSource> {
  /// Verified keys with their interactions' ids, and the play where there is one: some 30,000.
  static var candidatesBytesMax: Int { 64 << 20 }
  /// Interactions and scripts of keys that have several: some 15,000 with ordinary heads.
  static var playsBytesMax: Int { 32 << 20 }
  /// What is near requests that were missed: some 500, so that one that is made again and again
  /// costs little.
  static var knownNearestBytesMax: Int { 1 << 20 }
  /// Contents that were asked for and are compared by value: some 30,000.
  static var knownContentsBytesMax: Int { 8 << 20 }

  let index: MatchIndex
  let keys: MatchKeys
  private let pacing: Pacing
  let exhausted: Exhausted
  /// Whether answers are made of recorded ones; see `Derivation`.
  let derives: Bool
  /// Between the session's dates and those of the cassette.
  package let dates: TimeShift
  private var candidates = BoundedCache<Candidates>(costMax: Self.candidatesBytesMax)
  private var plays = BoundedCache<PreparedPlay>(costMax: Self.playsBytesMax)
  private var repeatedPlays = RepeatedKeys()
  var knownContents = BoundedCache<KnownContent>(costMax: Self.knownContentsBytesMax)
  var knownNearest = BoundedCache<[Miss.Nearest]>(costMax: Self.knownNearestBytesMax)
  let checksAuthority: Bool
  let isExplaining: Bool
  /// How to record what is missing.
  let command: RecordingCommand?
  /// Made at the first miss.
  var knownTargets: TargetTable?
  /// Reused for each request.
  private var key: [UInt8] = []

  /// - Parameters:
  ///   - index: of all interactions of `source`.
  ///   - keys: the ones that `index` was made with.
  ///   - derives: whether answers are made of recorded ones; see `Derivation`.
  ///   - isExplaining: whether misses say what is near: not when something else is done about them.
  ///   - command: what a miss says to record it; nil when there is no name to record under.
  package init(
    index: MatchIndex, keys: MatchKeys, pacing: Pacing, exhausted: Exhausted,
    derives: Bool = true, dates: TimeShift = TimeShift(.recorded, start: 0, latest: nil),
    isExplaining: Bool = true, command: RecordingCommand? = nil
  ) {
    self.isExplaining = isExplaining
    self.command = command
    self.index = index
    self.keys = keys
    self.pacing = pacing
    self.exhausted = exhausted
    self.derives = derives
    self.dates = dates
    checksAuthority =
      switch keys.options.authority {
      case .always: true
      case .whenSeveral: index.hasSeveralAuthorities
      case .never: false
      }
  }

  /// What to do with a request, as far as is known of its content.
  ///
  /// A play is counted and its place in the sequence used, a miss is counted; `.needsContent`
  /// changes nothing.
  /// - Parameters:
  ///   - upstream: the name of the upstream whose listener the request came to.
  ///   - prefersWhole: whether the answer will be changed, so that a recorded 304 or part, which is
  ///     about what was recorded, is taken only where nothing whole is.
  ///   - version: which of the recorded representations is asked for, from 0; the last one when
  ///     there are no more. nil: the next in its sequence.
  ///   - date: now, seconds since 1970; asked for when it is needed.
  /// - Throws: what `source` throws; the place in the sequence may be used nevertheless.
  package mutating func plan(
    _ live: RequestHead, upstream: String?, content: ContentIdentity, session: ReplaySession,
    prefersWhole: Bool = false, version: Int64? = nil, date: @autoclosure () -> Int64,
    source: Source
  ) throws(Source.Failure) -> Plan {
    let request = try lookedFor(
      dates.movedBack(live), upstream: upstream, content, session, source)
    let own = try candidates(request.method, request, upstream, source)
    let wanted = Wanted(
      request: request, upstream: upstream, content: content, prefersWhole: prefersWhole,
      version: version)
    switch try find(wanted, among: own, session, source) {
    case .play(let play): return .play(play)
    case .needsContent(let bytes): return .needsContent(holding: bytes)
    case .missing(let reason):
      let asked = Asked(
        request, upstream: upstream, content: content, key: own.hash, date: date(),
        secrets: secrets(of: content, request, session))
      return .miss(try miss(reason, asked, session, source))
    }
  }

  /// The request as its recordings are looked for: its secrets are learned, and where recordings
  /// were left without them in places that no rule names, its target is without them too.
  mutating func lookedFor(
    _ request: RequestHead, upstream: String?, _ content: ContentIdentity,
    _ session: ReplaySession, _ source: Source
  ) throws(Source.Failure) -> RequestHead {
    let mayHold = keys.mayHoldSecrets(request)
    guard mayHold || index.hidesSecrets, let rules = keys.rules else { return request }
    if mayHold { session.learn(rules) { $0.learn(request) } }
    guard index.hidesSecrets else { return request }
    if case .known(_, _, let held?) = content {
      session.learn(held, ContentForm(request.fields), rules)
    }
    guard session.secretsCount > 0 else { return request }
    var concealed = request
    concealed.target = session.liveSecrets(rules).concealed(request).target
    guard concealed.target != request.target else { return request }
    if try candidates(request.method, concealed, upstream, source).found != nil {
      return concealed
    }
    guard derives, request.method == .head,
      try candidates(.get, concealed, upstream, source).found != nil
    else { return request }
    return concealed
  }

  /// Those that may not be shown in what is said of a request.
  func secrets(
    of content: ContentIdentity, _ request: RequestHead, _ session: ReplaySession
  ) -> LiveSecrets? {
    guard let rules = keys.rules else { return nil }
    if isExplaining, case .known(_, _, let held?) = content,
      held.count <= ContentKeys.explainedBytesMax
    {
      session.learn(held, ContentForm(request.fields), rules)
    }
    return session.liveSecrets(rules)
  }

  /// The hash of the key of a request with this method, and its interactions; nil when none has it.
  mutating func candidates(
    _ method: Method, _ request: RequestHead, _ upstream: String?, _ source: Source
  ) throws(Source.Failure) -> (hash: UInt64, found: Candidates?) {
    key.removeAll(keepingCapacity: true)
    keys.appendKey(method: method, target: request.target, upstream: upstream, to: &key)
    let hash = StableHash.value(of: key)
    return (hash, try candidates(for: hash, source))
  }

  /// nil when no interaction has the key that was made last.
  private mutating func candidates(
    for hash: UInt64, _ source: Source
  ) throws(Source.Failure) -> Candidates? {
    if let known = candidates[hash], known.key == key { return known }
    let found = try load(key, hash, source)
    guard found.count > 0 else { return nil }
    candidates.insert(found, for: hash, cost: found.cost)
    return found
  }

  /// All interactions whose key is this one, which has this hash.
  private func load(
    _ key: [UInt8], _ hash: UInt64, _ source: Source
  ) throws(Source.Failure) -> Candidates {
    var found = Candidates.Builder(key: key, keys)
    try source.forEachRequest(of: index.candidates(forHash: hash)) { row in
      guard has(row, key) else { return }
      found.add(row)
    }
    guard found.count == 1, let id = found.examples.first else {
      return Candidates(found, only: nil)
    }
    return Candidates(
      found, only: PreparedPlay(try source.interaction(id: id), pacing: pacing))
  }

  /// Whether this is the recorded request's key, not only one with the same hash.
  private func has(_ row: RequestRow, _ key: [UInt8]) -> Bool {
    var own: [UInt8] = []
    own.reserveCapacity(key.count)
    keys.appendKey(method: row.method, target: row.target, upstream: row.upstream, to: &own)
    return own == key
  }

  /// nil when it depends on content that was not read yet.
  mutating func sequence(
    of candidates: Candidates, _ hash: UInt64, _ content: ContentIdentity, _ request: RequestHead,
    _ session: ReplaySession, _ source: Source
  ) throws(Source.Failure) -> CandidateSequence? {
    switch content {
    case .absent, .known(size: 0, _, _):
      return CandidateSequence(candidates: candidates.withoutContent, key: hash)
    case .pending(let expectsContinue):
      guard expectsContinue, candidates.allBeforeContent else { return nil }
      return CandidateSequence(candidates: candidates.beforeContent, key: hash.mixed(with: 1))
    case .known where !keys.options.content:
      return CandidateSequence(candidates: candidates.withoutContent, key: hash)
    case .known(let size, let digest, let held):
      var sequence = try sequence(
        of: candidates, hash, size: size, digest: digest, held: held, request, session, source)
      // Those are for any content, so that all have one order.
      if sequence.candidates.isEmpty { sequence.key = hash }
      sequence.merge(candidates.duringContent)
      if !candidates.beforeContent.isEmpty,
        request.fields.list(.expect, holds: "100-continue")
      {
        sequence.merge(candidates.beforeContent)
        sequence.key = sequence.key.mixed(with: 1)
      }
      return sequence
    }
  }

  /// nil when there is nothing to play.
  mutating func play(
    _ id: Int64, of candidates: Candidates, for request: RequestHead, _ source: Source
  ) throws(Source.Failure) -> PreparedPlay? {
    let play =
      if let only = candidates.only { only } else {
        try prepared(id, source, of: candidates)
      }
    guard let play, request.version < .http11 else { return play }
    return PreparedPlay(play.interaction, pacing: pacing, to: request.version)
  }

  /// - Parameter candidates: the ones among which the interaction was found, if it was.
  mutating func prepared(
    _ id: Int64, _ source: Source, of candidates: Candidates? = nil
  ) throws(Source.Failure) -> PreparedPlay? {
    let key = UInt64(bitPattern: id)
    if let known = plays[key] { return known }
    let interaction =
      if let requestBody = candidates?.contents.body(of: id) {
        try source.interaction(id: id, requestBody: requestBody)
      } else {
        try source.interaction(id: id)
      }
    let play = PreparedPlay(interaction, pacing: pacing)
    if let play, repeatedPlays.meet(key) { plays.insert(play, for: key, cost: play.cost) }
    return play
  }
}
