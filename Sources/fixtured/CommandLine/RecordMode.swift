/// What recording does with a cassette that exists already; the words are those of `--mode`.
enum RecordMode: String, Equatable, Sendable, CaseIterable {
  /// Records a new file; replays an existing one and refuses the rest.
  case once
  /// Replays what matches and records the rest.
  case newEpisodes = "new-episodes"
  /// Records everything anew and replaces the file at a clean end.
  case all
  /// Replays an existing file and refuses the rest.
  case none

  static let expected = "once, new-episodes, all or none"

  /// The mode to work in, once it is known whether the cassette exists.
  ///
  /// An existing file without `--mode` is refused, because each mode would surprise someone: one
  /// replaces the recording, another makes no recording at all.
  /// - Throws: a usage error that names the choices.
  static func resolve(
    _ given: RecordMode?, cassette: String, exists: Bool
  ) throws(UsageError) -> RecordMode {
    switch (given, exists) {
    case (nil, true): throw UsageError(.modeMissing(cassette: cassette), in: .record)
    case (RecordMode.none?, false):
      throw UsageError(.cassetteMissing(cassette: cassette), in: .record)
    case (nil, false): return .once
    case (let mode?, _): return mode
    }
  }
}
