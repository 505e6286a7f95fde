import FixtureCassette
import FixtureHTTP

// RULE of `targets`: redacting a request again changes nothing; what is redacted has the key that
// the original has without its secrets, can be sent, and keeps its number of lines; concealing
// hides what redaction replaces, wherever it stands.
//
// The first line is the request target, the rest are fields in stored form.

func checkTarget(_ bytes: [UInt8]) throws(Violation) {
  let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
  // What a codec refuses comes to no redactor.
  let target = bytes[..<end].filter { $0 > 0x20 && $0 != 0x7F }
  guard !target.isEmpty else { return }
  // Fields that are none are left out: what refuses them has a rule of its own.
  let fields = (try? FieldSection(stored: Array(bytes[end...].dropFirst()))) ?? FieldSection()
  for description in [
    CassetteDescription(), CassetteDescription(redactions: ["header:x-a", "query:a"]),
    CassetteDescription(redactions: nil),
  ] {
    try checkTarget(target, fields, MatchKeys(description: description))
  }
}

private func checkTarget(
  _ target: [UInt8], _ fields: FieldSection, _ keys: MatchKeys
) throws(Violation) {
  let given = interaction(target, fields)
  var once = given
  if let rules = keys.rules {
    var redactor = Redactor(rules: rules, count: 0)
    redactor.redact(&once)
    let count = redactor.count
    var twice = once
    redactor.redact(&twice)
    try require(twice == once, "redacted again: \(twice.request)\nonce: \(once.request)")
    try require(redactor.count == count, "redacting again counted \(redactor.count)")
    let isNoted = once.notes.contains(.redacted)
    try require(isNoted == (once.request != given.request), "noted: \(isNoted)")
  }
  try checkFields(once.request.fields)
  try require(once.request.fields.count == fields.count, "lines came or went")
  try require(
    once.request.target.allSatisfy { $0 > 0x20 && $0 != 0x7F }, "\(once.request.target)")
  let asked = concealed(given.request, keys)
  try require(
    key(asked.target, keys) == key(once.request.target, keys),
    "redacted: \(once.request)\nasked: \(asked)")
  try require(concealed(asked, keys) == asked, "concealed again: \(concealed(asked, keys))")

  let placeholders = keys.placeholders(in: once.request.target)
  try require(
    MatchKeys.placeholders(placeholders, agreeWith: placeholders), "disagrees with itself")
  let shown = keys.concealingSecrets(in: target)
  try require(keys.concealingSecrets(in: shown) == shown, "concealed again: \(shown)")
}

/// As a replay looks for its recordings.
private func concealed(_ request: RequestHead, _ keys: MatchKeys) -> RequestHead {
  guard let rules = keys.rules else { return request }
  var secrets = LiveSecrets(rules: rules)
  secrets.learn(request)
  return secrets.concealed(request)
}

private func key(_ target: [UInt8], _ keys: MatchKeys) -> [UInt8] {
  var key: [UInt8] = []
  keys.appendKey(method: .get, target: target, upstream: nil, to: &key)
  return key
}

private func interaction(_ target: [UInt8], _ fields: FieldSection) -> Interaction {
  Interaction(
    id: 1, startedAt_us: 0, scheme: "http", authority: "a.test",
    request: RequestHead(method: .get, target: target, fields: fields))
}
