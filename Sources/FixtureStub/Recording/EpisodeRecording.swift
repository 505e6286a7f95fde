/// What a fixture does with requests that its cassette has not: they are sent to where they belong,
/// and what comes of them is stored when the test is over.
package struct EpisodeRecording: Sendable {
  /// What is held in memory for one test until it ends.
  package static let bytesStandardMax = 256 << 20

  let recorder: EpisodeRecorder
  private let file: EpisodeFile
  private let replaces: Bool

  /// - Parameters:
  ///   - replaces: whether what an earlier process recorded goes, once something was recorded.
  ///   - bytesMax: of contents; a request beyond it fails.
  package init(
    into file: EpisodeFile, replaces: Bool, bytesMax: Int = bytesStandardMax
  ) {
    recorder = EpisodeRecorder(bytesMax: bytesMax)
    self.file = file
    self.replaces = replaces
  }

  /// Stores what was recorded; for after the fixture's end, once.
  /// - Returns: what was not stored, and why.
  package func store() throws(EpisodeFile.Failure) -> [String] {
    try file.store(recorder.episodes, replaces: replaces)
  }
}

extension Fixture {
  /// A replay that records what the cassette has not.
  package convenience init(
    replaying cassette: Cassette, scenario: FixtureScenario?, options: FixtureOptions,
    clock: FixtureClock, recording: EpisodeRecording
  ) throws(FixtureFailure) {
    try self.init(
      replaying: cassette, scenario: scenario, options: options, clock: clock,
      errorCodes: .common, findsQueues: true, recording: recording)
  }
}
