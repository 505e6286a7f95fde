import FixtureEventLoop
import FixtureReplay
import FixtureSetup
import FoundationEssentials

extension FixtureServer {
  /// A request as it was received. Its members have the names that `URLRequest` gives them, because
  /// tests speak its language; in RFC 9110 they are fields and content.
  public struct Request: Sendable {
    /// As sent: `GET`.
    public var method: String { text.method }
    /// The request target as sent (RFC 9112 §3.2): `/search?q=a%20b`.
    public var target: String { text.target }
    /// The path of the target as sent, without its query: `/search`.
    public var path: String { text.path }
    /// The query's pairs, decoded as a form is (`+` is a space); of a repeated name the first.
    public var query: [String: String] { text.query }
    /// All of the query's pairs, decoded, in their order. A name without `=` has an empty value.
    public var queryPairs: [(name: String, value: String)] { text.queryPairs }
    /// The request line and the header section, with CRLF after each line. Optional whitespace
    /// around values is one space before them.
    public var head: String { text.head }
    /// The fields in their order, repeats and the case of names kept.
    public var headers: [(name: String, value: String)] { text.headers }
    /// The content, without framing.
    public let body: Data
    /// The TCP connection it came on, from 1 in the order in which they were accepted.
    public let connection: Int
    /// When the head was read.
    public let received: ContinuousClock.Instant

    /// The value of a field, whatever the case of its name; repeated lines joined with `, ` (RFC
    /// 9110 §5.3). nil when there is none.
    public func header(_ name: String) -> String? { text.header(name) }

    private let text: RequestText

    /// The same instant on the clock of servers and on the one that tests ask.
    private static let same = (ns: MonotonicClock.now_ns(), instant: ContinuousClock.now)

    private static func instant(at ns: Int64) -> ContinuousClock.Instant {
      same.instant.advanced(by: .nanoseconds(ns - same.ns))
    }

    init(_ entry: JournalEntry) {
      text = RequestText(entry.request)
      body = Data(entry.content)
      connection = entry.connection
      received = Self.instant(at: entry.received_ns)
    }
  }
}
