/// Writes JSON (RFC 8259): values in the order given, no whitespace, always valid UTF-8.
///
///     var json = JSONText()
///     json.object { json in
///       json.member("status", 501)
///       json.member("request") { json in json.object { … } }
///     }
///
/// The caller keeps the shape right: exactly one value for each member, one at the top.
package struct JSONText: Equatable, Sendable, CustomStringConvertible {
  package private(set) var bytes: [UInt8] = []
  /// A value was written at this level, so the next one needs a comma before it.
  private var needsComma = false

  package init() {}

  package mutating func object(_ members: (inout JSONText) -> Void) {
    enclosed(0x7B, 0x7D, members)
  }

  package mutating func array(_ elements: (inout JSONText) -> Void) {
    enclosed(0x5B, 0x5D, elements)
  }

  /// A member of an object; `value` writes exactly one value.
  package mutating func member(_ name: StaticString, _ value: (inout JSONText) -> Void) {
    string(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(0x3A)
    needsComma = false
    value(&self)
  }

  package mutating func member(_ name: StaticString, _ text: String) {
    member(name) { $0.string(text.utf8) }
  }

  package mutating func member(_ name: StaticString, bytes: some Sequence<UInt8>) {
    member(name) { $0.string(bytes) }
  }

  package mutating func member(_ name: StaticString, _ number: Int64) {
    member(name) { $0.number(number) }
  }

  package mutating func member(_ name: StaticString, _ truth: Bool) {
    member(name) { $0.word(truth ? "true" : "false") }
  }

  package mutating func member(_ name: StaticString, orNull text: String?) {
    if let text { member(name, text) } else { member(name) { $0.null() } }
  }

  package mutating func member(_ name: StaticString, orNull number: Int64?) {
    if let number { member(name, number) } else { member(name) { $0.null() } }
  }

  package mutating func null() { word("null") }

  package mutating func number(_ number: Int64) { word("\(number)") }

  /// A string of bytes from anywhere. UTF-8 is kept; control characters and what is not UTF-8
  /// become `\u00NN` with the byte's value, as if it were Latin-1, so that the text says which byte
  /// it was. (A real U+0080–U+00FF is written as itself and reads the same.)
  package mutating func string(_ content: some Sequence<UInt8>) {
    separate()
    bytes.append(0x22)
    var parser = Unicode.UTF8.ForwardParser()
    let content = Array(content)
    var iterator = content.makeIterator()
    var position = 0
    parsing: while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let scalar):
        for byte in scalar { append(escaping: byte) }
        position += scalar.count
      case .error(let length):
        for byte in content[position..<(position + length)] { append(unicodeEscape: byte) }
        position += length
      case .emptyInput: break parsing
      }
    }
    bytes.append(0x22)
    needsComma = true
  }

  package var description: String { String(decoding: bytes, as: UTF8.self) }

  mutating func word(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
    needsComma = true
  }

  private mutating func enclosed(
    _ open: UInt8, _ close: UInt8, _ content: (inout JSONText) -> Void
  ) {
    separate()
    bytes.append(open)
    needsComma = false
    content(&self)
    bytes.append(close)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(0x2C) }
    needsComma = false
  }

  /// A byte of valid UTF-8 (RFC 8259 §7: quotation mark, reverse solidus and U+0000–U+001F must be
  /// escaped; U+007F need not, but no terminal should get it).
  private mutating func append(escaping byte: UInt8) {
    switch byte {
    case 0x22, 0x5C:
      bytes.append(0x5C)
      bytes.append(byte)
    case 0x00..<0x20, 0x7F: append(unicodeEscape: byte)
    default: bytes.append(byte)
    }
  }

  private mutating func append(unicodeEscape byte: UInt8) {
    bytes.append(contentsOf: #"\u00"#.utf8)
    bytes.append(PrintableText.hexDigit(byte >> 4))
    bytes.append(PrintableText.hexDigit(byte & 0xF))
  }
}
