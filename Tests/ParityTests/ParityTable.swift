/// The table of the README, between two comments.
struct ParityTable {
  let before: String
  let table: String
  let after: String

  private static let start = "<!-- parity -->\n"
  private static let end = "<!-- /parity -->"

  /// - Returns: nil when the text has no place for it.
  init?(in text: String) {
    guard let start = text.range(of: Self.start),
      let end = text[start.upperBound...].range(of: Self.end)
    else { return nil }
    before = String(text[..<start.upperBound])
    table = String(text[start.upperBound..<end.lowerBound])
    after = String(text[end.lowerBound...])
  }

  static func text(_ answers: [Row], _ words: [Row]) -> String {
    section("recorded answer", answers) + "\n" + section("word", words)
  }

  private static func section(_ title: String, _ rows: [Row]) -> String {
    let lines = rows.map { row in
      let server = row.unasked.map { "yes, but \($0)" } ?? "yes"
      return "| \(row.name) | \(server) | \(stub(row)) |\n"
    }
    return "| \(title) | server | stub |\n|---|---|---|\n" + lines.joined()
  }

  private static func stub(_ row: Row) -> String {
    if let refusal = row.refusal { return "refused: \(refusal)" }
    guard let emulation = row.emulation else { return row.unasked == nil ? "same" : "yes" }
    return row.stubSees == nil ? "same: \(emulation)" : "differs: \(emulation)"
  }
}
