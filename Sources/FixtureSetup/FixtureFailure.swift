/// Why a fixture can't be set up. `description` says what, where and what to do next.
public enum FixtureFailure: Error, Equatable, CustomStringConvertible {
  /// No cassette of this name lies in any of these places.
  case cassetteMissing(name: String, searched: [String])
  /// The file can't be read, or is no cassette; in words.
  case cassetteRefused(String)
  /// An inline interaction can't be sent; what is wrong with it.
  case interactionInvalid(String)
  /// The scenario, its section or a file it names can't be followed.
  case scenarioInvalid(String)
  /// The words of an option can't be followed: which one, and why.
  case optionInvalid(String)
  /// The `fixtured.conf` beside the cassette can't be followed.
  case configurationInvalid(String)

  /// What failed, where, and what to do.
  public var description: String {
    switch self {
    case .cassetteMissing(let name, let searched):
      "there is no cassette \(name.debugDescription); looked for "
        + searched.joined(separator: ", ")
        + ": record it with `fixtured record --upstream URL CASSETTE`, or correct the name"
    case .cassetteRefused(let reason), .interactionInvalid(let reason),
      .scenarioInvalid(let reason), .optionInvalid(let reason), .configurationInvalid(let reason):
      reason
    }
  }
}
