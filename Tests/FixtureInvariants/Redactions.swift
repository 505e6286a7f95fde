import FixtureCassette
import FixtureHTTP

// RULE of redacted contents: the input is a media type, a line feed and content, in which control
// characters stand for a known secret in one of its spellings. Whatever is stored of it holds the
// secret in none of them; JSON stays JSON, a form a form, a multipart a multipart; redacting again
// changes nothing.

func checkRedaction(_ bytes: [UInt8]) throws(Violation) {
  let lineEnd = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
  let type = bytes[..<lineEnd].filter { $0 >= 0x20 && $0 != 0x7F }
  let content = bytes[min(lineEnd + 1, bytes.count)...].flatMap {
    spellings.indices.contains(Int($0) - 1) ? spellings[Int($0) - 1] : [$0]
  }
  var draft = draft(content, type)
  var redactor = redactor
  let exceptions = redactor.redact(&draft)
  guard case .bytes(let stored) = draft.responseBody else {
    return try require(content.isEmpty || !exceptions.isEmpty, "left out without a word")
  }
  let shown = { "\(Escapes.encode(content))\n\(Escapes.encode(stored))" }
  for spelling in spellings.map({ $0[...] }) + [encodedCore[...]] {
    try require(!stored.contains(spelling), "a secret is left\n\(shown())")
  }
  let form = ContentForm(kind: ContentKind(contentType: type[...]))
  if case .value = ContentKeys().key(of: content, form) {
    guard case .value = ContentKeys().key(of: stored, form) else {
      throw Violation(text: "no longer well formed\n\(shown())")
    }
  }
  var again = draft
  let left = redactor.redact(&again)
  try require(left.isEmpty && again == draft, "redacted again: \(again)\n\(shown())")
}

private let secret = Array("tok-SECRET/9+a==".utf8)

/// As it is, with percent escapes, with those of JSON, in base64.
private let spellings: [[UInt8]] = [
  secret, Array("tok-SECRET%2F9%2Ba%3D%3D".utf8), Array("tok-SECRET\\/9\\u002ba==".utf8),
  Array("dXNlcjp0b2stU0VDUkVULzkrYT09".utf8),
]
/// What base64 makes of its middle.
private let encodedCore = Array("b2stU0VDUkVULzkrYT09".utf8)

private let redactor: Redactor = {
  let source = TextSource(word: "text:env:SECRET")
  let rules = RedactionRules(stored: ["text:env:SECRET"])
  return Redactor(
    rules: rules, count: 0,
    texts: source.map { [TextSecrets(source: $0, secrets: [secret])] } ?? [])
}()

private func draft(_ content: [UInt8], _ type: [UInt8]) -> InteractionDraft {
  var fields = FieldSection()
  fields.append("Content-Type", type)
  var arrivals = Arrivals()
  if !content.isEmpty { arrivals.append(offset_us: 0, count: Int64(content.count)) }
  let head = ResponseHead(status: 200, reason: [], fields: fields)
  return InteractionDraft(
    interaction: Interaction(
      id: 1, startedAt_us: 0, scheme: "http", authority: "a.test",
      request: RequestHead(method: .get, target: [0x2F]),
      response: RecordedResponse(head: head, framing: .untilClose, arrivals: arrivals)),
    requestBody: .absent, responseBody: .bytes(content))
}
