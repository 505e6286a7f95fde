import FixtureHTTP
import FixtureReplay

/// What a request gets that is for nobody whom the cassette knows: a miss like any other.
struct ForeignAnswer {
  let detail: String
  let head: ResponseHead
  /// `application/problem+json` (RFC 9457).
  let content: [UInt8]

  /// - Parameter date: seconds since 1970.
  init(detail: String, _ date: Int64) {
    self.detail = detail
    var json = JSONText()
    json.object { json in
      json.member("type", "urn:fixtured:miss")
      json.member("title", "no interaction matched")
      json.member("status", 501)
      json.member("detail", detail)
      json.member("reason", "not-recorded")
    }
    content = json.bytes
    var fields = FieldSection()
    fields.append("Date", HTTPDate(secondsSince1970: date).imfFixdate)
    fields.append("Content-Type", "application/problem+json")
    fields.append("Content-Length", String(content.count))
    fields.append("Cache-Control", "no-store")
    fields.append("Fixtured-Miss", "1")
    head = ResponseHead(status: 501, reason: Array("Not Implemented".utf8), fields: fields)
  }
}
