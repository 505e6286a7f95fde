import FixtureCassette
import FixtureHTTP
import FixtureReplay
import FixtureStore

/// What `fixtured record` is asked to do.
struct RecordOptions: Equatable, Sendable {
  struct Upstream: Equatable, Sendable {
    /// nil for the only, unnamed one.
    let name: String?
    let url: BaseURL
  }

  /// At least one, in the order given; names are unique, and given when there are several.
  var upstreams: [Upstream]
  var cassette: String
  /// Whether `cassette` was left out; its folder is then created when it is missing.
  var cassetteIsStandard: Bool
  var listen = ListenAddress.standard
  /// nil when it was not given; `RecordMode.resolve` then decides.
  var mode: RecordMode?
  /// nil with `--no-redact`.
  var redactions: RedactionRules?
  /// Stores content that can't be redacted.
  var storesUnredacted = false
  var preservesHost = false
  var rewritesCookies = false
  var certificateAuthorityFile: String?
  var verifiesCertificates = true
  var connectTimeout = Duration.seconds(30)
  /// Long, because a model that thinks or a long poll is silent for a minute and more.
  var idleTimeout = Duration.seconds(5 * 60)
  var durability = Durability.process
  var pacing = Pacing.immediate
  var exhausted = Exhausted.repeatLast
  var match = MatchOptions()
  var dates = DatePolicy.shift
  var derives = true
  var isQuiet = false
}

extension RecordOptions {
  init(
    _ arguments: ScannedArguments, _ configuration: Command.Configuration
  ) throws(UsageError) {
    try arguments.refuse(.redact, with: .noRedact)
    try arguments.refuse(.storeUnredacted, with: .noRedact)
    try arguments.refuse(.cacert, with: .insecure)
    // Without a cassette it lies in the standard folder, whatever its name.
    let place = arguments.operands.first ?? "\(Self.standardFolder)/"
    let configuration = try configuration(place)
    let upstreams = try Self.upstreams(arguments, configuration)
    self.init(
      upstreams: upstreams,
      cassette: arguments.operands.first ?? Self.standardCassette(upstreams[0].url),
      cassetteIsStandard: arguments.operands.isEmpty,
      redactions: try Self.redactions(arguments, configuration, beside: place))
    storesUnredacted = arguments.has(.storeUnredacted)
    match = try MatchOptions(arguments, configuration)
    preservesHost = arguments.has(.preserveHost)
    rewritesCookies = arguments.has(.rewriteCookies)
    verifiesCertificates = !arguments.has(.insecure)
    isQuiet = arguments.has(.quiet)
    try take(arguments)
    if listen.port != 0, Int(listen.port) + upstreams.count - 1 > Int(UInt16.max) {
      throw arguments.error(.portsExhausted(first: listen.port, count: upstreams.count))
    }
  }

  /// The options whose values are independent of the others.
  private mutating func take(_ arguments: ScannedArguments) throws(UsageError) {
    listen =
      try arguments.parse(.listen, as: OptionValue.listenExpected, ListenAddress.init) ?? listen
    mode = try arguments.parse(.mode, as: RecordMode.expected, RecordMode.init(rawValue:))
    certificateAuthorityFile = try arguments.parse(
      .cacert, as: OptionValue.fileExpected, OptionValue.file)
    connectTimeout =
      try arguments.parse(.connectTimeout, as: OptionValue.timeExpected, OptionValue.time)
      ?? connectTimeout
    idleTimeout =
      try arguments.parse(.idleTimeout, as: OptionValue.timeExpected, OptionValue.time)
      ?? idleTimeout
    durability =
      try arguments.parse(
        .durability, as: OptionValue.durabilityExpected, OptionValue.durability) ?? durability
    pacing = try arguments.parse(.pace, as: Pacing.expected, Pacing.init(word:)) ?? pacing
    exhausted =
      try arguments.parse(
        .exhausted, as: Exhausted.expected, Exhausted.init(rawValue:))
      ?? exhausted
    dates = try arguments.parse(.date, as: DatePolicy.expected, DatePolicy.init(word:)) ?? dates
    derives =
      try arguments.parse(.derive, as: OptionValue.switchExpected, OptionValue.switched) ?? derives
  }

  /// `cassettes/<host>.db`; the colons of an IPv6 address, which some file systems refuse, become
  /// hyphens.
  static func standardCassette(_ url: BaseURL) -> String {
    let host = url.host.map { $0 == ":" || $0 == "%" ? "-" : $0 }
    return "\(standardFolder)/\(String(host)).db"
  }

  private static let standardFolder = "cassettes"

  /// Those of the command line, else those of the configuration.
  private static func upstreams(
    _ arguments: ScannedArguments, _ configuration: FolderConfiguration
  ) throws(UsageError) -> [Upstream] {
    let given = arguments.values(.upstream)
    let upstreams = try Self.upstreams(
      of: given.isEmpty ? configuration.upstreams.map(\.text) : given, arguments)
    if upstreams.isEmpty { throw arguments.error(.optionMissing(.upstream)) }
    if upstreams.count > 1, upstreams.contains(where: { $0.name == nil }) {
      throw arguments.error(.upstreamNameMissing)
    }
    return upstreams
  }

  /// - Parameter words: `[NAME=]URL` each.
  static func upstreams(
    of words: [String], _ arguments: ScannedArguments
  ) throws(UsageError) -> [Upstream] {
    var upstreams: [Upstream] = []
    for word in words {
      let upstream: Upstream
      do {
        upstream = try Upstream(parsing: word)
      } catch {
        throw arguments.error(.valueRefused(.upstream, reason: error.reason))
      }
      if let name = upstream.name, upstreams.contains(where: { $0.name == name }) {
        throw arguments.error(.upstreamNameTaken(name))
      }
      upstreams.append(upstream)
    }
    return upstreams
  }

  /// Those of the command line are added to those of the configuration.
  private static func redactions(
    _ arguments: ScannedArguments, _ configuration: FolderConfiguration, beside cassette: String
  ) throws(UsageError) -> RedactionRules? {
    if arguments.has(.noRedact) { return nil }
    do {
      return try RedactionRules(
        adding: configuration.redactions(beside: cassette) + arguments.values(.redact))
    } catch {
      throw arguments.error(.valueRefused(.redact, reason: error.description))
    }
  }
}

extension RecordOptions.Upstream {
  /// Why a value is refused. The value itself is never printed: it may hold a password.
  struct Refusal: Error {
    let reason: String
  }

  /// Parses `[NAME=]URL`. An `=` behind `://` belongs to the URL.
  init(parsing word: String) throws(Refusal) {
    var name: String?
    var url = word[...]
    if let equals = word.firstIndex(of: "="), !word[..<equals].contains("://") {
      name = String(word[..<equals])
      url = word[word.index(after: equals)...]
    }
    if let name, !name.isUpstreamName {
      throw Refusal(
        reason: "the name before = holds one or more letters, digits, - and _, nothing else")
    }
    do {
      self.init(name: name, url: try BaseURL(parsing: String(url)))
    } catch {
      throw Refusal(reason: error.description)
    }
  }
}

extension OptionValue {
  static let durabilityExpected =
    "process (survives the end of this process) or power (survives a power cut)"

  static func durability(_ text: String) -> Durability? {
    switch text {
    case "process": .process
    case "power": .power
    default: nil
    }
  }
}

extension String {
  fileprivate var isUpstreamName: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
