import FixtureHTTP

/// One rule of `--redact`: a place beyond the defaults, or a secret wherever it stands.
enum RedactionRule: Equatable {
  /// A field's whole value; the name in lower case.
  case field([UInt8])
  /// The value of a query pair; the decoded name in lower case.
  case query([UInt8])
  /// The value of a pair in a form, or a part of a multipart content; the name in lower case.
  case form([UInt8])
  /// Members of this name in JSON at any depth; in lower case.
  case json([UInt8])
  /// One place in JSON.
  case jsonPlace(JSONPointer)
  /// A secret by its text.
  case text(TextSource)

  /// Parses `header:NAME`, `query:NAME`, `form:NAME`, `json:NAME`, `json:/POINTER`,
  /// `text:env:NAME` or `text:@FILE`.
  init(parsing text: String) throws(RedactionRuleError) {
    guard let colon = text.utf8.firstIndex(of: 0x3A) else { throw .kindMissing }
    let kind = String(text[..<colon])
    let rest = text[text.utf8.index(after: colon)...]
    let name = rest.utf8.map(\.asciiLowercased)
    switch kind {
    case "header":
      guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else {
        throw .fieldNameInvalid(String(decoding: name, as: UTF8.self))
      }
      guard !Self.structuralFields.contains(name) else {
        throw .fieldNeeded(String(decoding: name, as: UTF8.self))
      }
      self = .field(name)
    case "query", "form", "json":
      guard !name.isEmpty else { throw .nameMissing(kind) }
      if kind == "query" {
        self = .query(name)
      } else if kind == "form" {
        self = .form(name)
      } else if name.first == 0x2F {
        guard let place = JSONPointer(Array(rest.utf8)) else { throw .pointerInvalid }
        self = .jsonPlace(place)
      } else {
        self = .json(name)
      }
    case "text": self = .text(try TextSource(parsing: String(rest)))
    default: throw .kindUnknown(kind)
    }
  }

  /// Fields without which a message can't be read or routed (RFC 9110 §7.2, §7.6.1, §8.6, RFC 9112
  /// §6).
  static let structuralFields: Set<[UInt8]> = Set(
    [
      "connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding",
      "upgrade",
    ].map { Array($0.utf8) })
}

/// Where the text of a secret is found, so that it stands on no command line and in no cassette.
package enum TextSource: Hashable, Sendable {
  /// The value of an environment variable.
  case environment(String)
  /// Each line of a file.
  case file(String)

  /// Parses what stands behind `text:`.
  init(parsing text: String) throws(RedactionRuleError) {
    if text.hasPrefix("@"), text.utf8.count > 1 {
      self = .file(String(text.dropFirst()))
    } else if text.hasPrefix("env:"), text.utf8.count > 4 {
      let name = String(text.dropFirst(4))
      guard !name.contains("=") else { throw .textInvalid }
      self = .environment(name)
    } else {
      throw .textInvalid
    }
  }

  /// The rule that it was parsed from.
  package var word: String {
    switch self {
    case .environment(let name): "text:env:\(name)"
    case .file(let path): "text:@\(path)"
    }
  }

  /// The secrets of a file, one a line, without white space around them; empty lines say nothing.
  package static func secrets(inLines contents: [UInt8]) -> [[UInt8]] {
    contents.split(separator: 0x0A).compactMap { line in
      guard let last = line.lastIndex(where: { $0 > 0x20 }) else { return nil }
      return Array(line[...last].drop { $0 <= 0x20 })
    }
  }
}

/// Why a rule of `--redact` can't be followed.
package enum RedactionRuleError: Error, Equatable, CustomStringConvertible {
  /// No `KIND:` before the name. What was given may be the secret itself, so it is not repeated.
  case kindMissing
  case kindUnknown(String)
  case fieldNameInvalid(String)
  /// The field frames or routes the message.
  case fieldNeeded(String)
  /// Nothing behind `KIND:`.
  case nameMissing(String)
  /// No JSON pointer: a `~` that neither 0 nor 1 follows.
  case pointerInvalid
  /// Neither `env:NAME` nor `@FILE`. What was given may be the secret itself.
  case textInvalid

  package var description: String {
    switch self {
    case .kindMissing: "a redaction has no kind, expected \(Self.expected)"
    case .kindUnknown(let kind):
      "the redaction kind \"\(kind)\" is unknown, expected \(Self.expected)"
    case .fieldNameInvalid(let name):
      "\"\(name)\" is not a field name, expected letters, digits and hyphens after \"header:\""
    case .fieldNeeded(let name):
      "the field \(name) can't be redacted: without it the recording can't be replayed"
    case .nameMissing(let kind):
      "the redaction \"\(kind):\" has no name, expected \(kind):NAME"
    case .pointerInvalid:
      "a redaction is no JSON pointer, expected ~0 for ~ and ~1 for / in json:/POINTER"
    case .textInvalid:
      "a redaction names no text, expected text:env:NAME or text:@FILE: a secret on the command "
        + "line can be read by others"
    }
  }

  private static let expected =
    "header:NAME, query:NAME, form:NAME, json:NAME, json:/POINTER, text:env:NAME or text:@FILE"
}
