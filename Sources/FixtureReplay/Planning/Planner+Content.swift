import FixtureCassette
import FixtureHTTP

/// A content that was asked for, and the recordings that have it.
struct KnownContent {
  let size: Int64
  let digest: [UInt8]
  let form: ContentForm
  let sequence: CandidateSequence

  /// Bytes of memory, roughly.
  var cost: Int { 256 + sequence.candidates.count * MemoryLayout<Candidates.Candidate>.stride }
}

extension Planner {
  /// How many bytes of a request's content must be held: all of it if some recordings may be equal
  /// to it by another rule than byte for byte, else as many as it takes to say what differs.
  func bytesHeld(for candidates: Candidates, _ form: ContentForm) -> Int {
    if mustHold(candidates, form) { return ContentKeys.contentBytesMax }
    return isExplaining && candidates.contents.count > 0 ? ContentKeys.explainedBytesMax : 0
  }

  private func mustHold(_ candidates: Candidates, _ form: ContentForm) -> Bool {
    let contents = candidates.contents
    guard contents.count > 0 else { return false }
    return contents.hasCodings || !form.codings.isEmpty
      || contents.hasValues && form.kind != .bytes || !contents.redacted.isEmpty
  }

  /// The recordings that have this content: the same bytes, or the same by the rule of its kind.
  mutating func sequence(
    of candidates: Candidates, _ hash: UInt64, size: Int64, digest: [UInt8], held: [UInt8]?,
    _ request: RequestHead, _ session: ReplaySession, _ source: Source
  ) throws(Source.Failure) -> CandidateSequence {
    let contents = candidates.contents
    func exact() -> CandidateSequence {
      CandidateSequence(
        candidates: contents.positions(size: size, digest: digest).map { contents.candidates[$0] },
        key: hash.mixed(with: digest))
    }
    guard contents.hasValues || contents.hasCodings || !contents.redacted.isEmpty else {
      return exact()
    }
    let form = ContentForm(request.fields)
    guard let held, mustHold(candidates, form) else { return exact() }
    var place = hash.mixed(with: digest)
    if contents.isRedacted { place = place.mixed(with: UInt64(session.secretsCount)) }
    if let known = knownContents[place], known.size == size, known.digest == digest,
      known.form == form
    {
      return known.sequence
    }
    let sequence = try sequence(
      of: candidates, hash, size: size, digest: digest, held, form, session, source)
    let known = KnownContent(size: size, digest: digest, form: form, sequence: sequence)
    knownContents.insert(known, for: place, cost: known.cost)
    return sequence
  }

  private func sequence(
    of candidates: Candidates, _ hash: UInt64, size: Int64, digest: [UInt8], _ held: [UInt8],
    _ form: ContentForm, _ session: ReplaySession, _ source: Source
  ) throws(Source.Failure) -> CandidateSequence {
    var known: CandidateSequence?
    func equal() throws(Source.Failure) -> CandidateSequence {
      if let known { return known }
      return try valued(candidates, hash, size: size, digest: digest, held, form, source)
    }
    // Nothing else can be found without its secrets where no recording has lost any.
    if !mayHaveLostSecrets(candidates.contents), !mayHoldPlaceholders(held) {
      let equal = try equal()
      if !equal.candidates.isEmpty { return equal }
      known = equal
    }
    guard let concealed = concealed(held, form, session) else { return try equal() }
    let similar = try similar(concealed, candidates, hash, form, source)
    return concealed.hasPlaceholders
      ? try agreeing(similar, concealed, candidates, source) : try equal().joined(with: similar)
  }

  private func mayHaveLostSecrets(_ contents: ContentTable) -> Bool {
    contents.isRedacted || keys.contents.mayRedactNumbers
  }

  private func mayHoldPlaceholders(_ content: [UInt8]) -> Bool {
    content.withUnsafeBytes { keys.contents.mayHoldPlaceholders($0) }
  }

