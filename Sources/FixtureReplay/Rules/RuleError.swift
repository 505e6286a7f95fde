/// Why a line is no rule: where, what was found, what was expected.
package struct RuleError: Error, Equatable, Sendable {
  package enum Problem: Equatable, Sendable {
    /// `found` is nil at the end of a line.
    case unexpected(found: String?, expected: String, nearest: String?)
    /// Spelled well, but makes no sense.
    case senseless(String)
  }

  package let problem: Problem
  /// From 1.
  package let line: Int
  /// In characters from 1; that of the end is one beyond the last.
  package let column: Int

  package init(_ problem: Problem, line: Int, column: Int) {
    self.problem = problem
    self.line = line
    self.column = column
  }
}

extension RuleError: CustomStringConvertible {
  /// `line 2, column 8: found "statsu", expected …, did you mean status?`
  package var description: String { "line \(line), column \(column): \(reason)" }

  /// Without the place.
  package var reason: String {
    switch problem {
    case .unexpected(let found, let expected, let nearest):
      let found = found.map { "\"\($0)\"" } ?? "the end of the line"
      let hint = nearest.map { ", did you mean \($0)?" } ?? ""
      return "found \(found), expected \(expected)\(hint)"
    case .senseless(let reason): return reason
    }
  }
}
