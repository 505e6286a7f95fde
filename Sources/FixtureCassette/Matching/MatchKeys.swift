import FixtureHTTP

/// Makes the key by which a request finds its recordings: equal keys, same question asked.
///
/// A key holds the method, the upstream's name, the path exactly as sent and the query as
/// form-decoded pairs, as far as the options ask for them. Not part of it: the order between
/// different names (within a name it counts), the spelling of escapes in the query, field values,
/// and what stands in a redacted place.
///
/// A class, because every pair of every query asks for its parts, and copying it would retain all.
package final class MatchKeys: Sendable {
  /// nil when the cassette was recorded without redaction: then no place is left out.
  package let rules: RedactionRules?
  /// Those of `rules`, copies of its own: threads that count references to one set are slow.
  let queryNames: NameSet?
  let fieldNames: NameSet?
  package let options: MatchOptions
  package let contents: ContentKeys
  package let fields: FieldKeys
  private let ignoredQueryNames: Set<[UInt8]>
  /// Whether there are `rules`: to ask those themselves copies all of them.
  private let leavesOutSecrets: Bool

  package init(description: CassetteDescription, options: MatchOptions = .init()) {
    rules = description.redactions.map { RedactionRules(stored: $0) }
    queryNames = rules?.queryNames.copy()
    fieldNames = rules?.fieldNames.copy()
    self.options = options
    contents = ContentKeys(ignoring: options.ignoredPlaces, rules: rules)
    fields = FieldKeys(rules: rules)
    ignoredQueryNames = Set(options.ignoredQueryNames)
    leavesOutSecrets = rules != nil
  }

  /// Appends the canonical bytes of a request; parts but the last are length-prefixed, so that
  /// different requests never give equal bytes.
  ///
  /// A target in absolute form has the key of its origin form (RFC 9112 §3.2.2).
  package func appendKey(
    method: Method, target: [UInt8], upstream: String?, to key: inout [UInt8]
  ) {
    target.withUnsafeBytes {
      appendKey(method: method, target: $0, upstream: upstream, to: &key)
    }
  }

  /// As the other one, for a target that lies elsewhere.
  package func appendKey(
    method: Method, target: UnsafeRawBufferPointer, upstream: String?, to key: inout [UInt8]
  ) {
    withKey(method: method, target: target, upstream: upstream) { bytes, _ in
      key.append(contentsOf: bytes)
    }
  }

  /// Calls `body` with the bytes that `appendKey` appends, valid only inside it, and whether a
  /// placeholder stands where no rule names a place.
  @inline(__always)
  func withKey<Result>(
    method: Method, target: UnsafeRawBufferPointer, upstream: String?,
    _ body: (UnsafeRawBufferPointer, _ hidesSecrets: Bool) -> Result
  ) -> Result {
    let result = withKey(method, target, upstream) { key in
      key.hidesSecrets ? nil : body(key.bytes, false)
    }
    if let result { return result }
    // Any of them is as good there as any other, and as what a live request's secret becomes.
    let target = Array(target)
    return (Placeholder.withoutNumbers(target) ?? target).withUnsafeBytes { target in
      withKey(method, target, upstream) { body($0.bytes, true) }
    }
  }

  @inline(__always)
  private func withKey<Result>(
    _ method: Method, _ target: UnsafeRawBufferPointer, _ upstream: String?,
    _ body: (KeyWriter) -> Result
  ) -> Result {
    let parts = RequestTarget.split(target)
    var room =
      16 + (upstream?.utf8.count ?? 0) + parts.path.count
      + PairsForm.bytesMax(parts.query?.count ?? 0)
    while true {
      let result = withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { buffer in
        var key = KeyWriter(buffer)
        key.mayHideSecrets = leavesOutSecrets && Placeholder.mayOccur(in: target)
        write(method, target, parts, upstream, to: &key)
        return key.isComplete ? body(key) : nil
      }
      if let result { return result }
      // A method of its own, or a `REDACTED` that is longer than its secret.
      room *= 4
    }
  }

  private func write(
    _ method: Method, _ target: UnsafeRawBufferPointer,
    _ parts: (path: Range<Int>, query: Range<Int>?), _ upstream: String?, to key: inout KeyWriter
  ) {
    if options.method {
      method.write(to: &key)
    } else {
      // What answers HEAD has no content, and what answers others has.
      key.append(method == .head ? 1 : 0)
    }
    let query = parts.query.flatMap { counted(UnsafeRawBufferPointer(rebasing: target[$0])) }
    key.append((upstream == nil ? 0 : 1) | (query == nil ? 0 : 2))
    if let upstream {
      let start = key.beginPart()
      key.append(Array(upstream.utf8))
      key.endPart(from: start)
    }
    let start = query == nil ? 0 : key.beginPart()
    if !options.path {
      // No path at all: even an empty one has a byte.
    } else if parts.path.isEmpty, !target.isEmpty {
      key.append(method == .options && parts.query == nil ? 0x2A : 0x2F)
    } else {
      let path = UnsafeRawBufferPointer(rebasing: target[parts.path])
      key.append(path)
      key.lookForHiddenSecrets(in: path)
    }
    guard let query else { return }
    key.endPart(from: start)
    write(query, to: &key)
  }

  /// Pairs in the order of their names.
  private func write(_ query: UnsafeRawBufferPointer, to key: inout KeyWriter) {
    let ignored = ignoredQueryNames
    PairsForm.write(query, to: &key) { name, value, key in
      if !ignored.isEmpty, ignored.contains(Array(key.bytes(name))) { return false }
      leaveOutSecrets(name: name, value: value, in: &key)
      return true
    }
  }

  /// The query, unless it does not count: no query is asked for, or all its pairs are ignored,
  /// which is as good as none.
  private func counted(_ query: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard options.query else { return nil }
    guard !ignoredQueryNames.isEmpty else { return query }
    let pairs = QueryPairs.pairs(Array(query)[...])
    return pairs.isEmpty || pairs.contains { !ignoredQueryNames.contains($0.name) } ? query : nil
  }

  /// Whether the pairs of a decoded name do not count.
  func ignoresQuery(_ name: [UInt8]) -> Bool { ignoredQueryNames.contains(name) }

  /// As the other one, for a target that lies elsewhere.
  package func placeholders(in target: UnsafeRawBufferPointer) -> [Placeholder?] {
    Placeholder.mayOccur(in: target) ? placeholders(in: Array(target)) : []
  }

  /// What each redacted place of a target holds, in the order of the key: the placeholder, or nil
  /// for anything else; then what stands elsewhere instead of a secret. Empty when none holds one,
  /// which is found out without reading pairs.
  package func placeholders(in target: [UInt8]) -> [Placeholder?] {
    // A client that escapes even letters is matched by presence, as if the value were a secret.
    guard let rules, target.withUnsafeBytes({ Placeholder.mayOccur(in: $0) }) else { return [] }
    let parts = RequestTarget.split(concealingSecrets(in: target))
    var found = options.path ? Placeholder.marks(in: Array(parts.path)) : []
    guard options.query, let query = parts.query else { return Self.telling(found) }
    let pairs = QueryPairs.pairs(query).filter { !ignoredQueryNames.contains($0.name) }
    // As in the key, where names have no numbers.
    let names = pairs.map { Placeholder.withoutNumbers($0.name) ?? $0.name }
    let ordered = pairs.indices.sorted { left, right in
      // By position among equals, because the sort need not be stable.
      names[left] == names[right]
        ? left < right : names[left].lexicographicallyPrecedes(names[right])
    }
    for pair in ordered.lazy.map({ pairs[$0] }) {
      let isPlace = pair.name.withUnsafeBytes { name in
        pair.value.withUnsafeBytes { rules.isPlace(queryName: name, value: $0) }
      }
      found += Placeholder.marks(in: pair.name)
      found += isPlace ? [Placeholder(pair.value)] : Placeholder.marks(in: pair.value)
    }
    return Self.telling(found)
  }

  private static func telling(_ found: [Placeholder?]) -> [Placeholder?] {
    found.contains { $0 != nil } ? found : []
  }

  /// Whether a recording with an equal key may answer: where the live request holds a placeholder
  /// itself, the recording must hold the same one; elsewhere presence is enough, which the key
  /// tells.
  package static func placeholders(
    _ live: [Placeholder?], agreeWith recorded: [Placeholder?]
  ) -> Bool {
    if live.isEmpty { return true }
    return live.count == recorded.count
      && zip(live, recorded).allSatisfy { live, recorded in live == nil || live == recorded }
  }

  /// The target as it may be shown: `REDACTED` instead of every secret.
  package func concealingSecrets(in target: [UInt8]) -> [UInt8] {
    rules?.concealingSecrets(in: target) ?? target
  }
}

