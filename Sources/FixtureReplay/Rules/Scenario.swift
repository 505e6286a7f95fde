import FixtureCassette
import FixtureHTTP

/// Rules in order, some of them in sections of which one is chosen.
///
///     seed 42
///     *: delay 100ms..400ms
///     [expired]
///     GET /api/me: nth 2, raise expired
package struct Scenario: Equatable, Sendable {
  package struct Section: Equatable, Sendable {
    package var name: String
    /// Instead of the scenario's.
    package var seed: UInt64?
    package var rules: [Rule]

    package init(name: String, seed: UInt64? = nil, rules: [Rule]) {
      self.name = name
      self.seed = seed
      self.rules = rules
    }
  }

  package var seed: UInt64?
  /// They come before those of whichever section is chosen.
  package var rules: [Rule]
  /// With different names.
  package var sections: [Section]

  package init(seed: UInt64? = nil, rules: [Rule] = [], sections: [Section] = []) {
    self.seed = seed
    self.rules = rules
    self.sections = sections
  }

  /// The rules that are in force: those above all sections, then those of one.
  /// - Parameter name: nil for no section.
  package func section(_ name: String?) throws(SectionError) -> Scenario {
    guard let name else {
      guard !rules.isEmpty || sections.isEmpty else {
        throw .allInSections(sections.map(\.name))
      }
      return Scenario(seed: seed, rules: rules)
    }
    guard let section = sections.first(where: { $0.name == name }) else {
      throw .missing(name, known: sections.map(\.name))
    }
    return Scenario(seed: section.seed ?? seed, rules: rules + section.rules)
  }

  /// Why no rules can be chosen.
  package enum SectionError: Error, Equatable, CustomStringConvertible {
    case missing(String, known: [String])
    /// No rule stands above the sections, and none of them was named.
    case allInSections([String])

    package var description: String {
      switch self {
      case .missing(let name, known: []): "there is no section [\(name)]: it has no sections"
      case .missing(let name, let known):
        "there is no section [\(name)]: its sections are \(known.joined(separator: ", "))"
      case .allInSections(let names):
        "all its rules are in sections, add one of them: #NAME, of "
          + names.joined(separator: ", ")
      }
    }
  }
}

extension [Rule] {
  /// The files that bodies are taken from, as written.
  package var bodyFiles: [String] {
    flatMap(\.faults).compactMap { if case .body(.file(let path)) = $0 { path } else { nil } }
  }
}

extension Rule {
  /// What the rule stands for: itself, or itself and the rules of a `network`.
  package var expanded: [Rule] {
    let profiles = faults.compactMap { fault in
      if case .network(let profile) = fault { profile } else { nil }
    }
    guard let profile = profiles.last else { return [self] }
    var rules = profile.clauses.map { clauses in
      Rule(pattern, when: when + clauses.when, faults: clauses.faults, origin: origin)
    }
    let others = faults.filter { $0.word != .network }
    if !others.isEmpty { rules.append(Rule(pattern, when: when, faults: others, origin: origin)) }
    return rules
  }
}

extension Scenario {
  /// Parses a file. Lines that are empty or begin with `#` are left out.
  /// - Parameter origin: what the text is called, for the origins of its rules: `ORIGIN:LINE`.
  /// - Throws: the first thing that is wrong.
  package init(
    parsing text: some BidirectionalCollection<UInt8>, origin: String? = nil
  ) throws(RuleError) {
    self.init()
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let bytes = Array(line.last == 0x0D ? line.dropLast() : line)
      try append(bytes, line: index + 1, origin)
    }
  }

  private mutating func append(
    _ bytes: [UInt8], line: Int, _ origin: String?
  ) throws(RuleError) {
    var scanner = RuleScanner(bytes, line: line)
    scanner.skipWhitespace()
    guard !scanner.isAtEnd, bytes[scanner.position] != 0x23 else { return }
    if bytes[scanner.position] == 0x5B { return try appendSection(&scanner) }
    let rest = bytes[scanner.position...]
    if rest.starts(with: "seed".utf8), rest.dropFirst(4).first.map(\.isOptionalWhitespace) ?? true {
      return try takeSeed(&scanner)
    }
    var rule = try Rule(parsing: bytes, line: line)
    rule.origin = origin.map { "\($0):\(line)" }
    if sections.isEmpty {
      rules.append(rule)
    } else {
      sections[sections.count - 1].rules.append(rule)
    }
  }

  private mutating func appendSection(_ scanner: inout RuleScanner) throws(RuleError) {
    let start = scanner.position
    let rest = scanner.bytes[(start + 1)...].trimmingOptionalWhitespace
    guard rest.last == 0x5D else {
      throw scanner.expected("] at the end of the line", at: scanner.bytes.count)
    }
    let name = rest.dropLast().trimmingOptionalWhitespace
    guard !name.isEmpty, name.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != 0x5D && $0 != 0x5B })
    else {
      throw scanner.expected("the name of a section without spaces, as in [offline]", at: start)
    }
    let text = String(decoding: name, as: UTF8.self)
    guard !sections.contains(where: { $0.name == text }) else {
      throw scanner.error(.senseless("there is a section [\(text)] already"), at: start)
    }
    sections.append(Section(name: text, rules: []))
  }

  private mutating func takeSeed(_ scanner: inout RuleScanner) throws(RuleError) {
    let start = scanner.position
    _ = try scanner.token()
    let number = try scanner.token()
    guard let seed = Scenario.seed(number.text) else {
      throw scanner.expected("a whole number up to \(UInt64.max)", at: number)
    }
    let end = try scanner.token()
    guard end.kind == .end else { throw scanner.expected("the end of the line", at: end) }
    let isSecond = sections.isEmpty ? self.seed != nil : sections[sections.count - 1].seed != nil
    guard !isSecond else {
      throw scanner.error(.senseless("there is a seed already"), at: start)
    }
    if sections.isEmpty {
      self.seed = seed
    } else {
      sections[sections.count - 1].seed = seed
    }
  }

  /// A seed as it is written; nil for anything but digits.
  package static func seed(_ text: some Collection<UInt8>) -> UInt64? {
    guard !text.isEmpty, text.allSatisfy(\.isDigit) else { return nil }
    return UInt64(String(decoding: text, as: UTF8.self))
  }
}

extension Scenario: CustomStringConvertible {
  /// The file that gives this scenario again.
  package var description: String {
    var lines = seed.map { ["seed \($0)"] } ?? []
    lines += rules.map(\.description)
    for section in sections {
      lines.append("[\(section.name)]")
      if let seed = section.seed { lines.append("seed \(seed)") }
      lines += section.rules.map(\.description)
    }
    return lines.joined(separator: "\n")
  }
}
