import FixtureHTTP

/// A request as tests read it: its parts as text, which are made when they are asked for.
package struct RequestText: Sendable {
  private let request: RequestHead

  package init(_ request: RequestHead) {
    self.request = request
  }

  package var method: String { Self.text(request.method.bytes) }
  package var target: String { Self.text(request.target) }
  package var path: String { Self.text(RequestTarget.split(request.target).path) }

  package var queryPairs: [(name: String, value: String)] {
    QueryPairs.pairs(RequestTarget.split(request.target).query ?? []).map { pair in
      (name: Self.text(pair.name), value: Self.text(pair.value))
    }
  }

  /// Of a repeated name the first.
  package var query: [String: String] {
    Dictionary(queryPairs.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// The request line and the header section, with CRLF after each line.
  package var head: String {
    "\(method) \(target) \(request.version.description)\r\n" + Self.text(request.fields.bytes)
  }

  package var headers: [(name: String, value: String)] {
    let fields = request.fields
    return (0..<fields.count).map { index in
      (name: Self.text(fields.name(at: index)), value: Self.text(fields.value(at: index)))
    }
  }

  /// Repeated lines joined with `, ` (RFC 9110 §5.3); nil when there is none.
  package func header(_ name: String) -> String? {
    let name = name.lowercased()
    let values = headers.filter { $0.name.lowercased() == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  private static func text(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
