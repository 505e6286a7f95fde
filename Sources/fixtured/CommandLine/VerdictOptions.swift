import FixtureReplay

/// How a replay judges its client at its end.
struct VerdictOptions: Equatable, Sendable {
  /// Where the verdict is written; nil for standard error only.
  var path: String?
  /// Checks that make the exit status 1.
  var failsOn: [Verdict.Check]
  var limits: Verdict.Limits
}

extension VerdictOptions {
  /// - Returns: nil when no verdict is asked for.
  init?(_ arguments: ScannedArguments) throws(UsageError) {
    path = arguments.value(.verdict)
    let failsOn = try arguments.parse(
      .failOn, as: OptionValue.checksExpected, OptionValue.checks)
    self.failsOn = failsOn ?? []
    limits = try arguments.verdictLimits()
    guard path != nil || failsOn != nil || limits != Verdict.Limits() else { return nil }
    if let path, path.isEmpty {
      throw arguments.error(.valueInvalid(.verdict, path, expected: OptionValue.fileExpected))
    }
    if let path, File.isDatabase(path) {
      throw arguments.error(.outputIsDatabase(path))
    }
    if self.failsOn.contains(.afterEnd) {
      throw arguments.error(
        .valueRefused(
          .failOn,
          reason: "after-end is judged where a test ends before the replay does, leave it "
            + "out"))
    }
    try check(.connections, against: limits.connectionsMax, .connectionsMax, arguments)
    try check(.attempts, against: limits.attemptsMax, .attemptsMax, arguments)
  }

  /// A check without its limit would never find anything.
  private func check(
    _ check: Verdict.Check, against limit: Int?, _ option: OptionName,
    _ arguments: ScannedArguments
  ) throws(UsageError) {
    guard failsOn.contains(check), limit == nil else { return }
    throw arguments.error(
      .valueRefused(
        .failOn, reason: "\(check.rawValue) is judged by a limit, give \(option.written) N"))
  }
}

extension ScannedArguments {
  /// What `--connections-max` and `--attempts-max` say.
  func verdictLimits() throws(UsageError) -> Verdict.Limits {
    Verdict.Limits(
      connectionsMax: try parse(.connectionsMax, as: OptionValue.limitExpected, OptionValue.limit),
      attemptsMax: try parse(.attemptsMax, as: OptionValue.limitExpected, OptionValue.limit))
  }
}
