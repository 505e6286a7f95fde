import FixtureCassette
import FixtureHTTP

/// Spells words as the parser reads them.
enum RuleText {
  /// A word as it is when it can be, else in quotes.
  static func word(_ bytes: [UInt8]) -> String {
    let isBare = !bytes.isEmpty && bytes.allSatisfy { $0.isBare }
    return isBare ? String(decoding: bytes, as: UTF8.self) : quoted(bytes)
  }

  /// A word that would be one of the language if it stood bare.
  static func word(_ bytes: [UInt8], unless word: String) -> String {
    bytes.elementsEqual(word.utf8) ? quoted(bytes) : self.word(bytes)
  }

  static func quoted(_ bytes: [UInt8]) -> String {
    "\"\(escaped(bytes, special: [0x22, 0x5C]))\""
  }

  /// UTF-8 as it is; what is special with a backslash, what can't be shown as its escape.
  static func escaped(_ bytes: [UInt8], special: Set<UInt8>) -> String {
    let isText = String(validating: bytes, as: UTF8.self) != nil
    var text: [UInt8] = []
    for byte in bytes {
      switch byte {
      case 0x0A: text += [0x5C, 0x6E]
      case 0x0D: text += [0x5C, 0x72]
      case 0x09: text += [0x5C, 0x74]
      case _ where special.contains(byte): text += [0x5C, byte]
      case 0x20..<0x7F: text.append(byte)
      case 0x80... where isText: text.append(byte)
      default:
        text += [
          0x5C, 0x78, PrintableText.hexDigit(byte >> 4), PrintableText.hexDigit(byte & 0xF),
        ]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension UInt8 {
  /// Whether it may stand outside quotes: visible ASCII but `"`, `,` and `\`.
  fileprivate var isBare: Bool {
    self > 0x20 && self < 0x7F && self != 0x22 && self != 0x2C && self != 0x5C
  }
}

extension Rule: CustomStringConvertible {
  /// The line that gives this rule again.
  package var description: String {
    let clauses = when.map(\.description) + faults.map(\.description)
    return "\(pattern): \(clauses.joined(separator: ", "))"
  }
}

extension RulePattern: CustomStringConvertible {
  package var description: String {
    var text = methods.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: "|")
    if !text.isEmpty { text += " " }
    if let authority { text += "//\(authority.text(special: [0x2F]))" }
    guard let path else { return authority == nil ? text + "*" : text }
    var written = path.text(special: [0x3F])
    // Two slashes would begin an authority.
    if authority == nil, written.hasPrefix("//") {
      written.insert("\\", at: written.index(after: written.startIndex))
    }
    text += written
    for (index, pair) in query.enumerated() {
      text += index == 0 ? "?" : "&"
      text += RuleText.escaped(pair.name, special: WildcardText.special.union([0x26, 0x3D]))
      if let value = pair.value { text += "=\(value.text(special: [0x26]))" }
    }
    return text
  }
}

extension WildcardText {
  /// What a pattern can't hold bare: space, `*` and the backslash.
  static let special: Set<UInt8> = [0x20, 0x2A, 0x5C]

  func text(special: Set<UInt8>) -> String {
    parts.map { part in
      switch part {
      case .literal(let bytes): RuleText.escaped(bytes, special: Self.special.union(special))
      case .segment: "*"
      case .all: "**"
      }
    }.joined()
  }
}

extension When: CustomStringConvertible {
  package var description: String {
    switch self {
    case .counted(let counting, let overall): "\(counting)\(overall ? " overall" : "")"
    case .after(let time): "after \(RuleUnits.text(time))"
    case .lasting(let time): "for \(RuleUnits.text(time))"
    case .chance(let portion): "chance \(RuleUnits.percent(portion))"
    case .header(let name, let value?):
      "with header \(RuleText.word(name)) \(RuleText.quoted(value))"
    case .header(let name, nil): "with header \(RuleText.word(name))"
    case .withoutHeader(let name): "without header \(RuleText.word(name))"
    case .json(let place, let value): "with json \(RuleText.word(place.text)) \(value)"
    case .raised(let flag): "while \(flag.name)"
    }
  }
}

extension Counting: CustomStringConvertible {
  package var description: String {
    switch self {
    case .first(let count): "first \(count)"
    case .nth(let numbers): "nth \(RuleText.list(numbers))"
    case .from(let first, to: let last): "from \(first) to \(last)"
    case .every(let count): "every \(count)"
    }
  }
}

extension RuleText {
  fileprivate static func list(_ numbers: [Int64]) -> String {
    numbers.map(String.init).joined(separator: " ")
  }
}

extension JSONLiteral: CustomStringConvertible {
  /// A text without its own quotes where it is read as the same text.
  package var description: String {
    if let string = plainString, JSONLiteral(written: string) == self {
      return RuleText.quoted(string)
    }
    return RuleText.word(text)
  }

  /// The text of a string.
  private var plainString: [UInt8]? {
    text.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      guard case .string = scanner.next() else { return nil }
      var string: [UInt8] = []
      JSONString.appendText(of: scanner.span, in: bytes, to: &string)
      return string
    }
  }
}

extension Fault: CustomStringConvertible {
  package var description: String {
    let words = words
    return words.isEmpty ? word.rawValue : "\(word.rawValue) \(words)"
  }

  /// What stands behind the first word.
  private var words: String {
    switch self {
    case .delay(let delay): delay.description
    case .pause(let time), .age(let time): RuleUnits.text(time)
    case .trickle(let trickle): trickle.description
    case .rate(let rate, let shared): RuleUnits.text(rate) + (shared ? " shared" : "")
    case .stall(let time, let point): "\(RuleUnits.text(time)) \(point)"
    case .hang(let point), .reset(let point), .close(let point):
      point == .standard ? "" : point.description
    case .hold(let gate): gate.name
    case .network(let profile): profile.rawValue
    case .status(let status), .early(let status): "\(status)"
    case .retryAfter(.delay(let time)): RuleUnits.text(time)
    case .retryAfter(.date(let time)): "date \(RuleUnits.text(time))"
    case .body(let body): body.description
    case .set(let name, let value), .add(let name, let value):
      "\(RuleText.word(name)) \(RuleText.quoted(value))"
    case .remove(let name): RuleText.word(name)
    case .json(let place, let value): "\(RuleText.word(place.text)) \(value)"
    case .entityTag(let change): change.description
    case .lastModified(ago: let time), .expires(.ago(let time)): "\(RuleUnits.text(time)) ago"
    case .expires(.after(let time)): RuleUnits.text(time)
    case .redirect(.loop): "loop"
    case .redirect(.to(let target)): RuleText.word(target, unless: "loop")
    case .challenge(let challenge): challenge.rawValue
    case .corrupt(let corruption): corruption.rawValue
    case .truncate(let extent): "at \(extent)"
    case .malformed(let malformation): malformation.rawValue
    case .keepAlive(.off), .continue(.off): "off"
    case .keepAlive(.exchanges(let count)): "\(count)"
    case .keepAlive(.idle(let time)), .continue(.after(let time)): RuleUnits.text(time)
    case .upload(let rate): RuleUnits.text(rate)
    case .quota(let count, per: let time): "\(count)/\(RuleUnits.text(time))"
    case .idempotency(let idempotency): idempotency.rawValue
    case .refuse, .blackhole: ""
    case .connections(let count, let excess): "\(count) \(excess.rawValue)"
    case .raise(let flag), .clear(let flag): flag.name
    }
  }
}

extension Delay: CustomStringConvertible {
  package var description: String {
    switch self {
    case .fixed(let time): RuleUnits.text(time)
    case .between(let first, let last): "\(RuleUnits.text(first))..\(RuleUnits.text(last))"
    case .lognormal(let median, let sigma):
      "lognormal \(RuleUnits.text(median)) sigma \(RuleUnits.factor(sigma))"
    }
  }
}

extension Trickle: CustomStringConvertible {
  package var description: String {
    switch self {
    case .size(let size, every: let time): "\(RuleUnits.text(size))/\(RuleUnits.text(time))"
    case .pieces(let count, over: let time): "\(count) pieces over \(RuleUnits.text(time))"
    }
  }
}

extension Point: CustomStringConvertible {
  package var description: String {
    switch self {
    case .at(let extent): "at \(extent)"
    case .inHead: "in head"
    case .before(let phase): "before \(phase.rawValue)"
    case .after(let phase): "after \(phase.rawValue)"
    }
  }
}

extension Extent: CustomStringConvertible {
  package var description: String {
    switch self {
    case .bytes(let count): RuleUnits.text(count)
    case .portion(let portion): RuleUnits.percent(portion)
    }
  }
}

extension Body: CustomStringConvertible {
  package var description: String {
    switch self {
    case .bytes(let bytes): RuleText.quoted(bytes)
    case .file(let path): "file \(RuleText.word(Array(path.utf8)))"
    case .drawn(let size, let fresh): "size \(RuleUnits.text(size))\(fresh ? " fresh" : "")"
    }
  }
}

extension EntityTagChange: CustomStringConvertible {
  package var description: String {
    let when =
      switch schedule {
      case .every(let count): "every \(count)"
      case .each(let time): "every \(RuleUnits.text(time))"
      case .at(let numbers): "at \(RuleText.list(numbers))"
      }
    return switch content {
    case nil: when
    case .same?: "\(when) same"
    case .next?: "\(when) next"
    case .stamp(let place)?: "\(when) stamp \(RuleText.word(place.text))"
    }
  }
}
