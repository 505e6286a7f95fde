/// `fixtured replay`: answers from a cassette.
enum ReplayCommand {
  static func run(_ options: ReplayOptions) -> ExitStatus {
    Diagnostic.write(
      "replaying is not available in this build, in fixtured replay, use a later build")
    return .failure
  }
}
