import FixtureHTTP

/// Makes the key by which a request finds its recordings: equal keys, same question asked.
///
/// A key holds the method, the upstream's name, the path exactly as sent and the query as
/// form-decoded pairs. Not part of it: the order between different names (within a name it counts),
/// the spelling of escapes in the query, field values, and what stands in a redacted place.
package struct MatchKeys: Sendable {
  /// nil when the cassette was recorded without redaction: then no place is left out.
  package let rules: RedactionRules?

  package init(description: CassetteDescription) {
    rules = description.redactions.map { RedactionRules(stored: $0) }
  }

  /// Appends the canonical bytes of a request; parts but the last are length-prefixed, so that
  /// different requests never give equal bytes.
  ///
  /// A target in absolute form has the key of its origin form (RFC 9112 §3.2.2). Without a query
  /// nothing is allocated but what `key` needs to grow.
  package func appendKey(
    method: Method, target: [UInt8], upstream: String?, to key: inout [UInt8]
  ) {
    method.appendKey(to: &key)
    target.withUnsafeBytes { target in
      let parts = RequestTarget.split(target)
      key.append(MatchKeys.form(hasUpstream: upstream != nil, hasQuery: parts.query != nil))
      if let upstream { key.appendPrefixed(upstream.utf8) }
      let start = key.count
      if parts.query != nil { key.appendPrefixed(EmptyCollection()) }
      if parts.path.isEmpty, !target.isEmpty {
        key.append(method == .options && parts.query == nil ? 0x2A : 0x2F)
      } else {
        key.append(contentsOf: UnsafeRawBufferPointer(rebasing: target[parts.path]))
      }
      guard let query = parts.query else { return }
      let path = (start + 4)..<key.count
      key.setPrefix(of: path, to: UInt32(path.count))
      append(query: UnsafeRawBufferPointer(rebasing: target[query]), to: &key)
    }
  }

  private static func form(hasUpstream: Bool, hasQuery: Bool) -> UInt8 {
    (hasUpstream ? 1 : 0) | (hasQuery ? 2 : 0)
  }

  /// What each redacted place of a target holds, in the order of the key: the placeholder, or nil
  /// for anything else. Empty when no place holds one, which is found out without reading pairs.
  package func placeholders(in target: [UInt8]) -> [Placeholder?] {
    // A client that escapes even letters is matched by presence, as if the value were a secret.
    guard let rules, Placeholder.mayOccur(in: target),
      let query = RequestTarget.split(target).query
    else { return [] }
    let places = QueryPairs.pairs(query).filter { pair in
      pair.name.withUnsafeBytes { name in
        pair.value.withUnsafeBytes { rules.isPlace(queryName: name, value: $0) }
      }
    }
    // By position among equals, because the sort need not be stable.
    let ordered = places.enumerated().sorted { left, right in
      left.element.name == right.element.name
        ? left.offset < right.offset
        : left.element.name.lexicographicallyPrecedes(right.element.name)
    }
    let found = ordered.map { Placeholder($0.element.value) }
    return found.contains { $0 != nil } ? found : []
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
  /// Where one encoded pair lies in the key.
  private struct Span {
    let start: Int
    let nameEnd: Int
    let end: Int
  }

  /// Pairs in the order of their names.
  private func append(query: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    let start = key.count
    let piecesMax = 1 + query.count(where: { $0 == 0x26 })
    withUnsafeTemporaryAllocation(of: Span.self, capacity: piecesMax) { spans in
      var count = 0
      var pieceStart = 0
      while pieceStart < query.count {
        let end = query[pieceStart...].firstIndex(of: 0x26) ?? query.count
        if end > pieceStart {
          let piece = UnsafeRawBufferPointer(rebasing: query[pieceStart..<end])
          spans.initializeElement(at: count, to: append(piece: piece, to: &key))
          count += 1
        }
        pieceStart = end + 1
      }
      Self.sort(spans[..<count], in: &key, from: start)
    }
  }

  private func append(piece: UnsafeRawBufferPointer, to key: inout [UInt8]) -> Span {
    let equals = piece.firstIndex(of: 0x3D) ?? piece.count
    let start = key.count
    let name = key.appendDecoded(UnsafeRawBufferPointer(rebasing: piece[..<equals]))
    let rawValue = UnsafeRawBufferPointer(rebasing: piece[min(equals + 1, piece.count)...])
    let value = key.appendDecoded(rawValue)
    leaveOutSecrets(name: name, value: value, in: &key)
    return Span(start: start, nameEnd: name.upperBound, end: key.count)
  }

  /// Leaves the value out when it is a redacted place, and secrets inside it when it is a
  /// reference.
  private func leaveOutSecrets(name: Range<Int>, value: Range<Int>, in key: inout [UInt8]) {
    guard let rules else { return }
    let found = key.withUnsafeBytes { bytes in
      let value = UnsafeRawBufferPointer(rebasing: bytes[value])
      return (
        isPlace: rules.isPlace(
          queryName: UnsafeRawBufferPointer(rebasing: bytes[name]), value: value),
        // Without one of `@`, `?`, `#` a reference has no part that holds secrets.
        mayHoldSecrets: value.contains { $0 == 0x40 || $0 == 0x3F || $0 == 0x23 }
      )
    }
    if found.isPlace {
      key.setPrefix(of: value, to: .max)
      key.removeSubrange(value)
    } else if found.mayHoldSecrets,
      let concealed = ReferenceSecrets(rules: rules).replacing(
        inNestedReference: key[value], by: { _ in Array("REDACTED".utf8) })
    {
      key.replaceSubrange(value, with: concealed)
      key.setPrefix(of: value, to: UInt32(concealed.count))
    }
  }

  /// Equal names keep their order, by where they lie.
  private static func sort(
    _ spans: Slice<UnsafeMutableBufferPointer<Span>>, in key: inout [UInt8], from start: Int
  ) {
    guard spans.count > 1 else { return }
    let given = Array(key[start...])
    let isSorted = given.withUnsafeBytes { given in
      var spans = spans
      spans.sort { precedes($0, $1, in: given, from: start) }
      return zip(spans, spans.dropFirst()).allSatisfy { $0.start < $1.start }
    }
    guard !isSorted else { return }
    key.removeSubrange(start...)
    for span in spans { key.append(contentsOf: given[(span.start - start)..<(span.end - start)]) }
  }

  private static func precedes(
    _ left: Span, _ right: Span, in pairs: UnsafeRawBufferPointer, from start: Int
  ) -> Bool {
    var leftIndex = left.start + 4 - start
    var rightIndex = right.start + 4 - start
    while leftIndex < left.nameEnd - start, rightIndex < right.nameEnd - start {
      if pairs[leftIndex] != pairs[rightIndex] { return pairs[leftIndex] < pairs[rightIndex] }
      leftIndex += 1
      rightIndex += 1
    }
    let leftRest = left.nameEnd - start - leftIndex
    let rightRest = right.nameEnd - start - rightIndex
    return leftRest == rightRest ? left.start < right.start : leftRest < rightRest
  }
}

extension [UInt8] {
  /// The count in four bytes, then the bytes.
  fileprivate mutating func appendPrefixed(_ bytes: some Collection<UInt8>) {
    append(count32: UInt32(bytes.count))
    append(contentsOf: bytes)
  }

  /// As `appendPrefixed` with the form-decoded bytes; returns where they lie.
  fileprivate mutating func appendDecoded(_ raw: UnsafeRawBufferPointer) -> Range<Int> {
    append(count32: 0)
    let start = count
    PercentEncoding.appendDecoded(raw, plusIsSpace: true, to: &self)
    setPrefix(of: start..<count, to: UInt32(count - start))
    return start..<count
  }

  /// Overwrites the count before a prefixed part; `max`, which no part is long enough for, says
  /// that a value is present and left out.
  fileprivate mutating func setPrefix(of part: Range<Int>, to number: UInt32) {
    withUnsafeMutableBytes { bytes in
      bytes.storeBytes(
        of: number.littleEndian, toByteOffset: part.lowerBound - 4, as: UInt32.self)
    }
  }

  private mutating func append(count32 number: UInt32) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

extension Method {
  /// One byte for a registered method, so that none is spelled out for each request.
  fileprivate func appendKey(to key: inout [UInt8]) {
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
      key.appendPrefixed(bytes)
    }
  }
}
