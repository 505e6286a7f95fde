import FixtureCassette
import FixtureCoding
import FixtureHTTP

// RULE of content keys: the input is a media type, a line feed and content. Any content has a key
// and a fingerprint; what does not count by the rule of its kind changes neither: whitespace around
// JSON, empty pieces of a form, what stands after the last delimiter of a multipart, a coding.

func checkContents(_ bytes: [UInt8]) throws(Violation) {
  let lineEnd = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
  let form = ContentForm(kind: ContentKind(contentType: bytes[..<lineEnd]))
  let content = Array(bytes[min(lineEnd + 1, bytes.count)...])
  let keyed = Keyed(content, form)
  switch form.kind {
  case .bytes: break
  case .json: try keyed.requireSame([0x20, 0x0A] + content + [0x09, 0x0D], form)
  case .form: try keyed.requireSame([0x26, 0x26] + content + [0x26], form)
  case .multipart:
    if case .value = keyed.key { try keyed.requireSame(content + [0x0D, 0x0A, 0x78], form) }
  }
  let coded: [UInt8]
  do {
    coded = try ContentEncoder.encoded(content, [.gzip])
  } catch {
    throw Violation(text: "not coded: \(error)")
  }
  try keyed.requireSame(coded, ContentForm(kind: form.kind, codings: [.gzip]))
}

private struct Keyed {
  let content: [UInt8]
  let key: ContentKey
  let fingerprint: UInt64

  let form: ContentForm
  static let keys = ContentKeys(ignoring: [JSONPointer(tokens: [[0x61]])])

  init(_ content: [UInt8], _ form: ContentForm) {
    let keys = Self.keys
    var features = ContentFeatures()
    self.content = content
    self.form = form
    key = keys.key(of: content, form)
    fingerprint = content.withUnsafeBytes { keys.fingerprint(of: $0, form, features: &features) }
  }

  func requireSame(_ other: [UInt8], _ form: ContentForm) throws(Violation) {
    let other = Keyed(other, form)
    // What is no JSON stays none, and is compared with all that was put around it.
    if case .bytes = key, case .bytes = other.key, form.codings.isEmpty { return }
    let areEqual = Self.keys.areEqual(content, self.form, other.content, form)
    try require(
      other.key == key && other.fingerprint == fingerprint && areEqual,
      "\(Escapes.encode(content))\n\(Escapes.encode(other.content))")
  }
}
