import FixtureReplay

/// What `fixtured report` is asked to write.
struct ReportOptions: Equatable, Sendable {
  var journal: String
  /// nil for standard output.
  var output: String?
  /// What clients are judged by.
  var limits = Verdict.Limits()
}

extension ReportOptions {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    self.init(journal: arguments.operands[0])
    let file = try arguments.parse(.output, as: OptionValue.fileExpected, OptionValue.file)
    if let file, file != "-" {
      if File.isDatabase(file) { throw arguments.error(.outputIsDatabase(file)) }
      output = file
    }
    limits = try arguments.verdictLimits()
  }
}
