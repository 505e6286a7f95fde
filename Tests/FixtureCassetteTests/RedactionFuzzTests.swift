import FixtureHTTP
import Testing

@testable import FixtureCassette

/// Drawn inputs made of the pieces that redaction looks for, in any order: the laws that hold for
/// every input, whatever its shape.
@Suite struct `Redaction of odd input` {
  private static let pieces = [
    "token", "code", "key", "a", "=", "=", "&", "?", "#", "/", "//", "@", ":", ";", ",", "<", ">",
    "\"", "'", " ", "\\", "%", "%3D", "%26", "%2F", "%3F", "%40", "+", "[", "]", "[]", "http://",
    "url=", "Bearer ", "REDACTED-1", "REDACTED-", "REDACTED-9", "s3cret", "\u{FC}", "1", "Path=/",
  ].map { Array($0.utf8) }

  private static let names = [
    "Authorization", "Cookie", "Set-Cookie", "Location", "Link", "Refresh", "Referer", "X-Api-Key",
    "X-Other",
  ]

  @Test func `redacting again changes nothing, and the section can be read again`() throws {
    var draw = Draw(state: 1)
    for _ in 0..<4000 {
      var fields = FieldSection()
      for name in Self.names {
        fields.append(
          name: Array(name.utf8), value: text(&draw).trimmingOptionalWhitespace)
      }
      let given = interaction([0x2F] + text(&draw), fields)
      var redactor = Redactor(rules: RedactionRules(), count: 0)
      var once = given
      redactor.redact(&once)
      var twice = once
      let count = redactor.count
      redactor.redact(&twice)
      try #require(twice == once)
      try #require(redactor.count == count)
      try #require(try FieldSection(stored: once.request.fields.bytes) == once.request.fields)
      try #require(once.notes.contains(.redacted) == (once.request != given.request))
    }
  }

  @Test func `a redacted target has the key of the original`() throws {
    var draw = Draw(state: 2)
    let keys = MatchKeys(description: CassetteDescription())
    for _ in 0..<20_000 {
      let target = (draw.next(8) == 0 ? Array("http://".utf8) : [0x2F]) + text(&draw)
      var redactor = Redactor(rules: RedactionRules(), count: 0)
      var redacted = interaction(target, FieldSection())
      redactor.redact(&redacted)
      var key: [UInt8] = []
      keys.appendKey(method: .get, target: target, upstream: nil, to: &key)
      var redactedKey: [UInt8] = []
      keys.appendKey(
        method: .get, target: redacted.request.target, upstream: nil, to: &redactedKey)
      try #require(key == redactedKey, "\(String(decoding: target, as: UTF8.self))")
      let shown = keys.concealingSecrets(in: target)
      try #require(keys.concealingSecrets(in: shown).count == shown.count)
    }
  }

  private func text(_ draw: inout Draw) -> [UInt8] {
    (0..<(1 + draw.next(12))).flatMap { _ in Self.pieces[draw.next(Self.pieces.count)] }
  }

  private func interaction(_ target: [UInt8], _ fields: FieldSection) -> Interaction {
    Interaction(
      id: 1, startedAt_us: 0, scheme: "http", authority: "a.test",
      request: RequestHead(method: .get, target: target, fields: fields))
  }
}