extension RedactionRules {
  /// The target as it may be shown: `REDACTED` instead of every secret that is no placeholder.
  package func concealingSecrets(in target: [UInt8]) -> [UInt8] {
    ReferenceSecrets(rules: self).replacing(inTarget: target) { secret in
      Placeholder(secret) == nil ? Array("REDACTED".utf8) : nil
    } ?? target
  }
}

extension MatchKeys {
  /// Leaves the value out when it is a redacted place, and secrets inside it when it is a
  /// reference.
  private func leaveOutSecrets(name: Range<Int>, value: Range<Int>, in key: inout KeyWriter) {
    guard let queryNames else { return }
    if RedactionRules.isPlace(
      queryName: key.bytes(name), value: key.bytes(value), among: queryNames)
    {
      return key.leaveOut(from: value.lowerBound)
    }
    defer {
      if key.mayHideSecrets {
        key.lookForHiddenSecrets(in: key.bytes(name.lowerBound..<key.count))
      }
    }
    // Without one of `@`, `?`, `#` a reference has no part that holds secrets.
    guard key.bytes(value).contains(where: { $0 == 0x40 || $0 == 0x3F || $0 == 0x23 }),
      let rules
    else { return }
    let concealed = ReferenceSecrets(rules: rules).replacing(
      inNestedReference: Array(key.bytes(value))[...], by: { _ in Array("REDACTED".utf8) })
    if let concealed { key.replace(from: value.lowerBound, by: concealed) }
  }
}

extension Method {
  /// One byte for a registered method, so that none is spelled out for each request.
  fileprivate func write(to key: inout KeyWriter) {
    switch self {
    case .get: key.append(1)
    case .head: key.append(2)
    case .post: key.append(3)
    case .put: key.append(4)
    case .delete: key.append(5)
    case .connect: key.append(6)
    case .options: key.append(7)
    case .trace: key.append(8)
    case .patch: key.append(9)
    case .other(let bytes):
      key.append(0)
      let start = key.beginPart()
      key.append(bytes)
      key.endPart(from: start)
    }
  }
}
