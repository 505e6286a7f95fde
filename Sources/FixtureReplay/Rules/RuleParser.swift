import FixtureCassette
import FixtureHTTP

extension Rule {
  /// Parses one line.
  /// - Parameter line: its number, for errors.
  /// - Throws: the first thing that is wrong.
  package init(parsing text: some Collection<UInt8>, line: Int = 1) throws(RuleError) {
    var scanner = RuleScanner(Array(text), line: line)
    let pattern = try RulePatternParser.parse(&scanner)
    var rule = Rule(pattern, faults: [])
    var reader = try ClauseReader(&scanner)
    repeat {
      try reader.clause(into: &rule)
    } while try reader.continues()
    try reader.finish(rule)
    self = rule
  }
}

/// The first words of clauses.
enum ConditionWord: String, CaseIterable {
  case first, nth, from, every, after, `for`, chance, with, without, `while`
}

enum FaultWord: String, CaseIterable {
  case delay, pause, trickle, rate, stall, hang, hold, network
  case status
  case retryAfter = "retry-after"
  case body, set, add, remove, json, etag, age
  case lastModified = "last-modified"
  case expires, redirect, challenge, corrupt
  case reset, close, truncate, malformed
  case keepAlive = "keep-alive"
  case upload, early, `continue`, quota, idempotency, refuse, blackhole, connections
  case raise, clear
}

extension FaultWord {
  /// What a word is about.
  enum Subject {
    /// When parts of the answer come.
    case timing
    /// An answer without a recording.
    case answer
    /// What a recorded or made answer says.
    case response
    /// How the answer and its connection end, and what is broken on the way.
    case ending
    /// How the request's content is read, which must be known before.
    case reading
    /// What a repeated request gets.
    case `repeat`
    /// Connections, whatever is asked on them.
    case connections
    case flags
  }

  var subject: Subject {
    switch self {
    case .delay, .pause, .trickle, .rate, .stall, .hold, .network: .timing
    case .status, .redirect, .challenge, .early, .quota: .answer
    case .retryAfter, .body, .set, .add, .remove, .json, .etag, .age, .lastModified, .expires,
      .corrupt:
      .response
    case .hang, .reset, .close, .truncate, .malformed, .keepAlive: .ending
    case .upload, .continue: .reading
    case .idempotency: .repeat
    case .refuse, .blackhole, .connections: .connections
    case .raise, .clear: .flags
    }
  }
}

/// Reads clauses, word by word.
struct ClauseReader {
  private let scanner: RuleScanner
  private let tokens: [RuleToken]
  private var index = 0
  /// Of the first fault's first word.
  private var positions: [(word: FaultWord, token: RuleToken)] = []

  private static let words =
    ConditionWord.allCases.map(\.rawValue) + FaultWord.allCases.map(\.rawValue)

  /// Takes all of what is left of the line.
  init(_ scanner: inout RuleScanner) throws(RuleError) {
    var tokens: [RuleToken] = []
    repeat {
      tokens.append(try scanner.token())
    } while tokens[tokens.count - 1].kind != .end
    self.tokens = tokens
    self.scanner = scanner
  }

  mutating func clause(into rule: inout Rule) throws(RuleError) {
    let token = next()
    if let word = token.keyword.flatMap(ConditionWord.init(rawValue:)) {
      guard rule.faults.isEmpty else {
        throw error("\(word.rawValue) says when, and stands before what happens", at: token)
      }
      rule.when.append(try condition(word))
    } else if let word = token.keyword.flatMap(FaultWord.init(rawValue:)) {
      positions.append((word, token))
      rule.faults.append(try fault(word))
    } else {
      let expected =
        rule.faults.isEmpty ? "when or what, such as first 3 or status 503" : "what happens"
      throw self.expected(expected, at: token, among: Self.words)
    }
  }

  /// - Returns: whether another clause follows.
  mutating func continues() throws(RuleError) -> Bool {
    let token = next()
    switch token.kind {
    case .comma: return true
    case .end: return false
    case .word, .quoted: throw expected("a comma or the end of the line", at: token)
    }
  }

  /// What a rule must keep as a whole.
  func finish(_ rule: Rule) throws(RuleError) {
    guard !rule.faults.isEmpty else {
      throw expected("a comma and what happens, such as status 503", at: tokens[tokens.count - 1])
    }
    for (fault, place) in zip(rule.faults, positions) {
      if let reason = rule.objection(to: fault) { throw error(reason, at: place.token) }
    }
  }

  // MARK: Words

  mutating func next() -> RuleToken {
    let token = tokens[index]
    if token.kind != .end { index += 1 }
    return token
  }

  var upcoming: RuleToken { tokens[index] }

  /// Whether the clause goes on.
  var hasMore: Bool { upcoming.kind == .word || upcoming.kind == .quoted }

  func expected(
    _ expected: String, at token: RuleToken, among words: [String] = []
  ) -> RuleError {
    scanner.expected(expected, at: token, among: words)
  }

  func error(_ reason: String, at token: RuleToken) -> RuleError {
    scanner.error(.senseless(reason), at: token.position)
  }

