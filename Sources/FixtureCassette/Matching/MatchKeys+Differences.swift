import FixtureHTTP

extension MatchKeys {
  /// What differs between two requests in what the key is made of, and in the placeholders that
  /// stand in redacted places of their targets.
  package func appendDifferences(
    recorded: (method: Method, target: [UInt8], upstream: String?),
    asked: (method: Method, target: [UInt8], upstream: String?), to found: inout Differences
  ) {
    if recorded.upstream != asked.upstream {
      found.append(
        Difference(
          .upstream, recorded: recorded.upstream.map { ValueExcerpt($0) },
          asked: asked.upstream.map { ValueExcerpt($0) }, change: nil))
    }
    let isHead = (recorded.method == .head, asked.method == .head)
    if options.method ? recorded.method != asked.method : isHead.0 != isHead.1 {
      found.append(
        Difference(
          .method, recorded: ValueExcerpt(recorded.method.bytes),
          asked: ValueExcerpt(asked.method.bytes),
          change: isHead.0 == isHead.1 ? "-method" : nil))
    }
    appendPath(recorded.target, asked.target, to: &found)
    if options.query { appendQuery(recorded.target, asked.target, to: &found) }
  }

  private func appendPath(
    _ recorded: [UInt8], _ asked: [UInt8], to found: inout Differences
  ) {
    guard options.path else { return }
    let left = Self.path(of: recorded)
    let right = Self.path(of: asked)
    let shown = Self.concealed(right, like: left)
    let isSame = rules == nil ? left == right : Placeholder.isText(left, sameAs: right)
    guard !isSame else { return }
    // To disregard paths would answer anything with anything.
    found.append(
      Difference(.path, recorded: ValueExcerpt(left), asked: ValueExcerpt(shown), change: nil))
  }

  /// A target as it may be shown beside a recorded one: where that has lost a secret, in a segment
  /// of the path or a value of the query, something that may be one stands in this.
  package static func concealed(_ target: [UInt8], like recorded: [UInt8]) -> [UInt8] {
    guard recorded.withUnsafeBytes({ Placeholder.mayOccur(in: $0) }) else { return target }
    let (own, other) = (RequestTarget.split(target), RequestTarget.split(recorded))
    let segments = own.path.split(separator: 0x2F, omittingEmptySubsequences: false)
    let others = other.path.split(separator: 0x2F, omittingEmptySubsequences: false)
    var result = Array(target[..<own.path.startIndex])
    if segments.count == others.count {
      let shown: [[UInt8]] = zip(segments, others).map { segment, other in
        isHidden(segment, like: other) ? Placeholder.anonymous : Array(segment)
      }
      result += Array(shown.joined(separator: [0x2F]))
    } else {
      result += own.path
    }
    guard let query = own.query else { return result }
    let pairs = other.query?.split(separator: 0x26) ?? []
    result.append(0x3F)
    let shown: [[UInt8]] = query.split(separator: 0x26, omittingEmptySubsequences: false).map {
      let name = $0.prefix { $0 != 0x3D }
      let pair = $0
      let isSecret = pairs.contains {
        $0.prefix { $0 != 0x3D }.elementsEqual(name) && isHidden(pair, like: $0)
      }
      return isSecret ? Array(name) + [0x3D] + Placeholder.anonymous : Array(pair)
    }
    result += Array(shown.joined(separator: [0x26]))
    return result
  }

  /// The target without what looks like a credential in it, also spelled with escapes.
  package static func withoutCredentials(_ target: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var start = 0
    while start <= target.count {
      let end = target[start...].firstIndex { [0x2F, 0x3F, 0x26, 0x3D].contains($0) }
      let piece = Array(target[start..<(end ?? target.count)])
      let decoded = PercentEncoding.decoded(piece[...])
      let shown = CredentialShape.concealed(decoded)
      result += shown == decoded ? piece : PercentEncoding.encoded(shown)
      guard let end else { break }
      result.append(target[end])
      start = end + 1
    }
    // A password in a URL has slashes before it.
    return CredentialShape.concealed(result)
  }

  private static func isHidden(_ text: ArraySlice<UInt8>, like other: ArraySlice<UInt8>) -> Bool {
    other.withUnsafeBytes { Placeholder.mayOccur(in: $0) }
      && !text.withUnsafeBytes { Placeholder.mayOccur(in: $0) }
  }

  private static func path(of target: [UInt8]) -> [UInt8] {
    let path = Array(RequestTarget.split(target).path)
    return path.isEmpty ? [0x2F] : path
  }

  private func appendQuery(
    _ recorded: [UInt8], _ asked: [UInt8], to found: inout Differences
  ) {
    let before = found.count
    let left = comparedQuery(recorded)
    let right = comparedQuery(asked)
    // One without pairs is not the same as one whose pairs are all ignored, which is none.
    let isOneEmpty = (left?.isEmpty ?? false) != (right?.isEmpty ?? false)
    PairDifferences.append(
      recorded: left ?? [], asked: right ?? [], to: &found, place: { .query($0) },
      change: { isOneEmpty ? "-query" : MatchWord.change(ignoringQuery: $0) })
    guard found.count == before, (left == nil) != (right == nil) else { return }
    let empty = ValueExcerpt("an empty one")
    found.append(
      Difference(
        .queryPresence, recorded: left.map { _ in empty }, asked: right.map { _ in empty },
        change: "-query"))
  }

  /// nil when there is none that counts.
  private func comparedQuery(_ target: [UInt8]) -> [PairDifferences.Pair]? {
    guard let query = RequestTarget.split(target).query else { return nil }
    let pairs = PairDifferences.pairs(query, rules)
    let counted = pairs.filter { !ignoresQuery($0.name) }
    return pairs.isEmpty || !counted.isEmpty ? counted : nil
  }

  /// What differs between the fields that are asked for.
  package func appendDifferences(
    recorded: FieldSection, asked: FieldSection, to found: inout Differences
  ) {
    for name in options.fields where !fields.areSame(name, recorded: recorded, asked: asked) {
      let change = "-" + MatchWord.header(name).text
      found.append(
        Difference(
          .field(name), recorded: fields.excerpt(name, of: recorded),
          asked: fields.excerpt(name, of: asked), change: change))
    }
  }
}

extension FieldKeys {
  fileprivate func areSame(
    _ name: [UInt8], recorded: FieldSection, asked: FieldSection
  ) -> Bool {
    var left: [UInt8] = []
    var right: [UInt8] = []
    append(name, of: recorded, to: &left)
    append(name, of: asked, to: &right)
    return left == right
      && MatchKeys.placeholders(
        placeholders(name, of: asked), agreeWith: placeholders(name, of: recorded))
  }

  /// Its lines as one value, without secrets; placeholders stay. nil when it is not there.
  fileprivate func excerpt(_ name: [UInt8], of fields: FieldSection) -> ValueExcerpt? {
    let values = shown(name, of: fields)
    return values.isEmpty ? nil : ValueExcerpt(Array(values.joined(separator: [0x2C, 0x20])))
  }
}
