/// The text of `--help`, at most 80 columns.
enum HelpText {
  /// - Parameter topic: nil for the overview.
  static func text(_ topic: CommandName?) -> String {
    guard let topic else { return overview }
    var text = "usage: \(topic.usage)\n\n\(topic.explanation)\n"
    text += "\noptions:\n"
    let widest = topic.options.map(\.helpColumn.count).max() ?? 0
    for option in topic.options {
      text += entry(option.helpColumn, option.explanation(in: topic), column: widest)
    }
    return text + "\n" + exitStatuses
  }

  private static var overview: String {
    var text = """
      usage: fixtured COMMAND [OPTION]... [OPERAND]...

      Records a live HTTP API into a cassette, one file, and replays it.

      commands:

      """
    let widest = CommandName.allCases.map(\.rawValue.count).max() ?? 0
    for command in CommandName.allCases {
      text += entry(command.rawValue, command.summary, column: widest)
    }
    text += """

      fixtured COMMAND --help explains a command. A long option may be cut short as
      long as it stays unambiguous, its value follows after a space or an equals
      sign, and -- ends the options.

      \(exitStatuses)
      """
    return text
  }

  private static let exitStatuses = """
    exit status:
      0  the work was done
      1  the work failed: a damaged file, a miss with --strict, a difference
      2  the command line makes no sense; nothing was done

    """

  /// A term and its explanation, whose lines are indented to the same column.
  private static func entry(_ term: String, _ explanation: String, column: Int) -> String {
    var text = ""
    var margin = "  " + term + String(repeating: " ", count: column - term.count + 2)
    for line in wrap(explanation, to: 80 - column - 4) {
      text += margin + line + "\n"
      margin = String(repeating: " ", count: column + 4)
    }
    return text
  }

  private static func wrap(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }
}

extension OptionName {
  fileprivate var helpColumn: String { letter.map { "-\($0), \(usage)" } ?? usage }
}

extension CommandName {
  fileprivate var usage: String {
    var text = "fixtured \(rawValue)"
    if self == .record { text += " --upstream [NAME=]URL..." }
    text += " [OPTION]..."
    for operand in operands {
      text += operand.required ? " \(operand.name)" : " [\(operand.name)]"
      if operand.repeats { text += "..." }
    }
    return text
  }
}
