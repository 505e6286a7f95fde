/// What `fixtured verify` is asked to do.
struct VerifyOptions: Equatable, Sendable {
  var cassette: String
  var repairs = false
}

extension VerifyOptions {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    self.init(cassette: arguments.operands[0], repairs: arguments.has(.repair))
  }
}
