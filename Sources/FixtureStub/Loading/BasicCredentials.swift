import FixtureHTTP
import Foundation

/// The Basic scheme (RFC 7617): what a 401 asks for, and how it is answered.
struct BasicChallenge: Equatable {
  let realm: String?

  /// The first one in a response's `WWW-Authenticate` fields; nil for none.
  ///
  /// A field may list several (RFC 9110 §11.6.1), each a scheme and its parameters, and the commas
  /// between them are those between parameters.
  init?(_ fields: FieldSection) {
    var isBasic = false
    var realm: String?
    for value in fields.all(FieldName("www-authenticate")) {
      for member in Self.members(value) {
        let scheme = member.prefix { $0 != 0x20 && $0 != 0x3D }
        let rest = member[scheme.endIndex...].drop { $0 == 0x20 }
        let isParameter = rest.first == 0x3D
        if !isParameter {
          if isBasic { break }
          isBasic = scheme.equalsIgnoringCase("basic".utf8)
        }
        guard isBasic, realm == nil else { continue }
        realm = Self.realm(isParameter ? member : rest)
      }
      if isBasic { break }
    }
    guard isBasic else { return nil }
    self.realm = realm
  }

  /// Divided at commas that are not within quotes.
  private static func members(_ value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var members: [ArraySlice<UInt8>] = []
    var start = value.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in value.indices {
      if isEscaped {
        isEscaped = false
      } else if isQuoted, value[index] == 0x5C {
        isEscaped = true
      } else if value[index] == 0x22 {
        isQuoted.toggle()
      } else if value[index] == 0x2C, !isQuoted {
        members.append(value[start..<index])
        start = index + 1
      }
    }
    members.append(value[start...])
    return members.map(\.trimmingOptionalWhitespace).filter { !$0.isEmpty }
  }

  private static func realm(_ parameter: ArraySlice<UInt8>) -> String? {
    guard let equals = parameter.firstIndex(of: 0x3D) else { return nil }
    let name = parameter[..<equals].trimmingOptionalWhitespace
    guard name.equalsIgnoringCase("realm".utf8) else { return nil }
    let value = parameter[(equals + 1)...].trimmingOptionalWhitespace
    guard value.first == 0x22, value.count >= 2, value.last == 0x22 else {
      return String(decoding: value, as: UTF8.self)
    }
    var text: [UInt8] = []
    var rest = value.dropFirst().dropLast()
    while let byte = rest.popFirst() {
      text.append(byte == 0x5C ? rest.popFirst() ?? byte : byte)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

enum BasicCredentials {
  /// The value of `Authorization`.
  static func value(user: String, password: String) -> String {
    "Basic " + encoded(Array("\(user):\(password)".utf8))
  }

  /// In base64 (RFC 4648 §4).
  static func encoded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
