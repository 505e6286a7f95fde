/// `fixtured dump`: a cassette as text, for review.
enum DumpCommand {
  static func run(_ options: DumpOptions) -> ExitStatus {
    .failure
  }
}
