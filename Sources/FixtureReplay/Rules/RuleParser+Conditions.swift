import FixtureCassette

extension ClauseReader {
  /// The rest of a clause that says when.
  mutating func condition(_ word: ConditionWord) throws(RuleError) -> When {
    switch word {
    case .first:
      let count = try number()
      return .counted(.first(count), overall: takes("overall"))
    case .nth:
      let numbers = try numbers()
      return .counted(.nth(numbers), overall: takes("overall"))
    case .from: return try range()
    case .every:
      let count = try number()
      return .counted(.every(count), overall: takes("overall"))
    case .after: return .after(try time())
    case .for: return .lasting(try time())
    case .chance: return .chance(try percentage())
    case .with: return try content()
    case .without:
      try keyword("header")
      return .withoutHeader(try fieldName())
    case .while: return .raised(try flag())
    }
  }

  private mutating func range() throws(RuleError) -> When {
    let first = try number()
    try keyword("to")
    let token = upcoming
    let last = try number()
    guard first <= last else { throw error("from \(first) to \(last) is no request", at: token) }
    return .counted(.from(first, to: last), overall: takes("overall"))
  }

  private mutating func content() throws(RuleError) -> When {
    let words = ["header", "json"]
    let isHeader = try value(Self.alternatives(words), among: words) { token in
      token.keyword.flatMap { words.contains($0) ? $0 == "header" : nil }
    }
    guard isHeader else { return .json(try pointer(), try json()) }
    let name = try fieldName()
    return .header(name, value: hasMore ? try fieldValue() : nil)
  }
}
