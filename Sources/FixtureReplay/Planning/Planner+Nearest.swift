import FixtureCassette
import FixtureHTTP

extension Planner {
  /// Recordings that are compared with a request to find the nearest.
  static var examinedMax: Int { 8 }
  /// Other targets whose recordings are.
  private static var keysExaminedMax: Int { 4 }
  /// Contents that are compared for one miss, together; the rest by their sizes. Takes 20 ms.
  private static var bytesExaminedMax: Int64 { 1 << 20 }
  /// What one in a coding counts for: it can grow a lot.
  private static var codedBytesExamined: Int64 { 1 << 18 }

  /// The recordings that are closest to a request whose key is not recorded.
  mutating func nearest(
    to asked: Asked, _ source: Source
  ) throws(Source.Failure) -> [Miss.Nearest] {
    let targets = try targets(source)
    let firsts = targets.nearest(
      method: asked.request.method, target: asked.request.target, upstream: asked.upstream,
      count: Self.keysExaminedMax)
    var ids: [Int64] = []
    for first in firsts {
      let interaction = try source.interaction(id: first)
      var key: [UInt8] = []
      keys.appendKey(
        method: interaction.request.method, target: interaction.request.target,
        upstream: interaction.upstream, to: &key)
      // One of the same hash that has another key is as good as any.
      ids += index.candidates(forKey: key).prefix(Self.examinedMax)
    }
    return try nearest(among: ids, asked, source)
  }

  private mutating func targets(_ source: Source) throws(Source.Failure) -> TargetTable {
    if let targets = knownTargets { return targets }
    let targets = try TargetTable(index.firstIDs, source)
    knownTargets = targets
    return targets
  }

  /// The recordings of a key whose contents are closest to the one that was asked for.
  func nearestContents(
    of candidates: Candidates, _ asked: Asked, _ source: Source
  ) throws(Source.Failure) -> [Int64] {
    let contents = candidates.contents
    guard contents.count > 0, case .known(let size, _, let held) = asked.content, size > 0 else {
      return candidates.examples
    }
    let form = ContentForm(asked.request.fields)
    var positions: [Int] = []
    if let held, form.kind != .bytes, contents.hasValues {
      var features = ContentFeatures()
      _ = held.withUnsafeBytes { keys.contents.fingerprint(of: $0, form, features: &features) }
      positions = try values(of: candidates, source)
        .nearest(to: features, count: Self.examinedMax)
    }
    if positions.isEmpty { positions = contents.nearest(toSize: size, count: Self.examinedMax) }
    return positions.map { contents.candidates[$0].id }
  }

  /// The closest of some recordings, with what differs.
  func nearest(
    among ids: [Int64], _ asked: Asked, _ source: Source
  ) throws(Source.Failure) -> [Miss.Nearest] {
    var found: [(weight: Int, nearest: Miss.Nearest)] = []
    var bytesLeft = Self.bytesExaminedMax
    for id in ids {
      let interaction = asked.shown(try source.interaction(id: id))
      let differences = try differences(interaction, asked, source, &bytesLeft)
      // Nothing that could be named, or another session took it meanwhile.
      guard !differences.isEmpty else { continue }
      found.append((weight(differences, interaction, asked), named(interaction, differences)))
    }
    found.sort { ($0.weight, $0.nearest.interaction) < ($1.weight, $1.nearest.interaction) }
    return found.prefix(Miss.nearestMax).map(\.nearest)
  }

  /// What differs between a recording and a request, as far as it counts.
  private func differences(
    _ interaction: Interaction, _ asked: Asked, _ source: Source, _ bytesLeft: inout Int64
  ) throws(Source.Failure) -> Differences {
    var found = Differences()
    let recorded = interaction.request
    keys.appendDifferences(
      recorded: (recorded.method, recorded.target, interaction.upstream),
      asked: (asked.request.method, asked.request.target, asked.upstream), to: &found)
    keys.appendDifferences(recorded: recorded.fields, asked: asked.request.fields, to: &found)
    if interaction.upstream == asked.upstream,
      let host = Choice.counted(
        authority: asked.request.fields.first(.host), known: index.authorities(of: asked.upstream),
        keys.options.authority),
      host != interaction.authority.utf8.map(\.asciiLowercased)
    {
      found.append(
        Difference(
          .authority, recorded: ValueExcerpt(interaction.authority), asked: ValueExcerpt(host),
          change: "-authority"))
    }
    // What else was sent elsewhere says nothing.
    if !found.first.contains(where: { $0.place == .path }) {
      try appendContent(interaction, asked, source, &bytesLeft, to: &found)
    }
    return found
  }

  private func appendContent(
    _ interaction: Interaction, _ asked: Asked, _ source: Source, _ bytesLeft: inout Int64,
    to found: inout Differences
  ) throws(Source.Failure) {
    guard keys.options.content, let askedSize = asked.contentSize,
      !interaction.notes.contains(.requestCut)
    else { return }
    let body = interaction.requestBody.flatMap { $0.size > 0 ? $0 : nil }
    guard let body, case .known(_, let digest, let held) = asked.content, askedSize > 0 else {
      if body == nil, askedSize == 0 { return }
      return keys.contents.appendSizes(
        body?.size, askedSize > 0 ? askedSize : nil, to: &found)
    }
    if body.size == askedSize, body.digest == digest { return }
    let form = ContentForm(interaction.request.fields)
    let askedForm = ContentForm(asked.request.fields)
    let isCoded = !form.codings.isEmpty || !askedForm.codings.isEmpty
    let isComparable =
      max(body.size, askedSize) <= Int64(ContentKeys.explainedBytesMax) && bytesLeft > 0
    guard isComparable, let held,
      let recorded = try source.content(StoredContent(id: body.id, size: body.size))
    else { return keys.contents.appendSizes(body.size, askedSize, to: &found) }
    bytesLeft -= isCoded ? Self.codedBytesExamined : body.size + askedSize
    guard !keys.contents.areEqual(recorded, form, held, askedForm) else { return }
    keys.contents.appendDifferences(
      recorded: ContentKeys.Known(recorded, form), asked: ContentKeys.Known(held, askedForm),
      asked.secrets, to: &found)
  }

  /// How far a recording is from a request: it is nearer by one more field than by another path.
  private func weight(
    _ differences: Differences, _ interaction: Interaction, _ asked: Asked
  ) -> Int {
    var weight = differences.count - differences.first.count
    for difference in differences.first {
      switch difference.place {
      case .upstream: weight += 40
      case .method: weight += 30
      case .path:
        weight += 20
        weight += Self.pathDistance(interaction.request.target, asked.request.target)
      case .authority: weight += 10
      case .content: weight += 6
      case .byte: weight += 4
      case .query, .queryPresence, .field: weight += 2
      case .json, .form, .part: weight += 1
      }
    }
    return weight
  }

  /// Segments that are not the same, twice for the first ones.
  private static func pathDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    let left = RequestTarget.split(left).path.split(separator: 0x2F)
    let right = RequestTarget.split(right).path.split(separator: 0x2F)
    let same = zip(left, right).count(where: { $0.elementsEqual($1) })
    let isFirstSame = zip(left, right).first { _, _ in true }.map { $0.elementsEqual($1) } ?? true
    return max(left.count, right.count) - same + (isFirstSame ? 0 : 1)
  }
}
