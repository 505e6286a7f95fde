import FixtureCassette
import FixtureHTTP
import FixtureReplay

/// What a request to the control API asks for. HEAD is answered where GET is.
///
///     GET    /v1/health
///     GET    /v1/openapi.json
///     GET    /v1/sessions                         POST creates one
///     GET    /v1/sessions/ID
///     DELETE /v1/sessions/ID                      ?connections-max=N&attempts-max=N
///     POST   /v1/sessions/ID/reset
///     PUT    /v1/sessions/ID/scenario
///     POST   /v1/sessions/ID/flags
///     POST   /v1/sessions/ID/etags
///     POST   /v1/sessions/ID/gates/NAME/release
///     PUT    /v1/sessions/ID/clock
///     GET    /v1/sessions/ID/exchanges            ?after=N&limit=N
///     GET    /v1/sessions/ID/exchanges/N
///     GET    /v1/sessions/ID/events               Last-Event-ID goes on
///     GET    /v1/sessions/ID/interactions         ?search=TEXT&after=N&limit=N
///     GET    /                                    the inspector
///     GET    /v1/sessions/ID/verdict              ?connections-max=N&attempts-max=N
///     GET    /metrics
package enum ControlRequest: Equatable, Sendable {
  case health
  case description
  case metrics
  case sessions
  case create(SessionRequest)
  case session(String)
  case delete(String, Verdict.Limits)
  case reset(String)
  case scenario(String, ScenarioRequest)
  case flags(String, raise: [String], clear: [String])
  /// nil: of everything.
  case tags(String, target: [UInt8]?)
  case release(String, gate: String)
  case clock(String, ClockRequest)
  case exchanges(String, after: Int, limit: Int)
  case exchange(String, Int)
  case verdict(String, Verdict.Limits)
  /// The exchanges that settle, as server-sent events; the answer does not end.
  case events(String, from: JournalCursor)
  case interactions(String, search: String, after: Int64, limit: Int)
  /// The page to look at sessions with.
  case inspector

  /// The rules of a session, and what they draw from.
  package struct ScenarioRequest: Equatable, Sendable {
    /// Rules, one a line; empty for none.
    package var text: String
    package var seed: UInt64?

    package init(text: String = "", seed: UInt64? = nil) {
      self.text = text
      self.seed = seed
    }
  }

  /// A session to be created.
  package struct SessionRequest: Equatable, Sendable {
    /// The name of a cassette in the folder of the one that is served; nil for that one.
    package var cassette: String?
    package var scenario = ScenarioRequest()
    /// In the words of `--match`, after those that the server was started with.
    package var match: String?
    package var pace: String?
    package var exhausted: String?
    package var date: String?
    package var givesReceipts = false
    /// Seconds without use after which it ends.
    package var lease_s: Int64 = Self.leaseStandard_s

    package init() {}

    package static let leaseStandard_s: Int64 = 600
    package static let leaseMax_s: Int64 = 86_400
  }

  /// What becomes of a session's clock, which dates are taken from.
  package enum ClockRequest: Equatable, Sendable {
    /// It stands still at this date, or at the present one.
    case freeze(HTTPDate?)
    /// It moves on by so many seconds, and stands or runs as before.
    case advance(seconds: Int64)
    /// It runs as the real one does.
    case run
  }

  /// More interactions than this come in several answers.
  package static let interactionsMax = 500
  /// More exchanges than this come in several answers.
  package static let exchangesMax = 1000
  /// Of a request to the API.
  package static let contentBytesMax = 1 << 20
}

extension ControlRequest {
  /// - Parameters:
  ///   - content: read whole.
  /// - Throws: what is wrong, with the status that says so.
  package init(_ head: RequestHead, content: [UInt8]) throws(ControlError) {
    let (path, query) = RequestTarget.split(head.target)
    let segments = path.split(separator: 0x2F, omittingEmptySubsequences: false).dropFirst()
      .map { String(decoding: PercentEncoding.decoded($0), as: UTF8.self) }
    let route = ControlRoute(
      segments: segments, query: query.map(Array.init) ?? [], method: head.method,
      content: content, lastEvent: head.fields.first(.lastEventID).map(Array.init))
    if !content.isEmpty { try Self.checkType(head) }
    self = try route.request()
  }

  /// Only a type that no page may send to another origin unasked.
  private static func checkType(_ head: RequestHead) throws(ControlError) {
    let types = head.fields.all(.contentType)
    let name = types.first?.prefix { $0 != 0x3B }.trimmingOptionalWhitespace
    guard types.count == 1, name?.map(\.asciiLowercased) == Array("application/json".utf8) else {
      throw ControlError(415, "content must have Content-Type: application/json")
    }
  }
}

extension FieldName {
  static let lastEventID = FieldName("last-event-id")
}

/// Why a request to the control API is refused.
package struct ControlError: Error, Equatable, Sendable {
  /// 400–599.
  package let status: Int
  /// What is wrong and what is expected, in one sentence.
  package let detail: String
  /// Of a 405: what is allowed.
  package let allow: String?

  package init(_ status: Int, _ detail: String, allow: String? = nil) {
    self.status = status
    self.detail = detail
    self.allow = allow
  }

  /// What the answer says beside its content.
  package var fields: FieldSection {
    var fields = FieldSection()
    if let allow { fields.append("Allow", allow) }
    // RFC 9110 §15.5.2: "The server generating a 401 response MUST send a WWW-Authenticate
    // header field".
    if status == 401 { fields.append("WWW-Authenticate", "Bearer realm=\"fixtured\"") }
    return fields
  }
}
