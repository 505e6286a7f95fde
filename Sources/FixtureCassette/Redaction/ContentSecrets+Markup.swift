import FixtureHTTP

extension ContentSecrets {
  /// XML: the text of an element with a secret name that holds nothing but text, and the values of
  /// attributes with such a name; prefixes of namespaces do not count. Nothing else is changed, so
  /// that what was well formed stays so. What follows something that is no markup is left alone.
  mutating func markup(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, path: UInt64, _ replacement: Replacement
  ) {
    var scanner = MarkupScanner(bytes)
    var number: UInt64 = 0
    while let value = scanner.next() {
      let name = UnsafeRawBufferPointer(rebasing: bytes[value.name])
      guard rules.isDefault(contentName: name) || rules.isAdded(jsonName: name) else { continue }
      number += 1
      let raw = bytes[value.range]
      let secret = value.isLiteral ? Array(raw) : MarkupScanner.unescaped(raw)
      guard !secret.isEmpty else { continue }
      found(secret, at: StableHash.mix(path, number))
      let range = (offset + value.range.lowerBound)..<(offset + value.range.upperBound)
      replace(range, by: replacement(secret))
    }
  }
}

/// Finds the values in XML (https://www.w3.org/TR/xml): those of attributes, and the texts of
/// elements that hold nothing else.
private struct MarkupScanner {
  struct Value {
    /// Without a prefix.
    let name: Range<Int>
    let range: Range<Int>
    /// A CDATA section, in which nothing is escaped.
    var isLiteral = false
  }

  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  /// Of the start tag that is being read.
  private var element: Range<Int>?

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  mutating func next() -> Value? {
    while position < bytes.count {
      if let element {
        if let value = attributeOrText(of: element) { return value }
      } else {
        guard let open = find("<", from: position) else { break }
        enter(open)
      }
    }
    position = bytes.count
    return nil
  }

  /// A start tag is entered; anything else is passed.
  private mutating func enter(_ open: Int) {
    for (start, end) in [
      ("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"), ("</", ">"),
    ]
    where stands(start, at: open) {
      position = find(end, from: open + start.utf8.count).map { $0 + end.utf8.count } ?? bytes.count
      return
    }
    let name = self.name(at: open + 1)
    position = name.upperBound
    if !name.isEmpty { element = local(name) } else { position = open + 1 }
  }

  /// The next attribute of a start tag, or the text behind it; nil when it has neither.
  private mutating func attributeOrText(of element: Range<Int>) -> Value? {
    skipSpaces()
    if stands("/>", at: position) || position >= bytes.count {
      position += 2
      self.element = nil
      return nil
    }
    if stands(">", at: position) {
      position += 1
      self.element = nil
      return text(of: element)
    }
    let name = self.name(at: position)
    position = name.upperBound
    skipSpaces()
    guard !name.isEmpty, stands("=", at: position) else {
      // No start tag after all, or a name without a value as HTML has it.
      if name.isEmpty { self.element = nil }
      return nil
    }
    position += 1
    skipSpaces()
    guard position < bytes.count, bytes[position] == 0x22 || bytes[position] == 0x27,
      let end = bytes[(position + 1)...].firstIndex(of: bytes[position])
    else {
      self.element = nil
      return nil
    }
    defer { position = end + 1 }
    return Value(name: local(name), range: (position + 1)..<end)
  }

  /// What stands between a start tag and its end tag.
  private func text(of element: Range<Int>) -> Value? {
    guard let next = find("<", from: position) else { return nil }
    if stands("</", at: next) {
      var (start, end) = (position, next)
      while start < end, bytes[start] <= 0x20 { start += 1 }
      while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
      return Value(name: element, range: start..<end)
    }
    let mark = "<![CDATA["
    guard stands(mark, at: next), bytes[position..<next].allSatisfy({ $0 <= 0x20 }),
      let end = find("]]>", from: next)
    else { return nil }
    return Value(name: element, range: (next + mark.utf8.count)..<end, isLiteral: true)
  }

  private func name(at start: Int) -> Range<Int> {
    let end = bytes[start...].firstIndex {
      $0 <= 0x20 || [0x2F, 0x3C, 0x3D, 0x3E, 0x22, 0x27].contains($0)
    }
    return start..<(end ?? bytes.count)
  }

  private func local(_ name: Range<Int>) -> Range<Int> {
    bytes[name].lastIndex(of: 0x3A).map { ($0 + 1)..<name.upperBound } ?? name
  }

  private mutating func skipSpaces() {
    while position < bytes.count, bytes[position] <= 0x20 { position += 1 }
  }

  private func stands(_ text: String, at index: Int) -> Bool {
    bytes[min(index, bytes.count)...].starts(with: text.utf8)
  }

  private func find(_ text: String, from start: Int) -> Int? {
    let wanted = Array(text.utf8)
    var index = start
    while let found = bytes[min(index, bytes.count)...].firstIndex(of: wanted[0]) {
      if bytes[found...].starts(with: wanted) { return found }
      index = found + 1
    }
    return nil
  }

  /// The five names and the numbers of characters that XML knows; another one stays.
  static func unescaped(_ raw: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = raw
    while let mark = rest.firstIndex(of: 0x26) {
      result += rest[..<mark]
      guard let end = rest[mark...].prefix(12).firstIndex(of: 0x3B),
        let text = character(String(decoding: rest[(mark + 1)..<end], as: UTF8.self))
      else {
        result.append(0x26)
        rest = rest[(mark + 1)...]
        continue
      }
      result += text
      rest = rest[(end + 1)...]
    }
    return result + rest
  }

  private static func character(_ name: String) -> [UInt8]? {
    switch name {
    case "amp": return [0x26]
    case "lt": return [0x3C]
    case "gt": return [0x3E]
    case "quot": return [0x22]
    case "apos": return [0x27]
    default:
      guard name.hasPrefix("#") else { return nil }
      let digits = name.dropFirst()
      let isHexadecimal = digits.hasPrefix("x")
      let number = UInt32(
        isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
      return number.flatMap(Unicode.Scalar.init).map { Array(String(Character($0)).utf8) }
    }
  }
}
