import FixtureCoding
import FixtureHTTP
import Testing

@testable import FixtureCassette

/// Contents drawn of the pieces that redaction looks for: the laws that hold for all of them.
@Suite struct `Redaction of drawn content` {
  private static let names = [
    "token", "password", "n", "pin", "code", "key", "a", "access_token", "t\\u006fken",
  ]
  private static let scalars = [
    "\"s3cret\"", "\"\"", "1", "-2.5e3", "true", "null", "\"REDACTED-3\"", "\"é\\u00e9\\ud800\"",
    "\"https://a.test/?sig=abc&n=1\"", "\"{\\\"token\\\":\\\"x\\\"}\"", "\"a\\/b\"", "0",
    "\"AIzaSyA1234567890123456789012345678901x\"",
  ]
  private static let words = ["json:pin", "json:/a/0", "form:pin", "query:pin"]

  private func json(_ draw: inout Draw, depth: Int = 4) -> String {
    switch depth > 0 ? draw.next(5) : 4 {
    case 0, 1:
      let members = (0..<draw.next(4)).map { _ in
        "\"\(draw.element(of: Self.names))\" :\(json(&draw, depth: depth - 1))"
      }
      return "{\(members.joined(separator: ", "))}"
    case 2, 3:
      let elements = (0..<draw.next(4)).map { _ in json(&draw, depth: depth - 1) }
      return "[\(elements.joined(separator: ","))]"
    default: return draw.element(of: Self.scalars)
    }
  }

  private func form(_ draw: inout Draw) -> String {
    (0..<draw.next(5)).map { _ in
      draw.element(of: ["token", "pin", "a", "user[password]", ""]) + "="
        + draw.element(of: [
          "x", "", "s%33cret", "+", "REDACTED-4", "%2F%3Ftoken%3Dabc", "{\"token\":\"y\"}",
        ])
    }.joined(separator: "&")
  }

  private func multipart(_ draw: inout Draw) -> String {
    (0..<draw.next(4)).map { _ in
      let name = draw.element(of: ["token", "pin", "a", ""])
      let isJSON = draw.next(2) == 0
      return "--AAA\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n"
        + (isJSON ? "Content-Type: application/json\r\n" : "") + "\r\n"
        + (isJSON ? json(&draw, depth: 2) : form(&draw)) + "\r\n"
    }.joined() + "--AAA--\r\n"
  }

  private func text(_ draw: inout Draw) -> String {
    (0..<(1 + draw.next(4))).map { _ in
      switch draw.next(4) {
      case 0: "data: \(json(&draw, depth: 2))\n"
      case 1: "\(json(&draw, depth: 2))\n"
      case 2: draw.element(of: ["\n", "event: x\n", "{\"token\":\"cut", "token=abc", "data:{\n"])
      default: form(&draw)
      }
    }.joined()
  }

  private static let types = [
    "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=AAA",
    "text/plain",
  ]

  private func drawn(_ draw: inout Draw) -> (content: [UInt8], type: String) {
    let type = draw.element(of: Self.types)
    let text =
      switch type {
      case Self.types[0]: json(&draw)
      case Self.types[1]: form(&draw)
      case Self.types[2]: multipart(&draw)
      default: text(&draw)
      }
    return (Array(text.utf8), type)
  }

  /// The kinds of the tokens, without what strings hold and which numbers there are.
  private func shape(_ json: [UInt8]) -> [String]? {
    json.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      var shape: [String] = []
      while true {
        let token = scanner.next()
        if case .invalid = token { return nil }
        if case .end = token { return shape }
        shape.append("\(token)")
      }
    }
  }

  @Test func `redacting again changes nothing, JSON keeps its shape, and keys stay`() throws {
    var draw = Draw(state: 31)
    let rules = try RedactionRules(adding: Self.words)
    let keys = ContentKeys(rules: rules)
    for _ in 0..<6000 {
      let (content, type) = drawn(&draw)
      var redactor = Redactor(rules: rules, count: 9)
      var once = draft(content, type)
      // What can't be redacted is not stored.
      guard redactor.redact(&once).isEmpty else { continue }
      var twice = once
      let exceptions = redactor.redact(&twice)
      try #require(exceptions.isEmpty, "\(exceptions) \(String(decoding: content, as: UTF8.self))")
      try #require(twice == once, "\(String(decoding: content, as: UTF8.self))")
      guard case .bytes(let redacted) = once.responseBody else { continue }
      let shown =
        "\(String(decoding: content, as: UTF8.self))\n"
        + String(decoding: redacted, as: UTF8.self)
      if let shape = shape(content) { try #require(self.shape(redacted) == shape, "\(shown)") }
      let form = ContentForm(kind: ContentKind(contentType: Array(type.utf8)[...]))
      let live = keys.concealed(content, form)?.content ?? content
      try #require(keys.key(of: live, form) == keys.key(of: redacted, form), "\(shown)")
      for (sent, name) in [(content, "first"), (redacted, "second")] {
        guard let concealed = keys.concealed(sent, form) else { continue }
        try #require(keys.agrees(redacted, form, with: concealed), "\(name) \(shown)")
      }
      let pieces = try #require(once.interaction.response?.arrivals.pieces)
      try #require(pieces.reduce(0) { $0 + $1.count } == Int64(redacted.count))
    }
  }
}
