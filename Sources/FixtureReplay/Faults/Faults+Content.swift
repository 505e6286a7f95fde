import FixtureCassette
import FixtureHTTP

// Changes of the content: body, json, corrupt, in this order whatever that of the rules.

extension Encounter {
  /// - Returns: edits that found no place.
  func applyContent(to script: inout Script, _ context: FaultContext) -> [Met] {
    guard script.head != nil else { return [] }
    var unapplied: [Met] = []
    var content = context.content
    var isChanged = false
    if let met = met.last(where: { $0.fault.word == .body }), case .body(let body) = met.fault {
      content = body.bytes(met.bits, context)
      isChanged = true
    }
    for met in met {
      guard case .json(let place, let value) = met.fault else { continue }
      guard let own = content, let edited = JSONPlace.setting(place, to: value.text, in: own) else {
        unapplied.append(met)
        continue
      }
      content = edited
      isChanged = true
    }
    if let tag, case .stamp(let place)? = tag.change.content, let own = content,
      let stamped = JSONPlace.setting(place, to: Array("\(tag.generation)".utf8), in: own)
    {
      content = stamped
      isChanged = true
    }
    if isChanged, let content {
      script.replaceContent(
        with: content, answering: context.method, keepsTag: tag?.change.content == .same)
    }
    if case .corrupt(let corruption)? = met.last(where: { $0.fault.word == .corrupt })?.fault {
      script.corrupt(corruption)
    }
    return unapplied
  }
}

extension Body {
  fileprivate func bytes(_ bits: UInt64, _ context: FaultContext) -> [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .file(let path): context.files[path] ?? []
    case .drawn(let size, fresh: true): Self.drawn(size.bytes, bits)
    case .drawn(let size, fresh: false): context.drawn.bytes(size.bytes, bits)
    }
  }
}

extension Script {
  /// Content without a coding, of known length, whole at once. The recorded digests are those of
  /// other content, and so is the entity tag unless it is to be kept.
  fileprivate mutating func replaceContent(
    with bytes: [UInt8], answering method: Method, keepsTag: Bool
  ) {
    guard let status = head?.status, status != 204, status != 304 else { return }
    changeHead { head in
      head.fields = head.fields.without([
        "transfer-encoding", "content-encoding", "content-length", "content-range", "trailer",
        "content-digest", "repr-digest", "digest", "content-md5",
      ])
      head.fields.append("Content-Length", "\(bytes.count)")
      if keepsTag { return }
      head.fields = head.fields.changing("etag") { tag in
        let hash = StableHash.value(of: bytes)
        let opaque = tag.hasSuffix([0x22]) ? tag.dropLast() : tag
        let suffix = "-\(String(hash, radix: 16))"
        return Array(opaque) + Array(suffix.utf8) + (tag.hasSuffix([0x22]) ? [0x22] : [])
      }
    }
    let isSent = method != .head
    let start = contentStart
    steps.removeSubrange(start...)
    if isSent, !bytes.isEmpty { steps.append(Step(.previous, .zero, .generated(bytes))) }
    steps.append(Step(.previous, .zero, .end))
    framing = isSent ? .length : .none
  }

  fileprivate mutating func corrupt(_ corruption: Corruption) {
    let size = contentSize
    switch corruption {
    case .json:
      // Half of a text is none: whatever it begins with is left open.
      replacePart((size / 2)..<size, with: [])
    case .utf8:
      replacePart((size / 2)..<(size / 2), with: [0xFF, 0xFE])
    case .gzip:
      let middle = size / 2
      replacePart(middle..<min(size, middle + 4), with: [0xFF, 0x00, 0xFF, 0x00])
      changeHead { head in
        guard !head.fields.contains(.contentEncoding) else { return }
        head.fields.append("Content-Encoding", "gzip")
      }
    }
  }

  /// Puts other bytes in the place of a part of the content; framing stays right. An answer
  /// without content keeps its head.
  private mutating func replacePart(_ range: Range<Int64>, with bytes: [UInt8]) {
    guard contentSize > 0 else { return }
    _ = open(at: .at(.bytes(.bytes(range.upperBound))))
    let first = open(at: .at(.bytes(.bytes(range.lowerBound))))
    var passed: Int64 = 0
    var end = first
    while passed < range.upperBound - range.lowerBound {
      passed += steps[end].action.payload?.count ?? 0
      end += 1
    }
    steps.removeSubrange(first..<end)
    if !bytes.isEmpty { steps.insert(Step(.previous, .zero, .generated(bytes)), at: first) }
    let size = contentSize
    changeHead { head in
      head.fields = head.fields.changing("content-length") { _ in Array("\(size)".utf8) }
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool { self.suffix(suffix.count) == suffix[...] }
}

extension FieldSection {
  /// - Parameter names: in lower case.
  func without(_ names: [StaticString]) -> FieldSection {
    mapValues { name, value in
      names.contains { name.equalsIgnoringCase($0.utf8) } ? nil : value
    }
  }

  /// The values of a field replaced.
  func changing(
    _ name: StaticString, _ change: (ArraySlice<UInt8>) -> [UInt8]
  ) -> FieldSection {
    mapValues { own, value in
      own.equalsIgnoringCase(name.utf8) ? change(value)[...] : value
    }
  }

  /// All lines of a name replaced by one, where the first of them was, or at the end.
  mutating func set(_ name: [UInt8], _ value: [UInt8]) {
    var isSet = false
    self = mapValues { own, old in
      guard own.equalsIgnoringCase(name) else { return old }
      defer { isSet = true }
      return isSet ? nil : value[...]
    }
    if !isSet { append(name: name, value: value) }
  }

  mutating func remove(_ name: [UInt8]) {
    self = mapValues { own, value in own.equalsIgnoringCase(name) ? nil : value }
  }
}
