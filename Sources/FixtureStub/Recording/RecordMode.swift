/// What a test records instead of replaying it; asked for by `FIXTURED_RECORD`, never by itself.
package enum RecordMode: String, Sendable, CaseIterable {
  /// When there is no cassette yet.
  case once
  /// What the cassette has not.
  case newEpisodes = "new-episodes"
  /// Everything, in place of what the cassette has.
  case all

  /// Why nothing is recorded though it was asked for.
  package enum Refusal: Error, Equatable, CustomStringConvertible {
    case unknown(String)
    case onCI

    /// What, and what to do.
    package var description: String {
      switch self {
      case .unknown(let word):
        "FIXTURED_RECORD is \(word.debugDescription): give once, new-episodes or all, or leave it "
          + "out to replay"
      case .onCI:
        "FIXTURED_RECORD is set on a machine that says it is a CI (CI is set), where nothing is "
          + "recorded: leave it out, or set FIXTURED_RECORD_ON_CI=1 as well"
      }
    }
  }

  /// - Returns: nil when nothing is to be recorded.
  package static func asked(
    by environment: [String: String]
  ) throws(Refusal) -> RecordMode? {
    guard let word = environment["FIXTURED_RECORD"], !word.isEmpty, word != "none" else {
      return nil
    }
    guard let mode = RecordMode(rawValue: word) else { throw .unknown(word) }
    let isCI = !["", "0", "false"].contains(environment["CI", default: ""].lowercased())
    guard !isCI || environment["FIXTURED_RECORD_ON_CI"] == "1" else { throw .onCI }
    return mode
  }
}
