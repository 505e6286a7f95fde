/// What a replay says of itself when its test is over, as text.
struct FixtureReport: Equatable {
  /// As the test framework calls it.
  var test: String
  /// `file:line`.
  var place: String
  /// What the cassette is called in messages.
  var cassette: String
  /// The rules as they were given; nil: none.
  var scenario: String?
  /// What chance was drawn from; nil without rules.
  var seed: UInt64?
  /// How time passed, and how much of it.
  var clock: String
  var exchanges: [Line]
  /// Each with the nearest recordings.
  var misses: [String]
  /// Recordings that no exchange used.
  var unused: [String]

  /// One exchange.
  struct Line: Equatable {
    var number: Int
    /// `GET /feed`.
    var request: String
    var status: Int?
    var outcome: String
    var bytes: Int
    var interaction: Int?
    /// Rules that were applied, from 1.
    var rules: [Int]
  }
}

extension FixtureReport {
  /// All of it, one fact a line.
  var text: String {
    var lines = ["test \(test) at \(place)", "cassette \(cassette)"]
    if let scenario {
      lines.append("scenario")
      lines += scenario.split(separator: "\n").map { "  \($0)" }
    }
    lines.append((seed.map { "seed \($0), " } ?? "") + "clock \(clock)")
    lines += ["reproduce it with: \(Self.command(running: test))", ""]
    lines.append(exchanges.isEmpty ? "no request came" : "exchanges:")
    lines += exchanges.map { "  \($0.text)" }
    lines += section("not in the cassette:", misses)
    lines += section("recordings never used:", unused)
    return lines.joined(separator: "\n") + "\n"
  }

  private func section(_ title: String, _ items: [String]) -> [String] {
    guard !items.isEmpty else { return [] }
    return ["", title] + items.flatMap { $0.split(separator: "\n").map { "  \($0)" } }
  }
}

extension FixtureReport.Line {
  var text: String {
    var text = "\(number) \(request): \(status.map(String.init) ?? "no status"), \(outcome)"
    text += ", \(bytes) bytes"
    if let interaction { text += ", interaction \(interaction)" }
    if !rules.isEmpty {
      let numbers = rules.map(String.init).joined(separator: " ")
      text += ", \(rules.count == 1 ? "rule" : "rules") \(numbers)"
    }
    return text
  }
}

extension FixtureReport {
  /// The command that runs the test of this name, which takes cassette, scenario and seed from its
  /// source.
  static func command(running test: String) -> String {
    "swift test --filter '\(pattern(test).replacing("'", with: "'\\''"))'"
  }

  /// A regular expression for the name itself.
  private static func pattern(_ name: String) -> String {
    let special: Set<Character> = [
      "\\", "^", "$", ".", "|", "?", "*", "+", "(", ")", "[", "]", "{", "}",
    ]
    return name.map { special.contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }
}
