/// What `fixtured merge` is asked to bring together.
struct MergeOptions: Equatable, Sendable {
  enum Work: Equatable, Sendable {
    case new([String], output: String)
    /// What `theirs` changed since `base` goes into `ours`, as git asks of a merge driver.
    case changes(base: String, ours: String, theirs: String)
  }

  var work: Work
}

extension MergeOptions {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    let files = arguments.operands
    try arguments.refuse(.git, with: .output)
    if arguments.has(.git) {
      guard files.count >= 3 else { throw arguments.error(.operandMissing("CASSETTE")) }
      if files.count > 3 { throw arguments.error(.operandUnexpected(files[3])) }
      self.init(work: .changes(base: files[0], ours: files[1], theirs: files[2]))
      return
    }
    let output = try arguments.parse(.output, as: OptionValue.fileExpected, OptionValue.file)
    guard let output else { throw arguments.error(.optionMissing(.output)) }
    guard files.count >= 2 else { throw arguments.error(.operandMissing("CASSETTE")) }
    self.init(work: .new(files, output: output))
  }
}
