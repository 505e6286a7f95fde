/// Something that a rule left to chance, and what was drawn for one request.
package struct Draw: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// It holds when what was drawn is below it.
    case chance(Proportion, drawn: Proportion)
    case delay(Delay, drawn: Duration)
    /// The bytes follow from these bits.
    case body(Body, bits: UInt64)
  }

  /// Its place in the scenario, from 1.
  package let rule: Int
  package let kind: Kind

  package init(rule: Int, _ kind: Kind) {
    self.rule = rule
    self.kind = kind
  }

  /// The words of the rule: `chance 20%`.
  package var clause: String {
    switch kind {
    case .chance(let portion, _): When.chance(portion).description
    case .delay(let delay, _): Fault.delay(delay).description
    case .body(let body, _): Fault.body(body).description
    }
  }

  /// `12.3456%`, `212.4ms`; for bytes what they follow from, in sixteen digits.
  package var drawn: String {
    switch kind {
    case .chance(_, let drawn): return RuleUnits.percent(drawn)
    case .delay(_, let time): return RuleUnits.text(time)
    case .body(_, let bits):
      let digits = String(bits, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
  }

  /// Whether the rule went on; nil for what is no question.
  package var holds: Bool? {
    guard case .chance(let portion, let drawn) = kind else { return nil }
    return drawn.millionths < portion.millionths
  }
}

extension Draw: CustomStringConvertible {
  /// `rule 2: chance 20%, drawn 12.3456%`.
  package var description: String { "rule \(rule): \(clause), drawn \(drawn)" }
}
