import FixtureHTTP
import FixtureReplay
import FoundationEssentials

extension FixtureServer {
  /// A request as it was received. Its members have the names that `URLRequest` gives them, because
  /// tests speak its language; in RFC 9110 they are fields and content.
  public struct Request: Sendable {
    /// As sent: `GET`.
    public let method: String
    /// The request target as sent (RFC 9112 §3.2): `/search?q=a%20b`.
    public let target: String
    /// The path of the target as sent, without its query: `/search`.
    public let path: String
    /// The query's pairs, decoded as a form is (`+` is a space); of a repeated name the first.
    public let query: [String: String]
    /// All of the query's pairs, decoded, in their order. A name without `=` has an empty value.
    public let queryPairs: [(name: String, value: String)]
    /// The request line and the header section, with CRLF after each line. Optional whitespace
    /// around values is one space before them.
    public let head: String
    /// The fields in their order, repeats and the case of names kept.
    public let headers: [(name: String, value: String)]
    /// The content, without framing.
    public let body: Data
    /// The TCP connection it came on, from 1 in the order in which they were accepted.
    public let connection: Int
    /// When the head was read.
    public let received: ContinuousClock.Instant

    /// The value of a field, whatever the case of its name; repeated lines joined with `, ` (RFC
    /// 9110 §5.3). nil when there is none.
    public func header(_ name: String) -> String? {
      let name = name.lowercased()
      let values = headers.filter { $0.name.lowercased() == name }.map(\.value)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    init(_ entry: JournalEntry) {
      let request = entry.request
      let target = String(decoding: request.target, as: UTF8.self)
      method = String(decoding: request.method.bytes, as: UTF8.self)
      self.target = target
      let (path, pairs) = Self.parts(of: request.target)
      self.path = path
      queryPairs = pairs
      query = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
      let line = "\(method) \(target) \(request.version.description)\r\n"
      head = line + String(decoding: request.fields.bytes, as: UTF8.self)
      headers = (0..<request.fields.count).map { index in
        (
          name: String(decoding: request.fields.name(at: index), as: UTF8.self),
          value: String(decoding: request.fields.value(at: index), as: UTF8.self)
        )
      }
      body = Data(entry.content)
      connection = entry.connection
      received = entry.received
    }

    private static func parts(
      of target: [UInt8]
    ) -> (path: String, pairs: [(name: String, value: String)]) {
      let (path, query) = RequestTarget.split(target)
      let pairs = QueryPairs.pairs(query ?? []).map { pair in
        (
          name: String(decoding: pair.name, as: UTF8.self),
          value: String(decoding: pair.value, as: UTF8.self)
        )
      }
      return (String(decoding: path, as: UTF8.self), pairs)
    }
  }
}
