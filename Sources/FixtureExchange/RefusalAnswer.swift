import FixtureHTTP
import FixtureHTTP1
import FixtureReplay

/// Answers that fixtured itself gives to requests it can't take; never recorded.
package struct RefusalAnswer: Equatable, Sendable {
  package let head: ResponseHead
  /// `application/problem+json` (RFC 9457).
  package let content: [UInt8]

  /// - Parameters:
  ///   - status: 400–599.
  ///   - detail: what is wrong, in one sentence, without anything secret.
  ///   - date: seconds since 1970.
  package init(status: Int, detail: String, date: Int64) {
    let title = Self.title(status)
    var json = JSONText()
    json.object {
      $0.member("type", "about:blank")
      $0.member("title", title)
      $0.member("status", Int64(status))
      $0.member("detail", detail)
    }
    content = json.bytes
    var fields = FieldSection()
    fields.append("Date", HTTPDate(secondsSince1970: date).imfFixdate)
    fields.append("Content-Type", "application/problem+json")
    fields.append("Cache-Control", "no-store")
    fields.append("Content-Length", String(content.count))
    head = ResponseHead(status: status, reason: Array(title.utf8), fields: fields)
  }

  /// The answer to bytes that are not a request we take (RFC 9112 §3, §5, §6.3).
  package init(_ error: ProtocolError, date: Int64) {
    self.init(
      status: error.statusHint, detail: error.description, date: date)
  }

  /// The reason phrase (RFC 9110 §15) of those that refusals have.
  private static func title(_ status: Int) -> String {
    switch status {
    case 414: "URI Too Long"
    case 421: "Misdirected Request"
    case 431: "Request Header Fields Too Large"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Bad Request"
    }
  }
}
