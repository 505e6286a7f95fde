import FixtureHTTP

/// One rule of `--redact`: a place beyond the defaults.
enum RedactionRule: Equatable {
  /// A field's whole value; the name in lower case.
  case field([UInt8])
  /// The value of a query pair; the decoded name in lower case.
  case query([UInt8])

  /// Parses `header:NAME` or `query:NAME`.
  init(parsing text: String) throws(RedactionRuleError) {
    guard let colon = text.utf8.firstIndex(of: 0x3A) else { throw .kindMissing }
    let kind = String(text[..<colon])
    let name = text.utf8[text.utf8.index(after: colon)...].map(\.asciiLowercased)
    switch kind {
    case "header":
      guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else {
        throw .fieldNameInvalid(String(decoding: name, as: UTF8.self))
      }
      guard !Self.structuralFields.contains(name) else {
        throw .fieldNeeded(String(decoding: name, as: UTF8.self))
      }
      self = .field(name)
    case "query":
      guard !name.isEmpty else { throw .queryNameMissing }
      self = .query(name)
    case "form", "json", "text": throw .contentUnavailable(kind)
    default: throw .kindUnknown(kind)
    }
  }

  /// Fields without which a message can't be read or routed (RFC 9110 §7.2, §7.6.1, §8.6, RFC 9112
  /// §6).
  private static let structuralFields: Set<[UInt8]> = Set(
    [
      "connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding",
      "upgrade",
    ].map { Array($0.utf8) })
}

/// Why a rule of `--redact` can't be followed.
package enum RedactionRuleError: Error, Equatable, CustomStringConvertible {
  /// No `KIND:` before the name. What was given may be the secret itself, so it is not repeated.
  case kindMissing
  case kindUnknown(String)
  /// A rule about content, which this version does not redact.
  case contentUnavailable(String)
  case fieldNameInvalid(String)
  /// The field frames or routes the message.
  case fieldNeeded(String)
  case queryNameMissing

  package var description: String {
    switch self {
    case .kindMissing: "a redaction has no kind, expected header:NAME or query:NAME"
    case .kindUnknown(let kind):
      "the redaction kind \"\(kind)\" is unknown, expected header:NAME or query:NAME"
    case .contentUnavailable(let kind):
      "redaction of content (\"\(kind):\") is not available yet, expected header:NAME or query:NAME"
    case .fieldNameInvalid(let name):
      "\"\(name)\" is not a field name, expected letters, digits and hyphens after \"header:\""
    case .fieldNeeded(let name):
      "the field \(name) can't be redacted: without it the recording can't be replayed"
    case .queryNameMissing: "the redaction \"query:\" has no name, expected query:NAME"
    }
  }
}
