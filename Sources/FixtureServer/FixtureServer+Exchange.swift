import FixtureReplay
import FixtureSetup

extension FixtureServer {
  /// One request and what became of it. The members of the request are its own, too:
  /// `exchange.path`.
  @dynamicMemberLookup
  public struct Exchange: Sendable {
    /// How it ended, or that it has not.
    public typealias Outcome = FixtureOutcome

    /// From 1, in the order in which request heads were read.
    public let number: Int
    /// What was asked.
    public let request: Request
    /// nil while there is none, or when what was sent is no response.
    public let status: Int?
    /// How it ended, or that it has not.
    public let outcome: Outcome
    /// Bytes of response heads, interim ones included.
    public let headBytesSent: Int
    /// Bytes that followed the heads, framing included (RFC 9112 §6).
    public let bodyBytesSent: Int
    /// From when the request head was read until the response head was sent; nil while none was.
    public let timeToHead: Duration?
    /// How much later than planned the response head was sent; nil while none was.
    public let lateness: Duration?
    /// From when the request head was read until the exchange ended; nil while it is open.
    public let duration: Duration?
    /// The recording that answers it, by its number in the cassette; nil when none does.
    public let interaction: Int?
    /// The rules of the scenario that had a part in the answer, from 1.
    public let rules: [Int]
    /// Whether the cassette has no recording of it.
    public let isMiss: Bool

    /// A member of the request: `exchange.path` is `exchange.request.path`.
    public subscript<Member>(dynamicMember member: KeyPath<Request, Member>) -> Member {
      request[keyPath: member]
    }

    /// See `Request.header(_:)`.
    public func header(_ name: String) -> String? { request.header(name) }

    init(_ entry: JournalEntry) {
      number = entry.number
      request = Request(entry)
      status = entry.status
      outcome = entry.outcome
      headBytesSent = Int(entry.headBytesSent)
      bodyBytesSent = Int(entry.bodyBytesSent)
      timeToHead = entry.timeToHead
      lateness = entry.lateness
      duration = entry.duration
      interaction = entry.interaction.map { Int($0) }
      rules = entry.rules
      isMiss = entry.isMiss
    }
  }
}
