/// Every option of every command; the raw value is the long name without `--`.
enum OptionName: String, CaseIterable, Sendable {
  case upstream, listen, mode, redact
  case noRedact = "no-redact"
  case storeUnredacted = "store-unredacted"
  case preserveHost = "preserve-host"
  case rewriteCookies = "rewrite-cookies"
  case cacert, insecure
  case connectTimeout = "connect-timeout"
  case idleTimeout = "idle-timeout"
  case durability, pace, exhausted, match, date, derive, scenario, rule, seed, receipts, strict
  case printCommand = "print-command"
  case verdict, control, journal
  case sessionPorts = "session-ports"
  case failOn = "fail-on"
  case connectionsMax = "connections-max"
  case attemptsMax = "attempts-max"
  case threads, quiet
  case json, output, check, times, git, request, only, with, values, repair, help

  /// The option as it is written, `--name`.
  var written: String { "--" + rawValue }

  /// The single-letter spelling, where there is one.
  var letter: Character? {
    switch self {
    case .output: "o"
    case .help: "h"
    default: nil
    }
  }

  /// What stands for the value in help; nil for an option that takes none.
  var placeholder: String? {
    switch self {
    case .upstream: "[NAME=]URL"
    case .listen, .control: "HOST:PORT"
    case .mode: "MODE"
    case .redact: "RULE"
    case .only: "PATTERN"
    case .with: "SECRET"
    case .scenario: "FILE[#NAME]"
    case .rule: "LINE"
    case .seed: "N"
    case .cacert, .output, .verdict, .journal: "FILE"
    case .sessionPorts: "A-B"
    case .failOn: "CHECK,…"
    case .connectTimeout, .idleTimeout: "TIME"
    case .durability: "LEVEL"
    case .pace: "PACE"
    case .exhausted: "POLICY"
    case .match: "PARTS"
    case .date: "DATES"
    case .derive: "SWITCH"
    case .threads, .connectionsMax, .attemptsMax: "N"
    case .noRedact, .storeUnredacted, .preserveHost, .rewriteCookies, .insecure, .receipts,
      .printCommand, .strict, .quiet, .json, .check, .times, .git, .request, .values, .repair,
      .help:
      nil
    }
  }

  /// Whether it may be given more than once.
  var isRepeatable: Bool {
    switch self {
    case .upstream, .redact, .match, .with, .rule: true
    default: false
    }
  }
}
