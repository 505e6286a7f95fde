import FixtureHTTP

/// A JSON text as a tree, to compare it with another by value: numbers by what they are worth,
/// strings by their text, members whatever their order.
package indirect enum JSONNode: Sendable {
  case object([Member])
  case array([JSONNode])
  case scalar(Scalar)

  package struct Member: Sendable {
    /// The text of the name, as UTF-8.
    package let name: [UInt8]
    package let value: JSONNode
  }

  package struct Scalar: Sendable {
    /// As it stands in the text.
    package let spelling: [UInt8]
    /// What equal values share, behind a byte for the kind.
    let canonical: [UInt8]
    package let type: ValueType
  }

  package enum ValueType: String, Sendable, Hashable {
    case object, array, string, number, boolean, null
  }

  /// - Returns: nil when the bytes are no JSON text.
  package init?(_ bytes: [UInt8]) {
    let node = bytes.withUnsafeBytes { text in
      var scanner = JSONScanner(text)
      guard let node = Self.value(scanner.next(), &scanner, text),
        case .end = scanner.next()
      else { return JSONNode?.none }
      return node
    }
    guard let node else { return nil }
    self = node
  }

  /// Not deeper than a scanner goes.
  private static func value(
    _ token: JSONScanner.Token, _ scanner: inout JSONScanner, _ text: UnsafeRawBufferPointer
  ) -> JSONNode? {
    switch token {
    case .object: return object(&scanner, text)
    case .array: return array(&scanner, text)
    case .string:
      var canonical: [UInt8] = [0x73]
      JSONString.appendText(of: scanner.span, in: text, to: &canonical)
      let spelling = [0x22] + scanner.span.bytes(in: text) + [0x22]
      return .scalar(Scalar(spelling: spelling, canonical: canonical, type: .string))
    case .number:
      let spelling = scanner.span.bytes(in: text)
      var canonical: [UInt8] = [0x6E]
      JSONNumber(spelling).appendCanonical(to: &canonical)
      return .scalar(Scalar(spelling: Array(spelling), canonical: canonical, type: .number))
    case .true: return literal("true", .boolean)
    case .false: return literal("false", .boolean)
    case .null: return literal("null", .null)
    case .name, .objectEnd, .arrayEnd, .end, .invalid: return nil
    }
  }

  private static func literal(_ word: String, _ type: ValueType) -> JSONNode {
    .scalar(Scalar(spelling: Array(word.utf8), canonical: Array(word.utf8), type: type))
  }

  private static func object(
    _ scanner: inout JSONScanner, _ text: UnsafeRawBufferPointer
  ) -> JSONNode? {
    var members: [Member] = []
    while true {
      switch scanner.next() {
      case .objectEnd: return .object(members)
      case .name:
        var name: [UInt8] = []
        JSONString.appendText(of: scanner.span, in: text, to: &name)
        guard let value = value(scanner.next(), &scanner, text) else { return nil }
        members.append(Member(name: name, value: value))
      default: return nil
      }
    }
  }

  private static func array(
    _ scanner: inout JSONScanner, _ text: UnsafeRawBufferPointer
  ) -> JSONNode? {
    var elements: [JSONNode] = []
    while true {
      let token = scanner.next()
      if case .arrayEnd = token { return .array(elements) }
      guard let value = value(token, &scanner, text) else { return nil }
      elements.append(value)
    }
  }

  package var type: ValueType {
    switch self {
    case .object: .object
    case .array: .array
    case .scalar(let scalar): scalar.type
    }
  }

  /// Of a string.
  package var text: String? {
    guard case .scalar(let scalar) = self, scalar.type == .string else { return nil }
    return String(decoding: scalar.canonical.dropFirst(), as: UTF8.self)
  }

  /// Of `true` and `false`.
  package var truth: Bool? {
    guard case .scalar(let scalar) = self, scalar.type == .boolean else { return nil }
    return scalar.spelling == Array("true".utf8)
  }

  /// Of a number that is written as a whole one and fits.
  package var integer: Int64? {
    guard type == .number, let spelling else { return nil }
    return Int64(String(decoding: spelling, as: UTF8.self))
  }

  /// As a scalar stands in the text.
  package var spelling: [UInt8]? {
    if case .scalar(let scalar) = self { scalar.spelling } else { nil }
  }

  /// The value on one line, strings and numbers as they were spelled.
  package var compact: [UInt8] {
    switch self {
    case .scalar(let scalar): return scalar.spelling
    case .array(let elements):
      return [0x5B] + elements.map(\.compact).joined(separator: [0x2C]) + [0x5D]
    case .object(let members):
      let texts = members.map { member in
        [0x22] + JSONNode.escaped(member.name) + [0x22, 0x3A] + member.value.compact
      }
      return [0x7B] + texts.joined(separator: [0x2C]) + [0x7D]
    }
  }

  /// What has to be escaped in a string (RFC 8259 §7).
  private static func escaped(_ text: [UInt8]) -> [UInt8] {
    text.flatMap { byte -> [UInt8] in
      switch byte {
      case 0x22, 0x5C: [0x5C, byte]
      case 0x00..<0x20: Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
      default: [byte]
      }
    }
  }
}

extension JSONNode: Equatable {
  /// Equal values. A name that repeats counts with each of its values, in their order.
  package static func == (left: JSONNode, right: JSONNode) -> Bool {
    switch (left, right) {
    case (.scalar(let left), .scalar(let right)): left.canonical == right.canonical
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)):
      left.count == right.count
        && JSONDifference.pairs(left, right).allSatisfy { $0.left == $0.right }
    default: false
    }
  }
}
