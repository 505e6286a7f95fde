import FixtureStore

/// `fixtured verify`: checks a cassette file, and repairs it with `--repair`.
enum VerifyCommand {
  static func run(_ options: VerifyOptions) -> ExitStatus {
    do {
      var text = ""
      if options.repairs {
        text += repairs(try CassetteVerifier.repair(path: options.cassette), of: options.cassette)
      }
      let report = try CassetteVerifier.verify(path: options.cassette)
      let printing = Output.print(text + findings(report, in: options.cassette))
      if report.isSound { return printing }
      Diagnostic.write(summary(report, options))
      return .failure
    } catch {
      Diagnostic.write(error.description)
      return .failure
    }
  }

  /// A line for everything that was done.
  static func repairs(_ actions: [RepairAction], of path: String) -> String {
    let path = path.escapedForTerminal
    if actions.isEmpty { return "\(path): nothing to repair\n" }
    return actions.map { "\(path): \($0.description.escapedForTerminal)\n" }.joined()
  }

  /// A line for everything that is wrong, or one that says what was checked.
  static func findings(_ report: VerificationReport, in path: String) -> String {
    let path = path.escapedForTerminal
    if report.isSound {
      return "\(path): sound (interactions: \(report.interactions), bodies: \(report.bodies), "
        + "bytes of content: \(report.bodyBytes))\n"
    }
    var text = report.findings.map { "\(path): \($0.description.escapedForTerminal)\n" }.joined()
    let rest = report.findingCount - report.findings.count
    if rest > 0 { text += "\(path): … \(rest) more\n" }
    return text
  }

  private static func summary(_ report: VerificationReport, _ options: VerifyOptions) -> String {
    let path = options.cassette
    let count = report.findingCount == 1 ? "1 finding" : "\(report.findingCount) findings"
    let remedy =
      report.findings.allSatisfy(\.isLeftover) && !options.repairs
      ? "remove what is left over with fixtured verify --repair \(path)"
      : "restore the file or record it again"
    return "the cassette is not sound, \(path): \(count), \(remedy)"
  }
}

extension Finding {
  /// Whether a repair removes it.
  fileprivate var isLeftover: Bool {
    switch self {
    case .unusedBody, .unusedPieces, .unusedInterims: true
    case .integrity, .interactionInvalid, .interimInvalid, .bodyIncomplete, .bodyAltered,
      .pieceSize:
      false
    }
  }
}
