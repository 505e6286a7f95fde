import FixtureHTTP

/// Whether the value of a JSON member is a secret, and how much of it.
private enum Secrecy: Equatable {
  case no
  /// A string, or the strings of an array: a name of the defaults.
  case strings
  /// A string with the shape of a Google API key.
  case googleKey
  /// Strings and numbers, however deep: somebody asked for it.
  case all
}

/// A container that is open.
private struct Container {
  /// What its elements are; in an object, what no name says otherwise.
  let secrecy: Secrecy
  /// In the tree of places that were asked for; nil when none is below.
  let node: Int?
  let path: UInt64
  /// How many elements of an array have begun; nil in an object.
  var elements: Int?
}

/// Where the next value stands.
private struct ValuePlace {
  var secrecy: Secrecy
  var node: Int?
  var path: UInt64
}

extension ContentSecrets {
  /// - Parameter isSecret: whether all of it is.
  /// - Returns: false when it is no JSON; then nothing was found.
  mutating func json(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, path: UInt64, isSecret: Bool = false,
    _ replacement: Replacement
  ) -> Bool {
    let mark = mark
    var scanner = JSONScanner(bytes)
    var containers: [Container] = []
    var next = ValuePlace(
      secrecy: isSecret ? .all : .no, node: rules.jsonPlaces.root, path: path)
    var text: [UInt8] = []
    while true {
      let token = scanner.next()
      switch token {
      case .end: return true
      case .invalid:
        back(to: mark)
        return false
      case .name:
        text.removeAll(keepingCapacity: true)
        JSONString.appendText(of: scanner.span, in: bytes, to: &text)
        next = place(ofMember: text, in: containers[containers.count - 1])
      case .objectEnd, .arrayEnd: containers.removeLast()
      case .object, .array:
        let place = takePlace(&containers, next)
        let isArray = if case .array = token { true } else { false }
        let secrecy: Secrecy =
          place.secrecy == .all || isArray && place.secrecy == .strings ? place.secrecy : .no
        containers.append(
          Container(
            secrecy: secrecy, node: place.node, path: place.path, elements: isArray ? 0 : nil))
      case .string:
        let place = takePlace(&containers, next)
        string(scanner.span, in: bytes, at: offset, place, &text, replacement)
      case .number:
        let place = takePlace(&containers, next)
        if place.secrecy == .all { number(scanner.span, in: bytes, at: offset, place.path) }
      case .true, .false, .null: _ = takePlace(&containers, next)
      }
    }
  }

  private func place(ofMember name: [UInt8], in container: Container) -> ValuePlace {
    let path = StableHash.mix(container.path, StableHash.value(of: name))
    let node = container.node.flatMap { rules.jsonPlaces.child(of: $0, name) }
    if container.secrecy == .all || node.map({ rules.jsonPlaces.isEnd($0) }) ?? false {
      return ValuePlace(secrecy: .all, node: nil, path: path)
    }
    return ValuePlace(secrecy: secrecy(ofName: name), node: node, path: path)
  }

  private func secrecy(ofName name: [UInt8]) -> Secrecy {
    name.withUnsafeBytes { name in
      if rules.isAdded(jsonName: name) { return .all }
      if rules.isDefault(contentName: name) { return .strings }
      return RedactionRules.isKeyName(name) ? .googleKey : .no
    }
  }

  /// The place of the value that begins now.
  private func takePlace(_ containers: inout [Container], _ next: ValuePlace) -> ValuePlace {
    guard let container = containers.last, let element = container.elements else { return next }
    containers[containers.count - 1].elements = element + 1
    let path = StableHash.mix(container.path, UInt64(element))
    let node = container.node.flatMap { rules.jsonPlaces.child(of: $0, String(element).utf8) }
    let isNamed = node.map { rules.jsonPlaces.isEnd($0) } ?? false
    return ValuePlace(
      secrecy: isNamed ? .all : container.secrecy, node: isNamed ? nil : node, path: path)
  }

  private mutating func string(
    _ span: JSONScanner.Span, in bytes: UnsafeRawBufferPointer, at offset: Int,
    _ place: ValuePlace, _ text: inout [UInt8], _ replacement: Replacement
  ) {
    guard span.end > span.start else { return }
    let raw = UnsafeRawBufferPointer(rebasing: bytes[span.range])
    let mayHold = place.secrecy != .no || Self.mayHoldSecrets(raw, isEscaped: span.isEscaped)
    guard mayHold else { return }
    text.removeAll(keepingCapacity: true)
    JSONString.appendText(of: span, in: bytes, to: &text)
    let range = (offset + span.start)..<(offset + span.end)
    let isSecret =
      switch place.secrecy {
      case .no: false
      case .strings, .all: true
      case .googleKey: text.withUnsafeBytes { RedactionRules.isGoogleKeyOrPlaceholder($0) }
      }
    if isSecret {
      found(text, at: place.path)
      replace(range, by: replacement(text))
    } else {
      replace(range, by: inner(text, at: place.path, replacement).map { JSONString.escaped($0) })
    }
  }

  /// A number stays one: 0.
  private mutating func number(
    _ span: JSONScanner.Span, in bytes: UnsafeRawBufferPointer, at offset: Int, _ path: UInt64
  ) {
    if span.end == span.start + 1, bytes[span.start] == 0x30 { return }
    replace((offset + span.start)..<(offset + span.end), by: [0x30])
  }

  /// Whether a string may be a reference with secrets, or JSON.
  private static func mayHoldSecrets(_ raw: UnsafeRawBufferPointer, isEscaped: Bool) -> Bool {
    if isEscaped, raw[0] == 0x7B || raw[0] == 0x5B { return true }
    guard
      raw[0].isLetter || raw[0] == 0x2F || raw[0] == 0x3F || raw[0] == 0x23
        || raw[0] == 0x5C
    else { return false }
    return raw.contains { $0 == 0x3F || $0 == 0x23 || $0 == 0x40 || $0 == 0x5C }
  }

  /// Reads what is nearly JSON: a name in quotes, a colon, a string in quotes.
  /// - Parameter isWhole: whether it should be JSON, not only hold some.
  mutating func loose(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, isWhole: Bool = true,
    _ replacement: Replacement
  ) {
    // Where a pointer leads can't be told.
    if isWhole, rules.jsonPlaces.root != nil { missed() }
    var secrecy = Secrecy.no
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == 0x22 else {
        let isBetween = byte <= 0x20 || byte == 0x3A || byte == 0x5B
        if !isBetween { secrecy = .no }
        index += 1
        continue
      }
      let start = index + 1
      let end = Self.stringEnd(in: bytes, from: start)
      let span = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      index = min(end + 1, bytes.count)
      if Self.isName(endingAt: index, in: bytes) {
        secrecy = self.secrecy(ofName: Array(span))
        continue
      }
      let isSecret =
        secrecy == .all || secrecy == .strings
        || secrecy == .googleKey && RedactionRules.isGoogleKeyOrPlaceholder(span)
      if isSecret, !span.isEmpty {
        found(Array(span), at: 0)
        replace((offset + start)..<(offset + end), by: replacement(Array(span)))
      }
      secrecy = .no
    }
  }

  /// Where the closing quotation mark is, or the end.
  private static func stringEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != 0x22 { index += bytes[index] == 0x5C ? 2 : 1 }
    return min(index, bytes.count)
  }

  private static func isName(endingAt end: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
    bytes[end...].first { $0 > 0x20 } == 0x3A
  }
}
