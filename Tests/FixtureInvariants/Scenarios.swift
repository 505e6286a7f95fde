import FixtureReplay

// RULE of rules: any text is a scenario, or has an error at a place that the text has; a scenario
// printed and read again is the same scenario.

func checkRules(_ bytes: [UInt8]) throws(Violation) {
  let scenario: Scenario
  do throws(RuleError) {
    scenario = try Scenario(parsing: bytes)
  } catch {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    try require((1...lines.count).contains(error.line), "\(error) in \(lines.count) lines")
    let line = lines[error.line - 1]
    try require((1...(line.count + 1)).contains(error.column), "\(error) in \(line.count) bytes")
    try require(
      error.description.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "unprintable: \(error)")
    return
  }
  let again: Scenario
  do throws(RuleError) {
    again = try Scenario(parsing: Array(scenario.description.utf8))
  } catch {
    throw Violation(text: "printed: \(scenario)\n\(error)")
  }
  try require(again == scenario, "printed: \(scenario)\nagain: \(again)")
}
