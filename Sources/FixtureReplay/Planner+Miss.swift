import FixtureCassette
import FixtureHTTP

/// A request and what the planner made of it on the way to a miss.
struct Asked {
  let request: RequestHead
  let upstream: String?
  let content: ContentIdentity
  /// The hash of its match key.
  let key: UInt64
  /// Seconds since 1970.
  let date: Int64

  /// Tells misses apart: by match key and content.
  var missKey: UInt64 {
    if case .known(_, let digest, _) = content { key.mixed(with: digest) } else { key }
  }
}

extension Planner {
  func miss(
    _ reason: Miss.Reason, _ asked: Asked, _ session: ReplaySession,
    nearest: [Miss.Nearest] = [], insteadOfPlay: Bool = false
  ) -> Miss {
    let isFirst = session.missed(key: asked.missKey, insteadOfPlay: insteadOfPlay)
    return Miss(
      reason, method: asked.request.method,
      target: keys.concealingSecrets(in: asked.request.target), upstream: asked.upstream,
      requestContent: asked.content, nearest: nearest, isRepeated: !isFirst, date: asked.date)
  }

  /// The miss of a request whose key is recorded, but not as it was asked for.
  func differing(
    _ part: Miss.Nearest.Part, _ candidates: Candidates, _ asked: Asked,
    _ session: ReplaySession, _ source: Source
  ) throws(Source.Failure) -> Miss {
    if let omitted = candidates.omitted {
      return miss(.contentOmitted(interaction: omitted), asked, session)
    }
    var examples: [Miss.Nearest] = []
    for id in candidates.examples {
      examples.append(nearest(try source.interaction(id: id), differs: part))
    }
    return miss(.differs(recordings: candidates.count), asked, session, nearest: examples)
  }

  /// Recordings that would have matched but for one part. Found by asking the index for the keys
  /// of such requests, so another query or another path is found only where it can be guessed.
  func nearest(to asked: Asked, _ source: Source) throws(Source.Failure) -> [Miss.Nearest] {
    var found: [Miss.Nearest] = []
    for guess in guesses(asked.request) {
      guard found.count < Miss.nearestMax else { break }
      var key: [UInt8] = []
      keys.appendKey(
        method: guess.method, target: guess.target, upstream: asked.upstream, to: &key)
      // The first one by hash stands for all: the odds against two keys of one hash are long, and
      // a recording that is not named costs a hint.
      guard let id = index.candidates(forKey: key).first else { continue }
      let interaction = try source.interaction(id: id)
      if has(interaction, key) { found.append(nearest(interaction, differs: guess.part)) }
    }
    return found
  }

  private func has(_ interaction: Interaction, _ key: [UInt8]) -> Bool {
    var own: [UInt8] = []
    keys.appendKey(
      method: interaction.request.method, target: interaction.request.target,
      upstream: interaction.upstream, to: &own)
    return own == key
  }

  private func nearest(_ interaction: Interaction, differs part: Miss.Nearest.Part) -> Miss.Nearest
  {
    Miss.Nearest(
      interaction: interaction.id, method: interaction.request.method,
      target: keys.concealingSecrets(in: interaction.request.target), differs: [part])
  }

  private struct Guess {
    let method: Method
    let target: [UInt8]
    let part: Miss.Nearest.Part
  }

  private func guesses(_ request: RequestHead) -> [Guess] {
    let target = request.target
    let (path, query) = RequestTarget.split(target)
    var targets: [(target: [UInt8], part: Miss.Nearest.Part)] = []
    if query != nil { targets.append((Array(path), .query)) }
    if query == nil || query?.isEmpty == false { targets.append((Array(path) + [0x3F], .query)) }
    let otherPath = path.last == 0x2F ? Array(path.dropLast()) : Array(path) + [0x2F]
    if !otherPath.isEmpty {
      targets.append((otherPath + (query.map { [0x3F] + $0 } ?? []), .path))
    }
    let methods: [Method] = [.get, .head, .post, .put, .delete, .patch, .options]
    return targets.map { Guess(method: request.method, target: $0.target, part: $0.part) }
      + methods.filter { $0 != request.method }
      .map { Guess(method: $0, target: target, part: .method) }
  }
}
