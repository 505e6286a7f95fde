import FixtureCassette
import FixtureHTTP

/// Recordings that are not whole answers: a 304 stands for the representation that its client had,
/// a part answers who asks for it.
extension Planner {
  /// Leaves, of recorded parts, those of the range that is asked for, and of nothing else when
  /// there are any; without, what is whole; and without that, parts that what is asked for can be
  /// cut from.
  mutating func leaveFitting(
    _ sequence: inout CandidateSequence, for request: RequestHead, _ prefersWhole: Bool,
    _ source: Source
  ) throws(Source.Failure) {
    let parts = sequence.candidates.filter { $0.kind == .part }
    guard !parts.isEmpty else { return }
    var fitting: [Candidates.Candidate] = []
    let hasOthers = parts.count < sequence.candidates.count
    if !(prefersWhole && hasOthers), let range = request.fields.first(.range) {
      let hash = Candidates.Candidate.range(range)
      for part in parts where part.range == hash {
        if try prepared(part.id, source)?.interaction.answersRange(of: request) == true {
          fitting.append(part)
        }
      }
    }
    if fitting.isEmpty {
      sequence.candidates.removeAll { $0.kind == .part }
      guard derives, sequence.candidates.isEmpty else { return }
      for part in parts {
        if try prepared(part.id, source)?.interaction.holdsRange(of: request) == true {
          fitting.append(part)
        }
      }
    }
    sequence.candidates = fitting
    for part in fitting { sequence.key = sequence.key.mixed(with: UInt64(bitPattern: part.id)) }
  }

  /// What answers the request at a place of its sequence; when what was recorded there can't, the
  /// next that can, or the one before.
  mutating func usable(
    from place: Int, of candidates: [Candidates.Candidate], for request: RequestHead,
    _ prefersWhole: Bool, _ source: Source
  ) throws(Source.Failure) -> (place: Int, id: Int64)? {
    for index in Array(place..<candidates.count) + (0..<place).reversed() {
      if let id = try answering(index, of: candidates, for: request, prefersWhole, source) {
        return (index, id)
      }
    }
    return nil
  }

  private mutating func answering(
    _ place: Int, of candidates: [Candidates.Candidate], for request: RequestHead,
    _ prefersWhole: Bool, _ source: Source
  ) throws(Source.Failure) -> Int64? {
    let candidate = candidates[place]
    guard candidate.kind == .notModified,
      let recorded = try prepared(candidate.id, source)?.interaction
    else { return candidate.id }
    let isAsRecorded = Preconditions.areSame(recorded.request.fields, request.fields)
    if isAsRecorded, !prefersWhole { return candidate.id }
    let reference = derives ? try representation(at: place, of: candidates, source) : nil
    if prefersWhole, let reference { return reference.id }
    if isAsRecorded { return candidate.id }
    let validators = reference?.validators ?? recorded.validated
    switch Preconditions.evaluate(request.method, request.fields, against: validators) {
    case .notModified: return candidate.id
    case .proceed, .failed: return reference?.id
    }
  }

  /// The 200 that a recorded 304 says is still good: the latest before it, else the first after it,
  /// with the tag, or the date, that its client had.
  private mutating func representation(
    at place: Int, of candidates: [Candidates.Candidate], _ source: Source
  ) throws(Source.Failure) -> Interaction? {
    guard let validated = try prepared(candidates[place].id, source)?.interaction.validated else {
      return nil
    }
    for index in (0..<place).reversed() + Array((place + 1)..<max(place + 1, candidates.count))
    where candidates[index].kind == .whole {
      guard let found = try prepared(candidates[index].id, source)?.interaction,
        found.response?.head.status == 200, let validators = found.validators
      else { continue }
      if let tag = validated.entityTag {
        if validators.entityTag.map(tag.matchesWeakly) ?? false { return found }
      } else if let date = validated.lastModified {
        if validators.lastModified.map({ $0 <= date }) ?? false { return found }
      } else {
        return found
      }
    }
    return nil
  }

  /// A version of the representation: of the recordings that are whole, those with another tag or
  /// another content than the one before; nil when there is none.
  mutating func play(
    _ version: Int64, of sequence: CandidateSequence, _ candidates: Candidates,
    for request: RequestHead, _ source: Source
  ) throws(Source.Failure) -> Play? {
    var last: (tag: EntityTag?, digest: [UInt8]?)?
    var places: [Int] = []
    for (place, candidate) in sequence.candidates.enumerated() where candidate.kind == .whole {
      guard Int64(places.count) <= version,
        let response = try prepared(candidate.id, source)?.interaction.response
      else { continue }
      let own = (Validators(response.head.fields).entityTag, response.body?.digest)
      if let last, last == own { continue }
      last = own
      places.append(place)
    }
    guard let place = places.last else { return nil }
    let id = sequence.candidates[place].id
    guard let prepared = try play(id, of: candidates, for: request, source) else { return nil }
    return Play(
      prepared, ordinal: place + 1, count: sequence.candidates.count,
      version: Int64(places.count - 1))
  }

