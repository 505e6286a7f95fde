import FixtureCassette
@_exported public import FixtureFindings
import FixtureHTTP
import FixtureReplay
import FixtureStore
import Foundation

/// All that an engine needs to replay a cassette in process, checked.
package struct ReplaySetup: Sendable {
  /// What the cassette is called in messages.
  package let name: String
  /// Where it is opened; kept alive with this.
  package let path: String
  package let contents: CassetteContents
  package let match: MatchOptions
  package let options: Options
  package let dates: DatePolicy
  /// nil: everything as recorded.
  package let scenario: ScenarioSetup?
  private let redactions: [TextSource]
  private let file: CassetteFile

  package typealias Options = ReplayPlanning<CassetteReader>.Options

  /// - Throws: the first thing that can't be followed.
  package init(
    _ cassette: Cassette, scenario: FixtureScenario?, options: FixtureOptions
  ) throws(FixtureFailure) {
    file = cassette.file
    name = file.name
    path = try file.openablePath()
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    var match = MatchOptions()
    if file.path != nil {
      let configuration = try Self.configuration(beside: path)
      // These were checked when they were read.
      for line in configuration.matches { try Self.apply(line.text, to: &match) }
      redactions = Self.sources(configuration, beside: path)
    } else {
      redactions = []
    }
    if !options.matching.isEmpty { try Self.apply(options.matching, to: &match) }
    self.match = match
    contents = try file.contents(match)
    self.options = Options(
      pacing: try options.pacing(), exhausted: options.exhaustion, derives: options.derives)
    dates = options.datePolicy
    if scenario == nil, options.seed == nil, !options.givesReceipts {
      self.scenario = nil
    } else {
      self.scenario = try (scenario ?? "").setup(
        seed: options.seed, givesReceipts: options.givesReceipts, folder: folder)
    }
  }

  /// Reads the cassette for another purpose than answering.
  package func read<Value>(
    _ body: (CassetteReader) throws(StoreError) -> Value
  ) throws(FixtureFailure) -> Value {
    let reader = try makeReader()
    do throws(StoreError) {
      return try body(reader)
    } catch {
      throw .cassetteRefused(error.description)
    }
  }

  /// Whether somebody may record into the cassette; not when its interactions are inline.
  package var isRecordable: Bool { file.path != nil }

  /// A reader of its own for whoever answers on a thread of its own.
  package func makeReader() throws(FixtureFailure) -> CassetteReader {
    do {
      return try CassetteReader(path: path)
    } catch {
      throw .cassetteRefused(error.description)
    }
  }

  /// Plans for whoever answers on one thread.
  ///
  /// - Parameters:
  ///   - start: when the session starts, seconds since 1970.
  ///   - onMiss, onError: see `ReplayPlanning`.
  package func planning(
    _ session: ReplaySession, scenario: ScenarioSession?, start: Int64,
    onMiss: @escaping @Sendable (String) -> Void,
    onError: @escaping @Sendable (String) -> Void
  ) throws(FixtureFailure) -> ReplayPlanning<CassetteReader> {
    let reader = try makeReader()
    return ReplayPlanning(
      source: reader, index: contents.index,
      keys: MatchKeys(description: reader.description, options: match), options: options,
      session: session, scenario: scenario,
      dates: TimeShift(dates, start: start, latest: contents.latest),
      texts: LiveTexts(reader.description, secrets: secrets),
      command: file.path.map { RecordingCommand(cassette: $0, reader.description, match: match) },
      onMiss: onMiss, onError: onError)
  }

  /// The secrets that a `text:` rule of the cassette names, where they are known: in the
  /// environment, or in files that the `fixtured.conf` beside the cassette names.
  package func secrets(_ source: TextSource) -> [[UInt8]]? {
    SecretTexts.known(source, to: redactions)
  }

  private static func apply(
    _ words: String, to match: inout MatchOptions
  ) throws(FixtureFailure) {
    do {
      try match.apply(words)
    } catch {
      throw .optionInvalid("matching \(words.debugDescription): \(error.description)")
    }
  }

  private static func configuration(
    beside path: String
  ) throws(FixtureFailure) -> FolderConfiguration {
    do {
      return try ConfigurationFile.read(beside: path)
    } catch {
      let line = error.line.map { ", line \($0)" } ?? ""
      throw .configurationInvalid("\(error.path)\(line): \(error.reason)")
    }
  }

  private static func sources(
    _ configuration: FolderConfiguration, beside path: String
  ) -> [TextSource] {
    // They were parsed when the file was read.
    (try? RedactionRules(adding: configuration.redactions(beside: path)))?.texts ?? []
  }
}
