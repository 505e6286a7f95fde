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
  ///   - further: fields beside those of every refusal.
  package init(
    status: Int, detail: String, date: Int64, adding further: FieldSection = FieldSection()
  ) {
    let title = "\(ReasonPhrase.standard(status))"
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
    fields.append(further)
    head = ResponseHead(status: status, reason: Array(title.utf8), fields: fields)
  }

  /// The answer to bytes that are not a request we take (RFC 9112 §3, §5, §6.3).
  package init(_ error: ProtocolError, date: Int64) {
    self.init(
      status: error.statusHint, detail: error.description, date: date)
  }
}
