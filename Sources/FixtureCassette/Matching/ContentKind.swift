import FixtureHTTP

/// How contents of a media type are compared.
package enum ContentKind: Hashable, Sendable {
  /// By value.
  case json
  /// By its pairs.
  case form
  /// By its parts.
  case multipart(boundary: [UInt8])
  /// Byte for byte.
  case bytes

  /// - Parameter contentType: the value of a `Content-Type` field; nil when there is none.
  package init(contentType: ArraySlice<UInt8>?) {
    guard let contentType else {
      self = .bytes
      return
    }
    self.init(ParameterizedValue(contentType))
  }

  package init(_ type: ParameterizedValue) {
    if Self.isJSON(type.value) {
      self = .json
    } else if type.value == Names.form {
      self = .form
    } else if type.value.starts(with: Names.multipart), let boundary = type["boundary"] {
      self = .multipart(boundary: boundary)
    } else {
      self = .bytes
    }
  }

  /// `application/json`, the suffix `+json` (RFC 6839 §3.1), and names that mean the same.
  private static func isJSON(_ type: [UInt8]) -> Bool {
    type == Names.json || type.suffix(5).elementsEqual(Names.jsonSuffix)
      || type == Names.textJSON || type.starts(with: Names.amazonJSON)
  }
}

extension ParameterizedValue {
  /// Appends what media types that mean the same share: parameters in the order of their names.
  ///
  /// Left out is what says nothing about the content: the boundary of a multipart, which is drawn
  /// anew for each request, every parameter of `multipart/form-data`, which has no other (RFC 7578
  /// §8), and the charset of JSON, which has no effect (RFC 8259 §11).
  func appendMediaType(to key: inout [UInt8]) {
    key.appendPrefixed(value)
    guard !value.elementsEqual("multipart/form-data".utf8) else { return key.append(count32: 0) }
    let isMultipart = value.starts(with: "multipart/".utf8)
    let isJSON = ContentKind(self) == .json
    let kept = parameters.filter { parameter in
      !(isMultipart && parameter.name.elementsEqual("boundary".utf8))
        && !(isJSON && parameter.name.elementsEqual("charset".utf8))
    }
    key.append(count32: UInt32(kept.count))
    for parameter in kept.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
      key.appendPrefixed(parameter.name)
      let isCharset = parameter.name.elementsEqual("charset".utf8)
      key.appendPrefixed(
        isCharset ? parameter.value.map(\.asciiLowercased) : parameter.value)
    }
  }
}

/// Made once: these are compared for every message.
private enum Names {
  static let form = Array("application/x-www-form-urlencoded".utf8)
  static let multipart = Array("multipart/".utf8)
  static let json = Array("application/json".utf8)
  static let jsonSuffix = Array("+json".utf8)
  static let textJSON = Array("text/json".utf8)
  static let amazonJSON = Array("application/x-amz-json-".utf8)
}
