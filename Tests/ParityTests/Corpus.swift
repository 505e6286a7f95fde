import FixtureCassette
import FixtureCoding
import FixtureHTTP
import FixtureSetup
import FixtureStore
import Foundation

/// A cassette with every kind of answer, each under a path of its own.
enum Corpus {
  static let upstream = "http://api.test"
  private static let json = Array(#"{"id": 42, "name": "Ada", "tags": ["a", "b"]}"#.utf8)

  /// A recorded answer.
  struct Recorded {
    var path: String
    var method = "GET"
    var status = 200
    var fields: [(String, String)] = []
    var framing = RecordedFraming.length
    /// In the pieces in which they came.
    var pieces: [[UInt8]] = []
    var interims: [Int] = []
    var trailers: [(String, String)] = []
    var outcome = Outcome.complete
    var requestFields: [(String, String)] = []
    var requestContent: [UInt8]?
  }

  static let answers: [Recorded] = [
    Recorded(path: "/json", fields: [typed, ("ETag", "\"v1\""), modified], pieces: [json]),
    Recorded(path: "/empty", pieces: [[]]),
    Recorded(path: "/no-content", status: 204, framing: .none),
    Recorded(path: "/large", pieces: [[UInt8](repeating: 0x61, count: 300_000)]),
    Recorded(
      path: "/chunked", fields: [typed], framing: .chunked,
      pieces: [Array(json.prefix(9)), Array(json.dropFirst(9))]),
    Recorded(path: "/until-close", framing: .untilClose, pieces: [json]),
    Recorded(path: "/http-error", status: 404, fields: [typed], pieces: [Array("{}".utf8)]),
    Recorded(
      path: "/unavailable", status: 503, fields: [("Retry-After", "2")],
      pieces: [Array("later".utf8)]),
    Recorded(
      path: "/interim", pieces: [json], interims: [103]),
    Recorded(
      path: "/repeated", fields: [("X-A", "1"), ("X-A", "2"), ("x-b", " 3")], pieces: [json]),
    Recorded(
      path: "/cookie", fields: [("Set-Cookie", "session=abc; Path=/; HttpOnly")], pieces: [json]),
    Recorded(
      path: "/whoami", pieces: [Array("welcome".utf8)], requestFields: [("Cookie", "session=abc")]),
    Recorded(path: "/gzip", fields: [typed, ("Content-Encoding", "gzip")], pieces: [gzipped]),
    Recorded(
      path: "/gzip-broken", fields: [typed, ("Content-Encoding", "gzip")],
      pieces: [Array(gzipped.prefix(12)) + [UInt8](repeating: 0xFF, count: 20)]),
    Recorded(path: "/moved", status: 302, fields: [("Location", "/json")], pieces: [[]]),
    Recorded(
      path: "/moved-absolute", status: 301, fields: [("Location", upstream + "/json")],
      pieces: [[]]),
    Recorded(
      path: "/see-other", method: "POST", status: 303, fields: [("Location", "/json")],
      pieces: [[]], requestContent: Array("a=1".utf8)),
    Recorded(path: "/moved-nowhere", status: 302, fields: [("Location", "/none")], pieces: [[]]),
    Recorded(
      path: "/bearer", status: 401, fields: [("WWW-Authenticate", "Bearer realm=\"x\"")],
      pieces: [Array("no".utf8)]),
    Recorded(
      path: "/post", method: "POST", status: 201, pieces: [json],
      requestContent: Array("hello".utf8)),
    Recorded(path: "/put", method: "PUT", pieces: [json], requestContent: Array("hello".utf8)),
    Recorded(path: "/delete", method: "DELETE", status: 204, framing: .none),
    Recorded(
      path: "/cut", fields: [("Content-Length", "\(json.count + 10)")], pieces: [json],
      outcome: .truncated),
    Recorded(path: "/cut-chunked", framing: .chunked, pieces: [json], outcome: .truncated),
    Recorded(
      path: "/reset", fields: [("Content-Length", "\(json.count + 10)")], pieces: [json],
      outcome: .reset),
  ]

  private static let typed = ("Content-Type", "application/json")
  private static let modified = ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
  private static let gzipped = encoded(json)

  private static func encoded(_ content: [UInt8]) -> [UInt8] {
    do {
      return try ContentEncoder.encoded(content, [.gzip])
    } catch {
      preconditionFailure("gzip: \(error)")
    }
  }

  /// The cassette, in a file that is the caller's to remove.
  static func write(to path: String) throws -> Cassette {
    let writer = try CassetteWriter.create(
      path: path, description: CassetteDescription(upstreams: [.init(name: nil, url: upstream)]),
      durability: .process)
    let drafts = answers.enumerated().map { draft($1, id: Int64($0 + 1)) }
    writer.commit(drafts) { _ in }
    try writer.close()
    return try Cassette(contentsOf: URL(fileURLWithPath: path))
  }

  private static func draft(_ answer: Recorded, id: Int64) -> InteractionDraft {
    let content = answer.pieces.flatMap { $0 }
    var request = RequestHead(
      method: Method(Array(answer.method.utf8)), target: Array(answer.path.utf8), version: .http11)
    request.fields = section([("Host", "api.test")] + answer.requestFields)
    if let content = answer.requestContent {
      request.fields.append("Content-Length", "\(content.count)")
    }
    var fields = section([("Date", "Sun, 06 Nov 1994 08:49:37 GMT")] + answer.fields)
    switch answer.framing {
    case .length where !fields.contains(.contentLength):
      fields.append("Content-Length", "\(content.count)")
    case .chunked: fields.append("Transfer-Encoding", "chunked")
    case .none, .length, .untilClose: break
    }
    var arrivals = Arrivals()
    for piece in answer.pieces where !piece.isEmpty {
      arrivals.append(offset_us: 0, count: Int64(piece.count))
    }
    let interaction = Interaction(
      id: id, startedAt_us: 784_111_777_000_000, scheme: "http", authority: "api.test",
      request: request,
      response: RecordedResponse(
        head: ResponseHead(
          status: answer.status, reason: Array("\(ReasonPhrase.standard(answer.status))".utf8),
          fields: fields),
        framing: answer.framing, trailers: section(answer.trailers),
        arrivals: arrivals),
      interims: answer.interims.map {
        RecordedInterim(
          offset_us: 0, head: ResponseHead(status: $0, reason: Array("Early Hints".utf8)))
      },
      outcome: answer.outcome)
    return InteractionDraft(
      interaction: interaction, requestBody: answer.requestContent.map { .bytes($0) } ?? .absent,
      responseBody: answer.framing == .none ? .absent : .bytes(content))
  }

  private static func section(_ fields: [(String, String)]) -> FieldSection {
    var section = FieldSection()
    for (name, value) in fields { section.append(name: Array(name.utf8), value: Array(value.utf8)) }
    return section
  }
}
