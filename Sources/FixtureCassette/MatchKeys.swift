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

  /// Appends the canonical bytes of a request; parts are length-prefixed, so that different
  /// requests never give equal bytes.
  ///
  /// A target in absolute form has the key of its origin form (RFC 9112 §3.2.2). Without a query
  /// nothing is allocated but what `key` needs to grow.
  package func appendKey(
    method: Method, target: [UInt8], upstream: String?, to key: inout [UInt8]
  ) {
    method.appendKey(to: &key)
    if let upstream {
      key.append(1)
      key.appendPrefixed(upstream.utf8)
    } else {
      key.append(0)
    }
    target.withUnsafeBytes { target in
      let parts = RequestTarget.split(target)
      if parts.path.isEmpty, !target.isEmpty {
        key.appendPrefixed(CollectionOfOne(method == .options && parts.query == nil ? 0x2A : 0x2F))
      } else {
        key.appendPrefixed(UnsafeRawBufferPointer(rebasing: target[parts.path]))
      }
      if let query = parts.query {
        key.append(1)
        append(query: UnsafeRawBufferPointer(rebasing: target[query]), to: &key)
      } else {
        key.append(0)
      }
    }
  }

  /// What each redacted place of a target holds, in the order of the key: the placeholder, or nil
  /// for anything else. Equal keys have equally many places.
  package func placeholders(in target: [UInt8]) -> [Placeholder?] {
    guard let rules, let query = RequestTarget.split(target).query else { return [] }
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
    return ordered.map { Placeholder($0.element.value) }
  }

  /// Whether a recording with an equal key may answer: where the live request holds a placeholder
  /// itself, the recording must hold the same one; elsewhere presence is enough, which the key says.
  package static func placeholders(
    _ live: [Placeholder?], agreeWith recorded: [Placeholder?]
  ) -> Bool {
    live.count == recorded.count
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
    if let rules {
      let isPlace = key.withUnsafeBytes { bytes in
        rules.isPlace(
          queryName: UnsafeRawBufferPointer(rebasing: bytes[name]),
          value: UnsafeRawBufferPointer(rebasing: bytes[value]))
      }
      if isPlace {
        key.setPrefix(of: value, to: .max)
        key.removeSubrange(value)
      } else if let concealed = ReferenceSecrets(rules: rules).replacing(
        inNestedReference: key[value], by: { _ in Array("REDACTED".utf8) })
      {
        key.replaceSubrange(value, with: concealed)
        key.setPrefix(of: value, to: UInt32(concealed.count))
      }
    }
    return Span(start: start, nameEnd: name.upperBound, end: key.count)
  }

  private static func sort(
    _ spans: Slice<UnsafeMutableBufferPointer<Span>>, in key: inout [UInt8], from start: Int
  ) {
    let isSorted = zip(spans, spans.dropFirst()).allSatisfy { left, right in
      !name(of: right, in: key).lexicographicallyPrecedes(name(of: left, in: key))
    }
    guard !isSorted else { return }
    let given = key
    let ordered = spans.sorted { left, right in
      let leftName = name(of: left, in: given)
      let rightName = name(of: right, in: given)
      if leftName.lexicographicallyPrecedes(rightName) { return true }
      return left.start < right.start && leftName == rightName
    }
    key.removeSubrange(start...)
    for span in ordered { key.append(contentsOf: given[span.start..<span.end]) }
  }

  private static func name(of span: Span, in key: [UInt8]) -> ArraySlice<UInt8> {
    key[(span.start + 4)..<span.nameEnd]
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
    self[part.lowerBound - 4] = UInt8(truncatingIfNeeded: number)
    self[part.lowerBound - 3] = UInt8(truncatingIfNeeded: number >> 8)
    self[part.lowerBound - 2] = UInt8(truncatingIfNeeded: number >> 16)
    self[part.lowerBound - 1] = UInt8(truncatingIfNeeded: number >> 24)
  }

  private mutating func append(count32 number: UInt32) {
    append(UInt8(truncatingIfNeeded: number))
    append(UInt8(truncatingIfNeeded: number >> 8))
    append(UInt8(truncatingIfNeeded: number >> 16))
    append(UInt8(truncatingIfNeeded: number >> 24))
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
