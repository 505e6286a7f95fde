/// `fixtured record`: forwards to the upstreams and records what passes.
enum RecordCommand {
  static func run(_ options: RecordOptions) -> ExitStatus {
    Diagnostic.write(
      "recording is not available in this build, in fixtured record, use a later build")
    return .failure
  }
}
