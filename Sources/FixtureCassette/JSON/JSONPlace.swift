/// Finds and changes places of a JSON text, which otherwise stays byte for byte as it is.
package enum JSONPlace {
  /// Where the value lies that a pointer names; nil when there is none, or the text is no JSON. Of
  /// members with the same name the last counts, as for most readers.
  package static func range(of pointer: JSONPointer, in text: [UInt8]) -> Range<Int>? {
    text.withUnsafeBytes { bytes in
      var walk = Walk(bytes)
      guard let found = walk.value(pointer.tokens[...]) else { return nil }
      return walk.isWhole() ? found.value : nil
    }
  }

  /// The text with another value at a place. A member that its object does not have is added, and
  /// so is an element behind the last one, `-` (RFC 6901 §4).
  /// - Parameter value: a JSON text.
  /// - Returns: nil when the place can't be, or the text is no JSON.
  package static func setting(
    _ pointer: JSONPointer, to value: [UInt8], in text: [UInt8]
  ) -> [UInt8]? {
    let change: (range: Range<Int>, insertion: [UInt8])? = text.withUnsafeBytes { bytes in
      var walk = Walk(bytes)
      guard let found = walk.value(pointer.tokens[...]), walk.isWhole() else { return nil }
      if let range = found.value { return (range, value) }
      guard let gap = found.gap else { return nil }
      return (gap.position..<gap.position, gap.text(value))
    }
    guard let change else { return nil }
    return text[..<change.range.lowerBound] + change.insertion + text[change.range.upperBound...]
  }

  /// Where a missing member or element could stand: before the end of its container.
  fileprivate struct Gap {
    let position: Int
    let isFirst: Bool
    /// nil for an element.
    let name: [UInt8]?

    func text(_ value: [UInt8]) -> [UInt8] {
      let comma: [UInt8] = isFirst ? [] : [0x2C]
      guard let name else { return comma + value }
      return comma + JSONPlace.quoted(name) + [0x3A] + value
    }
  }

  fileprivate struct Found {
    var value: Range<Int>?
    var gap: Gap?
  }

  /// One pass over a text.
  private struct Walk {
    private var scanner: JSONScanner

    init(_ bytes: UnsafeRawBufferPointer) {
      scanner = JSONScanner(bytes)
    }

    /// Whether nothing follows.
    mutating func isWhole() -> Bool {
      if case .end = scanner.next() { true } else { false }
    }

    /// Reads the next value and finds a place in it.
    /// - Returns: nil when the text is invalid.
    mutating func value(_ path: ArraySlice<[UInt8]>) -> Found? {
      switch scanner.next() {
      case .object: return container(path, isObject: true)
      case .array: return container(path, isObject: false)
      case .string:
        return scalar(path, (scanner.span.start - 1)..<scanner.position)
      case .number: return scalar(path, scanner.span.range)
      case .true, .null: return scalar(path, (scanner.position - 4)..<scanner.position)
      case .false: return scalar(path, (scanner.position - 5)..<scanner.position)
      case .end, .invalid, .name, .objectEnd, .arrayEnd: return nil
      }
    }

    private func scalar(_ path: ArraySlice<[UInt8]>, _ range: Range<Int>) -> Found {
      path.isEmpty ? Found(value: range) : Found()
    }

    private mutating func container(_ path: ArraySlice<[UInt8]>, isObject: Bool) -> Found? {
      let start = scanner.position - 1
      guard let token = path.first else {
        guard scanner.skipContainer() else { return nil }
        return Found(value: start..<scanner.position)
      }
      var found = Found()
      var count = 0
      while true {
        // What comes next is known only when it has been read, and a value can't be read twice.
        let before = scanner
        switch scanner.next() {
        case .invalid, .end: return nil
        case .objectEnd, .arrayEnd:
          if found.value == nil, found.gap == nil, path.count == 1 {
            let isNew = isObject || token.elementsEqual("-".utf8) || Self.index(token) == count
            if isNew {
              found.gap = Gap(
                position: scanner.position - 1, isFirst: count == 0, name: isObject ? token : nil)
            }
          }
          return found
        case .name:
          var name: [UInt8] = []
          JSONString.appendText(of: scanner.span, in: scanner.bytes, to: &name)
          guard let member = value(name == token ? path.dropFirst() : path, name == token) else {
            return nil
          }
          if name == token { found = member }
        case .object, .array, .string, .number, .true, .false, .null:
          scanner = before
          let isElement = Self.index(token) == count
          guard let element = value(isElement ? path.dropFirst() : path, isElement) else {
            return nil
          }
          if isElement { found = element }
        }
        count += 1
      }
    }

    /// - Parameter isOnPath: otherwise the value is passed over.
    private mutating func value(_ path: ArraySlice<[UInt8]>, _ isOnPath: Bool) -> Found? {
      if isOnPath { return value(path) }
      return scanner.skipValue() ? Found() : nil
    }

    /// A position as RFC 6901 §4 writes it: no leading zeros.
    private static func index(_ token: [UInt8]) -> Int? {
      guard !token.isEmpty, token.count <= 9, token.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
        token[0] != 0x30 || token.count == 1
      else { return nil }
      return token.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
  }

  /// A name as a JSON string.
  private static func quoted(_ name: [UInt8]) -> [UInt8] {
    var text: [UInt8] = [0x22]
    for byte in name {
      switch byte {
      case 0x22, 0x5C: text += [0x5C, byte]
      case 0x00..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        text += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: text.append(byte)
      }
    }
    return text + [0x22]
  }
}