  /// Without its secrets and those of the requests before; nil when it holds none.
  private func concealed(
    _ content: [UInt8], _ form: ContentForm, _ session: ReplaySession
  ) -> ContentKeys.Concealed? {
    guard let rules = keys.rules else { return nil }
    return session.learn(rules) { keys.contents.concealed(content, form, &$0) }
  }

  func values(
    of candidates: Candidates, _ source: Source
  ) throws(Source.Failure) -> ContentValues {
    try candidates.values { (contents) throws(Source.Failure) in
      try ContentValues.make(
        of: contents, keys.contents, isExplaining: isExplaining, source)
    }
  }

  private func fingerprint(of content: [UInt8], _ form: ContentForm) -> UInt64 {
    var features = ContentFeatures(max: 0)
    return content.withUnsafeBytes {
      keys.contents.fingerprint(of: $0, form, features: &features)
    }
  }

  /// The recordings that have the same content but for its secrets.
  private func similar(
    _ concealed: ContentKeys.Concealed, _ candidates: Candidates, _ hash: UInt64,
    _ form: ContentForm, _ source: Source
  ) throws(Source.Failure) -> CandidateSequence {
    let content = concealed.content
    return try valued(
      candidates, hash, size: Int64(content.count), digest: SHA256.digest(of: content), content,
      ContentForm(kind: form.kind), source)
  }

  /// Those that hold the same placeholder wherever the request does.
  private func agreeing(
    _ sequence: CandidateSequence, _ concealed: ContentKeys.Concealed, _ candidates: Candidates,
    _ source: Source
  ) throws(Source.Failure) -> CandidateSequence {
    let contents = candidates.contents
    var sequence = sequence
    var kept: [Candidates.Candidate] = []
    for candidate in sequence.candidates {
      guard let position = contents.position(of: candidate.id) else { continue }
      let body = StoredContent(id: contents.bodyID(position), size: contents.size(position))
      guard let recorded = try source.content(body),
        keys.contents.agrees(recorded, contents.form(position), with: concealed)
      else { continue }
      kept.append(candidate)
    }
    sequence.candidates = kept
    sequence.key = sequence.key.mixed(with: concealed.placeholderHash)
    return sequence
  }

  private func valued(
    _ candidates: Candidates, _ hash: UInt64, size: Int64, digest: [UInt8], _ held: [UInt8],
    _ form: ContentForm, _ source: Source
  ) throws(Source.Failure) -> CandidateSequence {
    let contents = candidates.contents
    let exact = contents.positions(size: size, digest: digest)
    let values = try values(of: candidates, source)
    // That of the same bytes is known.
    let same = exact.first { contents.form($0) == form }.flatMap { values.value(at: $0) }
    let fingerprint = same?.fingerprint ?? self.fingerprint(of: held, form)
    let key = hash.mixed(with: fingerprint)
    let possible = same?.positions ?? values.positions(of: fingerprint)
    if possible == exact, form.kind != .bytes || form.codings.isEmpty {
      return CandidateSequence(candidates: exact.map { contents.candidates[$0] }, key: key)
    }
    var found = Set(exact)
    if form.kind == .bytes, !form.codings.isEmpty {
      // The same bytes without a coding.
      let decoded = ContentKeys.decoded(held, form)
      found.formUnion(
        contents.positions(
          size: Int64(decoded.count), digest: SHA256.digest(of: decoded)))
    }
    // Equal bodies are compared once.
    var verified: [Int64: Bool] = [:]
    for position in possible where !found.contains(position) {
      let body = contents.bodyID(position)
      let isEqual: Bool
      if let known = verified[body] {
        isEqual = known
      } else {
        let recorded = StoredContent(id: body, size: contents.size(position))
        isEqual =
          try source.content(recorded).map {
            keys.contents.areEqual(held, form, $0, contents.form(position))
          } ?? false
        verified[body] = isEqual
      }
      if isEqual { found.insert(position) }
    }
    return CandidateSequence(
      candidates: found.sorted().map { contents.candidates[$0] }, key: key)
  }
}
