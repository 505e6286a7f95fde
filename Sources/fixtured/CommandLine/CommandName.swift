/// The commands, and what each accepts.
enum CommandName: String, CaseIterable, Sendable {
  case record, replay, explain, inspect, dump, diff, merge, edit, set
  case remove = "rm"
  case redact, scan, drift, refresh, verify, report
  case control = "ctl"
  case help, version

  /// One operand: its name as help and errors print it.
  struct Operand: Equatable, Sendable {
    let name: String
    let required: Bool
    /// Whether more of them may follow; only the last one.
    var repeats = false
  }

  var operands: [Operand] {
    switch self {
    case .record: [Operand(name: "CASSETTE", required: false)]
    case .replay, .redact, .drift, .refresh, .verify:
      [Operand(name: "CASSETTE", required: true)]
    case .report: [Operand(name: "JOURNAL", required: true)]
    case .dump, .scan: [Operand(name: "CASSETTE", required: true, repeats: true)]
    case .inspect:
      [Operand(name: "CASSETTE", required: true), Operand(name: "ID", required: false)]
    case .diff: [Operand(name: "A", required: true), Operand(name: "B", required: true)]
    case .merge:
      [
        Operand(name: "CASSETTE", required: true),
        Operand(name: "CASSETTE", required: true, repeats: true),
      ]
    case .edit: [Operand(name: "CASSETTE", required: true), Operand(name: "ID", required: true)]
    case .set:
      [
        Operand(name: "CASSETTE", required: true), Operand(name: "ID", required: true),
        Operand(name: "WHAT", required: true),
        Operand(name: "VALUE", required: true, repeats: true),
      ]
    case .remove:
      [
        Operand(name: "CASSETTE", required: true),
        Operand(name: "ID", required: true, repeats: true),
      ]
    case .explain:
      [Operand(name: "SCENARIO", required: true), Operand(name: "REQUEST", required: true)]
    case .control:
      [
        Operand(name: "VERB", required: true),
        Operand(name: "WORD", required: false, repeats: true),
      ]
    case .help: [Operand(name: "COMMAND", required: false)]
    case .version: []
    }
  }

  /// In the order in which help lists them.
  var options: [OptionName] {
    switch self {
    case .record:
      [
        .upstream, .listen, .mode, .redact, .noRedact, .storeUnredacted, .preserveHost,
        .rewriteCookies, .cacert, .insecure, .connectTimeout, .idleTimeout, .durability, .pace,
        .exhausted, .match, .date, .derive, .quiet, .help,
      ]
    case .replay:
      [
        .listen, .pace, .exhausted, .match, .date, .derive, .scenario, .rule, .seed, .receipts,
        .printCommand, .rewriteCookies, .control, .sessionPorts, .journal, .verdict, .failOn,
        .connectionsMax, .attemptsMax, .strict, .threads, .quiet, .help,
      ]
    case .explain: [.rule, .seed, .help]
    case .inspect: [.json, .help]
    case .dump: [.output, .check, .times, .help]
    case .diff: [.times, .help]
    case .merge: [.output, .git, .help]
    case .set: [.request, .help]
    case .redact: [.redact, .help]
    case .drift:
      [
        .upstream, .only, .with, .values, .cacert, .insecure, .connectTimeout, .idleTimeout, .help,
      ]
    case .refresh:
      [.upstream, .only, .with, .cacert, .insecure, .connectTimeout, .idleTimeout, .help]
    case .verify: [.repair, .help]
    case .control:
      [.control, .scenario, .rule, .seed, .failOn, .connectionsMax, .attemptsMax, .json, .help]
    case .report: [.output, .connectionsMax, .attemptsMax, .help]
    case .edit, .remove, .scan, .help, .version: [.help]
    }
  }
}
