import FixtureCassette
import FixtureHTTP

/// What `fixtured drift` and `fixtured refresh` are asked to ask.
struct AskOptions: Equatable, Sendable {
  var cassette: String
  /// Instead of those that were recorded.
  var upstreams: [RecordOptions.Upstream] = []
  var only: RequestPattern?
  var secrets: [SuppliedSecret] = []
  /// Beyond those of the cassette, in the words of `--redact`.
  var redactions: [String] = []
  /// Whether values are compared, too; for `drift`.
  var withValues = false
  var certificateAuthorityFile: String?
  var verifiesCertificates = true
  var connectTimeout = Duration.seconds(30)
  var idleTimeout = Duration.seconds(5 * 60)
}

extension AskOptions {
  init(
    _ arguments: ScannedArguments, _ configuration: Command.Configuration
  ) throws(UsageError) {
    try arguments.refuse(.cacert, with: .insecure)
    self.init(cassette: arguments.operands[0])
    redactions = try configuration(cassette).redactions(beside: cassette)
    upstreams = try RecordOptions.upstreams(of: arguments.values(.upstream), arguments)
    only = try arguments.parse(.only, as: RequestPattern.expected, RequestPattern.init(parsing:))
    for word in arguments.values(.with) {
      guard let secret = SuppliedSecret(parsing: word) else {
        throw arguments.error(
          .valueRefused(.with, reason: "write \(SuppliedSecret.expected)"))
      }
      secrets.append(secret)
    }
    withValues = arguments.has(.values)
    verifiesCertificates = !arguments.has(.insecure)
    certificateAuthorityFile = try arguments.parse(
      .cacert, as: OptionValue.fileExpected, OptionValue.file)
    connectTimeout =
      try arguments.parse(.connectTimeout, as: OptionValue.timeExpected, OptionValue.time)
      ?? connectTimeout
    idleTimeout =
      try arguments.parse(.idleTimeout, as: OptionValue.timeExpected, OptionValue.time)
      ?? idleTimeout
  }
}
