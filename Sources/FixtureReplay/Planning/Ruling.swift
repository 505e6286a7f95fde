/// The rules of a session from one change of them to the next, in words. A class, because every
/// exchange that they have to do with names them.
package final class RuleSet: Sendable {
  package struct Line: Equatable, Sendable {
    /// The line that gives the rule again.
    package let text: String
    /// See `Rule.origin`.
    package let origin: String?
  }

  /// Which of the session's, from 1.
  package let number: Int
  /// What they draw from.
  package let seed: UInt64
  /// Rule 1 first. What a `network` stands for is in its place.
  package let rules: [Line]

  /// - Parameter rules: expanded.
  init(_ rules: [Rule], seed: UInt64, number: Int) {
    self.number = number
    self.seed = seed
    self.rules = rules.map { Line(text: $0.description, origin: $0.origin) }
  }

  /// The rule with this number; nil for one that there is not.
  package subscript(rule: Int) -> Line? {
    rules.indices.contains(rule - 1) ? rules[rule - 1] : nil
  }
}

extension RuleSet: Equatable {
  package static func == (left: RuleSet, right: RuleSet) -> Bool {
    left === right
      || left.number == right.number && left.seed == right.seed && left.rules == right.rules
  }
}

/// What rules had to do with one answer. A class, so that its absence, as for most
/// answers, costs a word.
package final class Ruling: Sendable {
  /// Those that the numbers are of.
  package let set: RuleSet
  /// The rules that had a part in it, from 1.
  package let rules: [Int]
  /// Faults that had no effect, because others ended the answer before.
  package let overruled: [String]
  /// Those that had no effect, too.
  package let draws: [Draw]

  package init(_ set: RuleSet, rules: [Int], overruled: [String] = [], draws: [Draw] = []) {
    self.set = set
    self.rules = rules
    self.overruled = overruled
    self.draws = draws
  }

  /// All rules that it speaks of, in order.
  package var told: [Int] { Set(rules + draws.map(\.rule)).sorted() }
}

extension Ruling: Equatable {
  package static func == (left: Ruling, right: Ruling) -> Bool {
    left === right
      || left.set == right.set && left.rules == right.rules && left.overruled == right.overruled
        && left.draws == right.draws
  }
}
