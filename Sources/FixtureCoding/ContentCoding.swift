import FixtureHTTP

/// A content coding: what was done to content so that it takes less room (RFC 9110 §8.4.1).
package enum ContentCoding: Hashable, Sendable {
  /// RFC 1952. `x-gzip` means the same (RFC 9110 §8.4.1.3).
  case gzip
  /// The zlib format (RFC 1950), and on the way in the bare deflate data of RFC 1951 too, which
  /// some servers send (RFC 9110 §8.4.1.2).
  case deflate
  /// RFC 7932.
  case brotli
  /// RFC 8878, with windows of at most 8 MiB (RFC 9659).
  case zstd
  /// Any other, by its name in lower case. Nothing here decodes or makes it.
  case unknown([UInt8])

  /// The codings of a message in the order in which they were applied, so that the last one is the
  /// first to be undone (RFC 9110 §8.4).
  ///
  /// Empty without a Content-Encoding field. `identity`, which changes nothing and does not belong
  /// there, is left out; so are empty members. Whatever else is no coding known here becomes
  /// `.unknown`.
  package static func list(of fields: FieldSection) -> [ContentCoding] {
    fields.list(.contentEncoding).compactMap(named)
  }

  /// The coding's name; the usual one when there are several.
  package var name: [UInt8] {
    switch self {
    case .gzip: Array("gzip".utf8)
    case .deflate: Array("deflate".utf8)
    case .brotli: Array("br".utf8)
    case .zstd: Array("zstd".utf8)
    case .unknown(let name): name
    }
  }

  /// Names are case-insensitive (RFC 9110 §8.4.1); nil for `identity`.
  private static func named(_ bytes: ArraySlice<UInt8>) -> ContentCoding? {
    let name = bytes.map(\.asciiLowercased)
    let known: [ContentCoding] = [.gzip, .deflate, .brotli, .zstd]
    if let coding = known.first(where: { $0.name == name }) { return coding }
    if name.elementsEqual("x-gzip".utf8) { return .gzip }
    return name.elementsEqual("identity".utf8) ? nil : .unknown(name)
  }
}

extension ContentCoding: CustomStringConvertible {
  /// The name as text; what is not UTF-8 in an unknown one is replaced.
  package var description: String { String(decoding: name, as: UTF8.self) }
}
