import FixtureCoding
import FixtureHTTP

/// What the type of a content says about secrets in it.
package enum RedactableType: Hashable, Sendable {
  /// Text of some kind: secrets are looked for.
  case known
  /// Nothing that anybody reads secrets from: pictures, films, archives.
  case opaque
  /// No type: whether it is text shows when it comes.
  case unknown

  package init(contentType: ArraySlice<UInt8>?) {
    guard let contentType else {
      self = .unknown
      return
    }
    let type = ParameterizedValue(contentType)
    if ContentKind(type) != .bytes || Self.isText(type.value) {
      self = .known
    } else {
      self = type.value.isEmpty ? .unknown : .opaque
    }
  }

  private static func isText(_ type: [UInt8]) -> Bool {
    type.starts(with: text) || type.suffix(4).elementsEqual(xml) || texts.contains(type)
  }

  // Made once: these are compared for every message.
  private static let text = Array("text/".utf8)
  private static let xml = Array("+xml".utf8)
  private static let texts: Set<[UInt8]> = Set(
    [
      "application/xml", "application/javascript", "application/x-javascript",
      "application/x-ndjson", "application/ndjson", "application/jsonl",
      "application/x-jsonlines", "application/json-seq", "application/graphql", "application/yaml",
      "application/x-yaml", "application/toml", "application/jwt", "application/x-sh",
      "application/sql", "application/stream+json", "application/http",
    ].map { Array($0.utf8) })

  /// Whether bytes are UTF-8 without control characters that no text has. One that is cut inside a
  /// scalar is text too.
  package static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte >= 0x80 {
        guard let length = JSONString.scalarLength(in: bytes, at: index) else {
          return bytes.count - index < 4 && byte >= 0xC2
        }
        index += length
      } else {
        if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D, byte != 0x0C, byte != 0x1B {
          return false
        }
        index += 1
      }
    }
    return true
  }
}
