import FixtureCassette
import FixtureHTTP

/// What a client gets when the upstream gave no response: recorder and replay answer with it, so
/// that a recorded failure replays as it was seen. Never stored as the origin's.
package struct GatewayAnswer: Equatable, Sendable {
  /// 504 for a passed deadline, else 502 (RFC 9110 §15.6.3, §15.6.5).
  package let head: ResponseHead
  /// `application/problem+json` (RFC 9457).
  package let content: [UInt8]

  /// - Parameter detail: what happened, in words, as it is stored beside the outcome.
  package init(_ outcome: Outcome, detail: String?) {
    let timedOut = outcome == .timeout
    let status = timedOut ? 504 : 502
    let reason = timedOut ? "Gateway Timeout" : "Bad Gateway"
    var json = JSONText()
    json.object { json in
      json.member("type", "urn:fixtured:upstream-failure")
      json.member("title", Self.title(outcome))
      json.member("status", Int64(status))
      json.member("detail", detail ?? Self.title(outcome))
      json.member("outcome", outcome.rawValue)
    }
    content = json.bytes
    var fields = FieldSection()
    fields.append("Content-Type", "application/problem+json")
    fields.append("Content-Length", String(content.count))
    fields.append("Cache-Control", "no-store")
    fields.append("Fixtured-Outcome", outcome.rawValue)
    head = ResponseHead(status: status, reason: Array(reason.utf8), fields: fields)
  }

  private static func title(_ outcome: Outcome) -> String {
    switch outcome {
    case .refused: "no connection to the upstream could be made"
    case .dns: "the upstream's name did not resolve"
    case .tls: "the TLS handshake with the upstream failed"
    case .timeout: "the upstream did not answer in time"
    case .reset: "the upstream reset the connection before it answered"
    case .truncated: "the upstream gave no whole response"
    case .cancelled: "the client left before the upstream answered"
    case .complete: "the upstream did not answer"
    }
  }
}
