/// `fixtured inspect`: shows what a cassette holds.
enum InspectCommand {
  static func run(_ options: InspectOptions) -> ExitStatus {
    .failure
  }
}
