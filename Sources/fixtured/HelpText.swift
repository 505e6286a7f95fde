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
    }
    return text
  }

  fileprivate var summary: String {
    switch self {
    case .record: "forward requests to a live API and record what passes"
    case .replay: "answer requests from a cassette"
    case .inspect: "list the interactions of a cassette, or show one"
    case .dump: "write a cassette as text, for review and comparison"
    case .verify: "check that a cassette is whole, and repair it"
    case .help: "explain a command"
    case .version: "print the version"
    }
  }

  fileprivate var explanation: String {
    switch self {
    case .record:
      """
      Forwards requests to the upstream and records every exchange into CASSETTE
      (cassettes/HOST.db when left out). Point the client at the printed URL. Secrets
      in well-known fields and query parameters are replaced before anything is
      stored; the client gets the original bytes.

        fixtured record --upstream https://api.example.com
        fixtured record --upstream api=https://api.example.com \\
          --upstream img=https://img.example.com cassettes/shop.db
      """
    case .replay:
      """
      Answers every request with what was recorded for it, and a request that was
      not recorded with status 501. Opens no outgoing connection and never writes to
      the cassette.

        fixtured replay cassettes/api.example.com.db
      """
    case .inspect:
      """
      Without ID: a line for every interaction. With ID: everything about that one.
      Nothing is written to the cassette.
      """
    case .dump:
      """
      Writes a block of text for every interaction, the same text for the same
      recording, so that a change shows in review. Content that is text is shown,
      decoded when it is coded (gzip, deflate, br, zstd), with every unprintable
      character escaped; other content by its size and SHA-256. The dump is kept
      beside its cassette:

        fixtured dump cassettes/shop.db -o cassettes/shop.db.txt
        fixtured dump cassettes/shop.db --check
      """
    case .verify:
      """
      Reads the whole file and reports what is wrong with it, a line each.
      """
    case .help, .version: "\(summary.prefix(1).uppercased())\(summary.dropFirst())."
    }
  }
}

extension OptionName {
  fileprivate func explanation(in command: CommandName) -> String {
    switch self {
    case .upstream:
      "the API to record; repeat it as NAME=URL for several, each gets its own port"
    case .listen:
      "where to listen, 127.0.0.1:8377 when left out; port 0 picks a free one, several upstreams "
        + "take this port and those after it"
    case .mode:
      "what to do with an existing cassette: once and none replay it and refuse the rest, "
        + "new-episodes replays it and records the rest, all records everything anew"
    case .redact: "a further secret to keep out: header:NAME or query:NAME; repeatable"
    case .noRedact: "store everything as it is, secrets too"
    case .preserveHost: "send the client's Host field to the upstream instead of the upstream's"
    case .rewriteCookies:
      "let the client send cookies back that the upstream sets for its own domain or path, or as "
        + "Secure"
    case .cacert: "also trust the certificate authorities in this PEM file"
    case .insecure: "do not verify the upstream's certificate"
    case .connectTimeout:
      "give up connecting after this time (as 500ms, 30s, 2m), 30s when left out"
    case .idleTimeout: "give up on an upstream silent for this time, 5m when left out"
    case .durability:
      "what a finished exchange survives: process (the default, the end of this process) or power "
        + "(a power cut)"
    case .pace:
      "how recorded times are used: immediate (the default), recorded, or xN (x2 is twice as fast)"
    case .exhausted:
      "what follows the last recording of a request: repeat it (the default), miss, or cycle"
    case .match:
      "what must be the same for a recording to answer a request: +PART adds, -PART takes away, a "
        + "list replaces method,path,query,content; further parts are query-ignore:NAME, "
        + "header:NAME, content-ignore:/POINTER and authority; repeatable"
    case .strict: "exit with status 1 when a request was not in the cassette"
    case .threads: "how many threads answer, one a core when left out"
    case .quiet: "no line for each exchange"
    case .json: "as JSON; content of more than 64 MiB only by its size and SHA-256"
    case .output: "write to FILE; with --check, compare with it"
    case .check:
      "write nothing; exit with status 1 and the first difference when the dump beside the "
        + "cassette (its name and .txt) is not the same"
    case .times: "with dates and offsets, which differ from recording to recording"
    case .repair:
      "take in what an unfinished recording left beside the file, and remove what nothing refers to"
    case .help: "print this"
    }
  }
}
