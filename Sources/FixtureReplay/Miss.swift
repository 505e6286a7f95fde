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
    /// There are recordings of it, none with this content or these placeholders.
    case differs(recordings: Int)
    /// As many as there are recordings have been played, and `Exhausted.miss` is asked for.
    case exhausted(recordings: Int)
    /// The content of the recording was not stored.
    case contentOmitted(interaction: Int64)
    /// Recorded for these authorities, and the request names none of them.
    case ambiguous(authorities: [[UInt8]])
  }

  /// A recording close to what was asked for, and the parts that differ.
  package struct Nearest: Equatable, Sendable {
    package enum Part: String, Equatable, Sendable {
      case method, path, query, content, placeholder, header, authority
    }

    package let interaction: Int64
    package let method: Method
    package let target: [UInt8]
    package let differs: [Part]

    package init(interaction: Int64, method: Method, target: [UInt8], differs: [Part]) {
      self.interaction = interaction
      self.method = method
      self.target = target
      self.differs = differs
    }
  }

  package let reason: Reason
  package let method: Method
  /// As sent, without the values of redacted places.
  package let target: [UInt8]
  package let upstream: String?
  package let requestContent: ContentIdentity
  /// At most `nearestMax`, the closest first.
  package let nearest: [Nearest]
  /// Whether the same miss happened before in this session: it need not be reported again.
  package let isRepeated: Bool
  /// When it happened, seconds since 1970.
  package let date: Int64

  /// Enough to see what is different, few enough to read.
  package static let nearestMax = 3

  package init(
    _ reason: Reason, method: Method, target: [UInt8], upstream: String?,
    requestContent: ContentIdentity, nearest: [Nearest] = [], isRepeated: Bool, date: Int64
  ) {
    self.reason = reason
    self.method = method
    self.target = target
    self.upstream = upstream
    self.requestContent = requestContent
    self.nearest = nearest
    self.isRepeated = isRepeated
    self.date = date
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
    }
  }

  /// What is wrong, as the end of a sentence that begins with the request.
  var words: String {
    switch self {
    case .notRecorded: "is not in the cassette"
    case .differs(let recordings):
      "is recorded \(times(recordings)), each time with other content, fields or secrets"
    case .exhausted(let recordings): "is recorded \(times(recordings)), already used"
    case .contentOmitted(let interaction):
      "is interaction \(interaction), whose content was not stored"
    case .ambiguous(let authorities):
      "is recorded for \(authorities.map { PrintableText.of($0) }.joined(separator: " and ")), "
        + "and its Host names none of them"
    }
  }

  /// What to do about it.
  var advice: String {
    switch self {
    case .notRecorded, .differs: "record it with fixtured record --mode new-episodes"
    case .exhausted: "replay with --exhausted repeat or cycle, or start the replay again"
    case .contentOmitted: "record it again so that its content is stored"
    case .ambiguous:
      "send one of them as Host, or replay with --match -authority to take them in recorded order"
    }
  }

  private func times(_ count: Int) -> String { count == 1 ? "1 time" : "\(count) times" }
}

extension Miss: CustomStringConvertible {
  /// One line for a log: what, where, what to do.
  package var description: String {
    let place = upstream.map { " of \($0)" } ?? ""
    var line = "\(request)\(place) \(reason.words)"
    if let nearest = nearest.first { line += ", nearest is \(nearest)" }
    return "\(line), \(reason.advice)"
  }

  /// Method and target in printable ASCII.
  var request: String {
    "\(PrintableText.of(method.bytes)) \(PrintableText.of(target))"
  }
}

extension Miss.Nearest: CustomStringConvertible {
  package var description: String {
    let request = "\(PrintableText.of(method.bytes)) \(PrintableText.of(target))"
    let parts = differs.map(\.rawValue).joined(separator: ", ")
    return "interaction \(interaction) \(request) (other \(parts))"
  }
}
