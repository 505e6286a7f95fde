import FixtureCassette
import FixtureHTTP

/// A request that no interaction answers, and why.
///
/// Printable whatever the request held: odd bytes are escaped, values in redacted places are not
/// part of it.
package struct Miss: Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    /// No recording has its method, target and upstream.
    case notRecorded
    /// There are recordings of it, none with this content, these fields or these placeholders.
    case differs(recordings: Int)
    /// As many as there are recordings have been played, and `Exhausted.miss` is asked for.
    case exhausted(recordings: Int)
    /// The content of the recording was not stored.
    case contentOmitted(interaction: Int64)
    /// Recorded for these authorities, and the request names none of them.
    case ambiguous(authorities: [[UInt8]])
    /// Recorded only for clients that had the content, or of which part.
    case partial(recordings: Int)
  }

  /// A recording close to what was asked for.
  package struct Nearest: Equatable, Sendable {
    package let interaction: Int64
    package let method: Method
    /// As recorded, without the values of redacted places.
    package let target: [UInt8]
    /// None when it is used up.
    package let differences: Differences

    package init(
      interaction: Int64, method: Method, target: [UInt8], differences: Differences
    ) {
      self.interaction = interaction
      self.method = method
      self.target = target
      self.differences = differences
    }
  }

  package let reason: Reason
  package let method: Method
  /// As sent, without the values of redacted places.
  package let target: [UInt8]
  package let upstream: String?
  package let requestContent: ContentIdentity
  /// By what recordings were looked for.
  package let match: MatchOptions
  /// At most `nearestMax`, the closest first.
  package let nearest: [Nearest]
  /// What records it.
  package let command: String
  /// Tells misses apart.
  package let key: UInt64
  /// Whether the same miss happened before in this session: it need not be reported again.
  package let isRepeated: Bool
  /// When it happened, seconds since 1970.
  package let date: Int64

  /// Enough to see what is different, few enough to read.
  package static let nearestMax = 3

  package init(
    _ reason: Reason, method: Method, target: [UInt8], upstream: String?,
    requestContent: ContentIdentity, match: MatchOptions = .init(), nearest: [Nearest] = [],
    command: String, key: UInt64, isRepeated: Bool, date: Int64
  ) {
    self.reason = reason
    self.method = method
    self.target = target
    self.upstream = upstream
    self.requestContent = requestContent
    self.match = match
    self.nearest = nearest
    self.command = command
    self.key = key
    self.isRepeated = isRepeated
    self.date = date
  }

  /// The option with which the nearest recording would have answered; nil when there is none.
  package var option: String? {
    switch reason {
    case .notRecorded, .differs: nearest.first?.differences.change.map(option(changing:))
    case .exhausted: "--exhausted repeat"
    case .ambiguous: option(changing: "-authority")
    case .contentOmitted, .partial: nil
    }
  }

  /// The option that says what this replay looks for, changed by words. It stands for itself: on a
  /// command line of its own a change alone would change the standard.
  func option(changing change: String) -> String {
    var words = change
    if match != MatchOptions() {
      var changed = match
      do throws(MatchOptionsError) {
        try changed.apply(change)
        words = changed.words
      } catch {
        // Words that can't be said are not among the changes that are offered.
      }
    }
    return "--match " + ShellWord.quoted(words)
  }
}

extension Miss.Reason {
  /// The reason in one word for programs.
  package var word: String {
    switch self {
    case .notRecorded: "not-recorded"
    case .differs: "differs"
    case .exhausted: "exhausted"
    case .contentOmitted: "content-omitted"
    case .ambiguous: "ambiguous"
    case .partial: "partial"
    }
  }
}
