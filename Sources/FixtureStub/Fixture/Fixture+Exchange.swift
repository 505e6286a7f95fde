import FixtureReplay
import FixtureSetup
import Foundation

extension Fixture {
  /// One request and what became of it. Its members have the names that `URLRequest` gives them,
  /// because tests speak its language; in RFC 9110 they are fields and content.
  public struct Exchange: Sendable {
    /// How it ended, or that it has not.
    public typealias Outcome = FixtureOutcome

    private let entry: JournalEntry
    private let text: RequestText
    /// What chance was drawn from; nil without a scenario.
    public let seed: UInt64?

    init(_ entry: JournalEntry, seed: UInt64?) {
      self.entry = entry
      self.seed = seed
      text = RequestText(entry.request)
    }

    /// From 1, in the order in which requests came. Each hop of a redirect is an exchange.
    public var number: Int { entry.number }
    /// As sent: `GET`.
    public var method: String { text.method }
    /// The URL that was asked.
    public var url: String { entry.inProcess?.url ?? "" }
    /// The request target (RFC 9112 §3.2): `/search?q=a%20b`.
    public var target: String { text.target }
    /// The path of the target, without its query: `/search`.
    public var path: String { text.path }
    /// The query's pairs, decoded as a form is (`+` is a space); of a repeated name the first.
    public var query: [String: String] { text.query }
    /// All of the query's pairs, decoded, in their order. A name without `=` has an empty value.
    public var queryPairs: [(name: String, value: String)] { text.queryPairs }
    /// The request line and the header section as they would go over the wire, with CRLF after each
    /// line: also what URLSession and the configuration add.
    public var head: String { text.head }
    /// The fields in their order, repeats and the case of names kept.
    public var headers: [(name: String, value: String)] { text.headers }

    /// The value of a field, whatever the case of its name; repeated lines joined with `, ` (RFC
    /// 9110 §5.3). nil when there is none.
    public func header(_ name: String) -> String? { text.header(name) }

    /// The content; its first 64 MiB of more.
    public var body: Data { Data(entry.content) }
    /// When it came.
    public var received: FixtureClock.Instant { FixtureClock.Instant(ns: entry.received_ns) }
    /// nil while there is none, or when none came.
    public var status: Int? { entry.status }
    /// How it ended, or that it has not.
    public var outcome: Outcome { entry.outcome }
    /// Bytes of the response's head that the client was given, as on the wire.
    public var headBytesSent: Int { Int(entry.headBytesSent) }
    /// Bytes of content that the client was given, in their coding.
    public var bodyBytesSent: Int { Int(entry.bodyBytesSent) }
    /// From when it came until the client was given the response's head; nil while it was not.
    public var timeToHead: Duration? { entry.timeToHead }
    /// How much later than planned that was; nil while it was not.
    public var lateness: Duration? { entry.lateness }
    /// From when it came until it ended; nil while it is open.
    public var duration: Duration? { entry.duration }
    /// The recording that answers it, by its number in the cassette; nil when none does.
    public var interaction: Int? { entry.interaction.map { Int($0) } }
    /// The rules of the scenario that had a part in the answer, from 1.
    public var rules: [Int] { entry.rules }
    /// Whether the cassette has no recording of it.
    public var isMiss: Bool { entry.isMiss }

    /// What was to be done, a step a line, as `fixtured explain` tells it.
    public var steps: [String] {
      entry.inProcess?.script.map {
        $0.description.split(separator: "\n").map(String.init)
      } ?? []
    }
  }

  /// A request that no recording answers.
  public struct Miss: Sendable, Equatable, CustomStringConvertible {
    /// The number of its exchange.
    public let exchange: Int
    /// What was asked, the nearest recordings with what differs, and what would make it match.
    public let text: String

    /// What was asked, the nearest recordings with what differs, and what would make it match.
    public var description: String { text }
  }

  /// A recording of the cassette.
  public typealias Recording = FixtureRecording

  /// A request that came, or was still open, after `finish()`.
  public struct Straggler: Sendable, Equatable, CustomStringConvertible {
    /// As sent.
    public let method: String
    /// The URL that was asked.
    public let url: String
    /// Whether its answer was still open then; else it came later.
    public let wasOpen: Bool

    /// `GET https://api.example.com/feed, which came after the end`.
    public var description: String {
      "\(method) \(url), which \(wasOpen ? "was still open at" : "came after") the end"
    }
  }
}