  /// The next word as a value.
  mutating func value<Value>(
    _ what: String, among words: [String] = [], _ parse: (RuleToken) -> Value?
  ) throws(RuleError) -> Value {
    let token = next()
    guard token.kind == .word || token.kind == .quoted, let value = parse(token) else {
      throw expected(what, at: token, among: words)
    }
    return value
  }

  /// A word of the language that must stand here.
  mutating func keyword(_ word: String) throws(RuleError) {
    try value(word, among: [word]) { $0.keyword == word ? () : nil }
  }

  /// Takes a word of the language if it stands here.
  mutating func takes(_ word: String) -> Bool {
    guard upcoming.keyword == word else { return false }
    index += 1
    return true
  }

  /// One of the words of an enumeration.
  mutating func one<Word: RawRepresentable & CaseIterable>(
    of type: Word.Type
  ) throws(RuleError) -> Word where Word.RawValue == String {
    let words = Word.allCases.map(\.rawValue)
    return try value(Self.alternatives(words), among: words) {
      $0.keyword.flatMap(Word.init(rawValue:))
    }
  }

  static func alternatives(_ words: [String]) -> String {
    guard words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
  }

  // MARK: Values

  mutating func time() throws(RuleError) -> Duration {
    try value(RuleUnits.timeExpected) { RuleUnits.time($0.text[...]) }
  }

  mutating func size() throws(RuleError) -> ByteCount {
    try value(RuleUnits.sizeExpected) { RuleUnits.size($0.text[...]) }
  }

  mutating func rate() throws(RuleError) -> ByteRate {
    try value(RuleUnits.rateExpected) { RuleUnits.rate($0.text[...]) }
  }

  mutating func percentage() throws(RuleError) -> Proportion {
    try value(RuleUnits.percentExpected) { RuleUnits.percent($0.text[...]) }
  }

  mutating func number() throws(RuleError) -> Int64 {
    try value("a whole number, from 1") { Self.number($0) }
  }

  static func number(_ token: RuleToken) -> Int64? {
    guard let count = RuleUnits.count(token.text[...]), count > 0 else { return nil }
    return count
  }

  /// All the numbers that follow, at least one.
  mutating func numbers() throws(RuleError) -> [Int64] {
    var numbers = [try number()]
    while hasMore, let more = Self.number(upcoming) {
      numbers.append(more)
      index += 1
    }
    return numbers
  }

  mutating func status() throws(RuleError) -> Int {
    try value("a status from 200 to 599") { token in
      RuleUnits.count(token.text[...]).flatMap { (200...599).contains($0) ? Int($0) : nil }
    }
  }

  mutating func extent() throws(RuleError) -> Extent {
    try value("a size or a percentage, for example 500KB or 50%") { token in
      if let portion = RuleUnits.percent(token.text[...]) { return .portion(portion) }
      return RuleUnits.size(token.text[...]).map { .bytes($0) }
    }
  }

  mutating func fieldName() throws(RuleError) -> [UInt8] {
    try value("the name of a field") { token in
      token.text.isEmpty || !token.text.allSatisfy(\.isTokenCharacter) ? nil : token.text
    }
  }

  mutating func fieldValue() throws(RuleError) -> [UInt8] {
    try value("the value of a field, in one line, without white space at its ends") { token in
      let value = token.text
      guard value.allSatisfy(\.isFieldValueByte),
        value.trimmingOptionalWhitespace.count == value.count
      else { return nil }
      return value
    }
  }

  mutating func pointer() throws(RuleError) -> JSONPointer {
    try value("a JSON pointer, for example /items/0/id") { JSONPointer($0.text) }
  }

  mutating func json() throws(RuleError) -> JSONLiteral {
    try value("a JSON value or a text") { JSONLiteral(written: $0.text) }
  }

  /// A name that a rule gives to something.
  mutating func name(of what: String) throws(RuleError) -> String {
    try value("the name of \(what), of letters, digits, -, _ and .") { token in
      let isName =
        !token.text.isEmpty && token.text.allSatisfy { $0.isLetter || $0.isDigit || $0.isNameMark }
      return isName ? String(decoding: token.text, as: UTF8.self) : nil
    }
  }

  mutating func flag() throws(RuleError) -> Flag { Flag(try name(of: "a flag")) }

  /// `at SIZE`, `at P%`, `in head`, `before PHASE`, `after PHASE`; nil when the clause ends here.
  mutating func optionalPoint() throws(RuleError) -> Point? { hasMore ? try point() : nil }

  mutating func point() throws(RuleError) -> Point {
    let words = ["at", "in", "before", "after"]
    let word = try value("at, in head, before or after", among: words) { token in
      token.keyword.flatMap { words.contains($0) ? $0 : nil }
    }
    switch word {
    case "at": return .at(try extent())
    case "in":
      try keyword("head")
      return .inHead
    case "before": return .before(try one(of: Phase.self))
    default: return .after(try one(of: Phase.self))
    }
  }
}

extension UInt8 {
  fileprivate var isNameMark: Bool { self == 0x2D || self == 0x5F || self == 0x2E }
}
