/// `fixtured verify`: checks a cassette file.
enum VerifyCommand {
  static func run(_ options: VerifyOptions) -> ExitStatus {
    .failure
  }
}