  /// What follows for a request from the answer of a play, before it is timed; nil when nothing
  /// does.
  package mutating func derivation(
    of play: Play, for request: RequestHead, upstream: String?, session: ReplaySession,
    source: Source
  ) throws(Source.Failure) -> Derivation? {
    guard derives else { return nil }
    let presence = Preconditions.Presence(request.fields)
    let recorded = play.interaction.request
    guard Derivation.concerns(request, presence, recorded: recorded.method) else { return nil }
    let asked = dates.movedBack(request)
    let isAsRecorded = Preconditions.areSame(recorded.fields, asked.fields)
    var current: Validators?
    if !isAsRecorded, request.method != .get, request.method != .head {
      current = dates.moved(
        try currentValidators(of: asked, upstream: upstream, session: session, source: source))
    }
    return Derivation(
      request, presence, recorded: recorded.method,
      asRecorded: isAsRecorded ? play.interaction.response?.head : nil, current: current)
  }

  /// The validators of the representation that GET of the request's target gave last in the
  /// session, or will give first; nil when the cassette does not know it.
  package mutating func currentValidators(
    of request: RequestHead, upstream: String?, session: ReplaySession, source: Source
  ) throws(Source.Failure) -> Validators? {
    var request = request
    request.method = .get
    request = try lookedFor(request, upstream: upstream, .absent, session, source)
    let (hash, found) = try candidates(.get, request, upstream, source)
    guard let found else { return nil }
    var sequence = CandidateSequence(candidates: found.withoutContent, key: hash)
    narrow(&sequence, to: request.target)
    var isCodingUnoffered = false
    guard
      choose(&sequence, of: found, for: request, upstream, session, &isCodingUnoffered) == nil
    else { return nil }
    sequence.candidates.removeAll { $0.kind == .part }
    guard !sequence.candidates.isEmpty else { return nil }
    let place = session.latest(
      key: sequence.key, of: sequence.candidates.count, exhausted: exhausted)
    if sequence.candidates[place].kind == .notModified {
      return try representation(at: place, of: sequence.candidates, source)?.validators
    }
    guard let interaction = try prepared(sequence.candidates[place].id, source)?.interaction,
      interaction.response?.head.status == 200
    else { return nil }
    return interaction.validators
  }
}

extension Interaction {
  /// Of its response; nil when there is none.
  fileprivate var validators: Validators? { response.map { Validators($0.head.fields) } }

  /// Of the representation that a 304 is about: its own, else those that its client sent. Without
  /// any when the client named several tags, or `*`.
  fileprivate var validated: Validators {
    var validated = validators ?? Validators()
    if validated.entityTag == nil, let list = EntityTagList(.ifNoneMatch, in: request.fields) {
      if case .tags(let tags) = list, tags.count == 1 { validated.entityTag = tags[0] }
      return validated
    }
    if validated.lastModified == nil {
      validated.lastModified = request.fields.date(.ifModifiedSince)
    }
    return validated
  }

  /// Whether it was recorded for the range that is asked for, and still answers to it.
  fileprivate func answersRange(of asked: RequestHead) -> Bool {
    guard let range = request.fields.first(.range), range == asked.fields.first(.range) else {
      return false
    }
    return request.fields.all(.ifRange) == asked.fields.all(.ifRange)
      || Preconditions.allowRange(asked.fields, of: validators ?? Validators())
  }

  /// Whether what is asked for can be cut from the part that was recorded.
  fileprivate func holdsRange(of asked: RequestHead) -> Bool {
    guard outcome == .complete, let response, response.head.status == 206,
      let recorded = response.head.fields.contentRange, let held = recorded.range,
      let size = recorded.size, response.body?.size == Int64(held.count)
    else { return false }
    if held == 0..<size { return true }
    guard asked.method == .get, let ranges = ByteRanges(asked.fields),
      Preconditions.allowRange(asked.fields, of: Validators(response.head.fields)),
      case .parts(let parts) = ranges.selection(of: size), parts.count == 1
    else { return false }
    return held.lowerBound <= parts[0].lowerBound && parts[0].upperBound <= held.upperBound
  }
}

extension FieldSection {
  /// nil when it is not there or says nothing of bytes.
  var contentRange: ContentRange? {
    first(.contentRange).flatMap(ContentRange.init(parsing:))
  }
}
