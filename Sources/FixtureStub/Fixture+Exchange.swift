import FixtureHTTP
import FixtureSetup
import Foundation

extension Fixture {
  /// One request and what became of it. Its members have the names that `URLRequest` gives them,
  /// because tests speak its language; in RFC 9110 they are fields and content.
  public struct Exchange: Sendable {
    /// How it ended, or that it has not.
    public typealias Outcome = FixtureOutcome

    private let entry: ExchangeEntry

    init(_ entry: ExchangeEntry) {
      self.entry = entry
    }

    /// From 1, in the order in which requests came. Each hop of a redirect is an exchange.
    public var number: Int { entry.number }
    /// As sent: `GET`.
    public var method: String { Self.text(entry.request.method.bytes) }
    /// The URL that was asked.
    public var url: String { entry.url }
    /// The request target (RFC 9112 §3.2): `/search?q=a%20b`.
    public var target: String { Self.text(entry.request.target) }
    /// The path of the target, without its query: `/search`.
    public var path: String { Self.text(RequestTarget.split(entry.request.target).path) }

    /// All of the query's pairs, decoded as a form is (`+` is a space), in their order. A name
    /// without `=` has an empty value.
    public var queryPairs: [(name: String, value: String)] {
      QueryPairs.pairs(RequestTarget.split(entry.request.target).query ?? []).map { pair in
        (name: Self.text(pair.name), value: Self.text(pair.value))
      }
    }

    /// The query's pairs by name; of a repeated name the first.
    public var query: [String: String] {
      Dictionary(queryPairs.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The request line and the header section as they would go over the wire, with CRLF after each
    /// line: also what URLSession and the configuration add.
    public var head: String {
      "\(method) \(target) \(entry.request.version.description)\r\n"
        + Self.text(entry.request.fields.bytes)
    }

    /// The fields in their order.
    public var headers: [(name: String, value: String)] {
      let fields = entry.request.fields
      return (0..<fields.count).map { index in
        (name: Self.text(fields.name(at: index)), value: Self.text(fields.value(at: index)))
      }
    }

    /// The value of a field, whatever the case of its name; repeated lines joined with `, ` (RFC
    /// 9110 §5.3). nil when there is none.
    public func header(_ name: String) -> String? {
      let name = name.lowercased()
      let values = headers.filter { $0.name.lowercased() == name }.map(\.value)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The content.
    public var body: Data { entry.content }
    /// When it came.
    public var received: FixtureClock.Instant { FixtureClock.Instant(ns: entry.received_ns) }
    /// nil while there is none, or when none came.
    public var status: Int? { entry.status }
    /// How it ended, or that it has not.
    public var outcome: Outcome { entry.outcome }
    /// Bytes of the response's head that the client was given, as on the wire.
    public var headBytesSent: Int { entry.headBytes }
    /// Bytes of content that the client was given, in their coding.
    public var bodyBytesSent: Int { entry.bodyBytes }
    /// The recording that it was answered from; nil for none.
    public var interaction: Int64? { entry.interaction }
    /// The rules of the scenario that had a part in the answer, from 1.
    public var rules: [Int] { entry.rules }
    /// What chance was drawn from; nil without a scenario.
    public var seed: UInt64? { entry.seed }

    /// What was to be done, a step a line, as `fixtured explain` tells it.
    public var steps: [String] {
      entry.script.map { $0.description.split(separator: "\n").map(String.init) } ?? []
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String {
      String(decoding: bytes, as: UTF8.self)
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
  public struct Recording: Sendable, Equatable, CustomStringConvertible {
    /// Its number in the cassette.
    public let interaction: Int64
    /// As recorded.
    public let method: String
    /// As recorded.
    public let target: String

    /// `interaction 3 GET /feed`.
    public var description: String { "interaction \(interaction) \(method) \(target)" }
  }

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
